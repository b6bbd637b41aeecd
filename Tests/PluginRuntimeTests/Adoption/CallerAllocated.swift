import PluginRuntime
import Testing

/// Objects in memory that the host allocates: `out(64) own(regfree) ptr<regex_t>`.
@Suite("Caller-allocated objects")
struct CallerAllocated {
  private static let signatures = [
    "regcomp(preg: out(64) own(regfree) ptr<regex_t>, pattern: cstr, flags: i32) -> i32 ! nonzero",
    "regexec(preg: ptr<regex_t>, text: cstr, n: usize = 0, matches: ptr<void>?, flags: i32 = 0) -> i32",
    "regfree(preg: own ptr<regex_t>)", "sigemptyset(set: out(128) own ptr<sigset_t>) -> i32 ! errno",
    "sigaddset(set: ptr<sigset_t>, signal: i32) -> i32 ! errno",
    "sigismember(set: ptr<sigset_t>, signal: i32) -> i32 ! errno",
    "sem_init(sem: out(32) ptr<sem_t>, shared: i32, n: u32) -> i32 ! errno",
    "sem_trywait(sem: ptr<sem_t>) -> i32 ! errno", "added(set: out(128) own ptr<sigset_t>, signal: i32) -> i32 ! errno",
  ]

  private static func host() throws -> Host {
    let host = Host()
    try host.adopt(
      Adoption(
        id: "libc", library: "libc.so.6",
        functions: try signatures.map {
          let signature = try Signature(parsing: $0)
          return Adoption.Function(signature: signature, symbol: signature.name == "added" ? "sigaddset" : nil)
        }))
    return host
  }

  private static func object(_ host: Host, _ function: String, _ arguments: [Argument], _ name: String) async throws
    -> Argument
  {
    let value = try #require(await host.outcome(function, of: "libc", arguments).value)
    return .value(try #require(value[member: name]))
  }

  @Test("allocated objects are made by the function, used by others, and released once")
  func life() async throws {
    let host = try Self.host()
    let regex = try await Self.object(host, "regcomp", [.text("^aa*$"), .text("0")], "preg")
    #expect(await host.outcome("regexec", of: "libc", [regex, .text("aaa")]).value == .int(0))
    #expect(await host.outcome("regexec", of: "libc", [regex, .text("b")]).value == .int(1))
    #expect(await host.outcome("regfree", of: "libc", [regex]).value == .void)
    let error = await host.outcome("regexec", of: "libc", [regex, .text("a")]).pluginError
    #expect(error?.message.contains("that 'regfree' has released") == true, "\(String(describing: error))")
  }

  @Test("allocated objects are zeroed, and as large as the signature says; memory without a destructor is freed if own")
  func memory() async throws {
    let host = try Self.host()
    for _ in 0..<100 {
      let set = try await Self.object(host, "sigemptyset", [], "set")
      #expect(await host.outcome("sigaddset", of: "libc", [set, .text("64")]).value == .int(0))
      #expect(await host.outcome("sigismember", of: "libc", [set, .text("64")]).value == .int(1))
      #expect(await host.outcome("sigismember", of: "libc", [set, .text("3")]).value == .int(0))
      // The function `added` reads the memory that it is given.
      let added = try await Self.object(host, "added", [.text("5")], "set")
      #expect(await host.outcome("sigismember", of: "libc", [added, .text("5")]).value == .int(1))
      #expect(await host.outcome("sigismember", of: "libc", [added, .text("3")]).value == .int(0))
    }
    let semaphore = try await Self.object(host, "sem_init", [.text("0"), .text("1")], "sem")
    #expect(await host.outcome("sem_trywait", of: "libc", [semaphore]).value == .int(0))
  }

  @Test("an allocated object is not destroyed if the function fails")
  func failure() async throws {
    let host = try Self.host()
    for _ in 0..<100 {
      #expect(await host.outcome("regcomp", of: "libc", [.text("("), .text("1")]).value == nil)
    }
    // With a wrong argument the function is not called, and the memory is freed.
    #expect(await host.outcome("regcomp", of: "libc", [.text("a"), .text("x")]).value == nil)
    host.unloadAll()
  }

  @Test("allocated objects are pointers in C, and a part of the canonical form")
  func text() throws {
    let signature = try Signature(parsing: Self.signatures[0])
    #expect(signature.description == Self.signatures[0])
    #expect(signature.canonical == "(out(64) own(regfree) ptr<regex_t>, cstr, i32) -> i32 ! nonzero")
    #expect(signature.cPrototype.hasSuffix("int32_t regcomp(regex_t *preg, const char *pattern, int32_t flags);"))
    #expect(signature.parameters[0].allocatedSize == 64)
  }

  @Test(
    "the signature of an allocated object must have its size, and an object type",
    arguments: [
      ("f(a: out(0) ptr<T>)", 10, "from 1 to 1048576"), ("f(a: out(9999999) ptr<T>)", 10, "from 1 to 1048576"),
      ("f(a: out() ptr<T>)", 10, "the object's size in bytes"), ("f(a: out(8) i32)", 13, "ptr<Name>"),
      ("f(a: out(8) ptr<T>?)", 13, "ptr<Name>"), ("f(a: inout(8) ptr<T>)", 11, "a type"),
    ])
  func mistakes(text: String, column: Int, expected: String) {
    let error = #expect(throws: SignatureError.self) { try Signature(parsing: text) }
    #expect(error?.column == column && error?.expected.contains(expected) == true, "\(String(describing: error))")
  }
}
