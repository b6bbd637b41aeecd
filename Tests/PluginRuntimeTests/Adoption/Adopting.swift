import Foundation
import PluginRuntime
import Testing

@Suite("Adoption: libraries without a plugin entry")
struct Adopting {
  private static func adoption(
    _ library: String, _ signatures: String..., id: String = "test.adopted", symbol: String? = nil
  ) throws -> Adoption {
    Adoption(
      id: id, library: library,
      functions: try signatures.map { Adoption.Function(signature: try Signature(parsing: $0), symbol: symbol) })
  }

  @Test("functions of libraries on this machine are called by their signatures")
  func calls() async throws {
    let host = Host()
    try host.adopt(
      try Self.adoption("libm.so.6", "pow(x: f64, y: f64) -> f64", "ldexp(x: f64, exponent: i32 = 3) -> f64"))
    #expect(await host.outcome("pow", of: "test.adopted", [.text("2"), .text("10")]).value == .double(1024))
    #expect(await host.outcome("ldexp", of: "test.adopted", [.text("1.5")]).value == .double(12))
    let wrong = await host.outcome("pow", of: "test.adopted", [.text("2"), .text("x")])
    #expect(wrong.pluginError?.message == "argument 'y' is \"x\", expected a number that an f64 can hold")
  }

  @Test("a function that the library selects for the processor is called like any other")
  func indirect() async throws {
    let host = Host()
    try host.adopt(try Self.adoption("libc.so.6", "strlen(text: cstr) -> usize", "toupper(c: i32) -> i32"))
    #expect(await host.outcome("strlen", of: "test.adopted", [.text("hello")]).value == .uint(5))
    #expect(await host.outcome("toupper", of: "test.adopted", [.text("97")]).value == .int(65))
  }

  @Test("an object of any name is accepted for ptr<void>, and for no other name")
  func objectsOfVoid() async throws {
    let host = Host()
    try host.adopt(
      try Self.adoption(
        "libc.so.6", "tmpfile() -> ptr<FILE>", "fclose(file: ptr<void>) -> i32", "closedir(folder: ptr<DIR>) -> i32",
        "free(memory: own ptr<void>)"))
    let file = try #require(await host.outcome("tmpfile", of: "test.adopted", []).value)
    let refused = await host.outcome("closedir", of: "test.adopted", [.value(file)])
    #expect(refused.pluginError?.message.contains("'folder' is") == true, "\(refused)")
    let released = await host.outcome("free", of: "test.adopted", [.value(file)])
    #expect(released.pluginError?.message.contains("'memory' is") == true, "\(released)")
    #expect(await host.outcome("fclose", of: "test.adopted", [.value(file)]).value == .int(0))
  }

  private static let constants = [
    ("printed", "snprintf", #"(to: out str[n], n: usize, f: const cstr = "%s|%d", ..., text: cstr, i: i32) -> i32"#),
    (
      "joined", "snprintf",
      #"(to: out str[n], n: const usize = 4, f: const cstr = "%.9s%f", ..., t: cstr, x: f64) -> i32"#
    ),
    ("pair_new", "memcpy", "(made: out(16) own ptr<pair>, fields: &{a: i64, b: f64}, size: const usize = 16)"),
    ("pair_fields", "memcpy", "(fields: out {a: i64, b: f64}, of: ptr<pair>, size: const usize = 16)"),
    ("missing", "getenv", #"(name: const cstr = "NO_SUCH_NAME") -> cstr?"#),
    ("nothing", "snprintf", #"(to: const ptr<void>? = null, n: const u64 = 0, f: cstr) -> i32"#),
  ]

  /// Returns an adoption of functions of the C library, by way of a library that links it, such as libm.so.6.
  private static func borrowed(_ library: String = "libm.so.6") throws -> Adoption {
    Adoption(
      id: "test.adopted", library: library,
      functions: try constants.map { name, symbol, types in
        Adoption.Function(signature: try Signature(parsing: name + types), symbol: symbol)
      })
  }

  @Test(
    "constants and arguments in the place of '...' reach a function of a library that the adopted one links",
    arguments: [false, true])
  func constants(isIsolated: Bool) async throws {
    let host = Host()
    if isIsolated {
      try host.adopt(try Self.borrowed(), isolation: .tests)
    } else {
      try host.adopt(try Self.borrowed())
    }
    func call(_ name: String, _ arguments: Argument...) async -> Outcome {
      await host.outcome(name, of: "test.adopted", arguments)
    }
    let printed = await call("printed", .text("20"), .text("%n"), .text("-7"))
    #expect(printed.value?.json == #"{"result":5,"to":"%n|-7"}"#)
    #expect(await call("joined", .text("a"), .text("2")).value?.json == #"{"result":9,"to":"a2."}"#)
    let tooMany = await call("joined", .text("a"), .text("2"), .text("3"))
    #expect(tooMany.pluginError?.message.contains("expected at most 2") == true, "\(tooMany)")
    let named = await call("printed", Argument(name: "f", .text("%n")))
    #expect(named.pluginError?.message.hasPrefix("has no parameter 'f'") == true, "\(named)")
    #expect(await call("missing").value == .void)
    #expect(await call("nothing", .text("four")).value == .int(4))
    let made = await call("pair_new", .value(.object([PluginMember("a", .int(-3)), PluginMember("b", .double(0.5))])))
    let pair = try #require(made.value?[member: "made"])
    #expect(await call("pair_fields", .value(pair)).value?.json == #"{"fields":{"a":-3,"b":0.5}}"#)
  }

  @Test("a function of another library needs a symbol of its own in the signature's place, and must exist")
  func borrowedFunctions() throws {
    let without = try Self.adoption("libm.so.6", "strlen(text: cstr) -> usize")
    #expect(throws: PluginError.self) { try Host().adopt(without) }
    let unknown = try Self.adoption("libm.so.6", "f(text: cstr) -> usize", symbol: "no_such_function")
    #expect(throws: PluginError.self) { try Host().adopt(unknown) }
  }

  @Test("a description says where the library is, and its version")
  func description() throws {
    let description = try Host.inspect(try Self.adoption("libz.so.1", "zlibVersion() -> cstr"))
    #expect(description.path.contains("/libz.so.1"))
    #expect(description.path.hasSuffix(".so.\(description.version)"))
    #expect(description.adoption?.library == "libz.so.1")
    #expect(description.functions.map(\.name) == ["zlibVersion"])
  }

  @Test("the symbol may differ from the function's name")
  func symbol() async throws {
    let host = Host()
    try host.adopt(try Self.adoption("libm.so.6", "root(x: f64) -> f64", symbol: "sqrt"))
    #expect(await host.outcome("root", of: "test.adopted", [.text("9")]).value == .double(3))
  }

  @Test("a function that frees the results of another has to exist, for results and for out parameters")
  func release() throws {
    for (text, column) in [
      ("strdup(s: cstr) -> own(nobody_has_this) cstr", 24),
      ("asprintf(text: out own(nobody_has_this) cstr?, format: cstr) -> i32", 24),
    ] {
      let error = #expect(throws: PluginError.self) { try Host().adopt(try Self.adoption("libc.so.6", text)) }
      guard case .badSignature(let mistake)? = error?.kind else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(mistake.column == column && mistake.found == "'nobody_has_this'", "\(mistake)")
    }
  }

  @Test("a library can be adopted under several ids, and is one plugin under each")
  func several() async throws {
    let host = Host()
    let first = try Self.adoption("libm.so.6", "sqrt(x: f64) -> f64", id: "a")
    try host.adopt(first)
    try host.adopt(try Self.adoption("libm.so.6", "fabs(x: f64) -> f64", id: "b"))
    try host.adopt(first)
    #expect(host.plugins.map(\.id) == ["a", "b"])
    #expect(await host.outcome("fabs", of: "b", [.text("-3")]).value == .double(3))
    let error = #expect(throws: PluginError.self) {
      try host.adopt(try Self.adoption("libm.so.6", "sin(x: f64) -> f64", id: "a"))
    }
    #expect(error?.kind == .duplicate)
    #expect(await host.outcome("sqrt", of: "a", [.text("16")]).value == .double(4))
  }

  @Test("a plugin's file can be adopted beside the plugin")
  func pluginBesides() throws {
    let host = Host()
    let path = try Fixture.plugin("whole")
    try host.adopt(try Self.adoption(path, "promise_plugin_entry(host: u32) -> u64", id: "adopted"))
    #expect(try host.load(path).id == "test.whole")
    #expect(host.plugins.count == 2)
  }

  @Test("a function that the library does not export is an error, and so is a data symbol")
  func missing() throws {
    expect(.noEntry, "does not define nonsense", try Self.adoption("libm.so.6", "nonsense() -> i32"))
    expect(.noEntry, "exports; did you mean \"cosh\"?", try Self.adoption("libm.so.6", "csoh() -> f64"))
    expect(.noEntry, "defines signgam as data", try Self.adoption("libm.so.6", "signgam() -> i32"))
    expect(.noEntry, "does not define ", try Self.adoption("libm.so.6", "x() -> i32", symbol: ""))
    expect(.noEntry, "does not define", try Self.adoption("libm.so.6", "x() -> i32", symbol: "pow\0"))
  }

  @Test("a library that does not exist is an error, which names a similar one")
  func notFound() throws {
    expect(.notFound, "there is libm.so.6", try Self.adoption("libm", "sqrt(x: f64) -> f64"))
    expect(.notFound, "there is libm.so.6", try Self.adoption("libm.so", "sqrt(x: f64) -> f64"))
    expect(.notFound, "no such library", try Self.adoption("libnone.so.3", "f()"))
    expect(.notFound, "is not the name of a library", try Self.adoption("", "f()"))
    expect(.notFound, "no such file", try Self.adoption("/none/libm.so.6", "f()"))
  }

  @Test("an adopted library is verified as a plugin is")
  func verified() throws {
    expect(
      .unsafeMemory, "executable stack", try Self.adoption(try Fixture.plugin("whole", ["-Wl,-z,execstack"]), "f()"))
    expect(.notAFile, "a directory", try Self.adoption("/usr/lib", "f()"))
    expect(
      .notAPlugin, "not an ELF file", try Self.adoption(try Fixture.file("t.so", containing: "INPUT(x)".utf8), "f()"))
  }

  @Test("an invalid id, and a name that two functions have, are errors")
  func malformed() throws {
    expect(.badDescriptor, "has the id \"a b\"", try Self.adoption("libm.so.6", id: "a b"))
    expect(
      .badDescriptor, "two functions named 'sin'", try Self.adoption("libm.so.6", "sin(x: f64) -> f64", "sin() -> f64"))
  }

  @Test("nothing is adopted while the host is shutting down")
  func closed() throws {
    let host = Host()
    host.unloadAll()
    let error = #expect(throws: PluginError.self) {
      try host.adopt(try Self.adoption("libm.so.6", "sqrt(x: f64) -> f64"))
    }
    #expect(error?.kind == .closed)
  }

  private func expect(
    _ kind: PluginError.Kind, _ message: String, _ adoption: Adoption, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let error = #expect(throws: PluginError.self, sourceLocation: sourceLocation) { try Host.inspect(adoption) }
    #expect(error?.kind == kind, "\(String(describing: error))", sourceLocation: sourceLocation)
    #expect(
      error?.description.contains(message) ?? false, "\(error?.description ?? "")", sourceLocation: sourceLocation)
  }
}
