import PluginRuntime
import Testing

@Suite("Signatures: the names of an integer's values")
struct Constants {
  @Test(
    "a parameter keeps its names, which are not part of the call",
    arguments: [
      "f(level: i32 enum {LOW = -1, HIGH = 2})", #"f(level: u8 enum {A = 0} = 0 "how much", b: i32)"#,
      "f(mode: u64 flags {READ = 1, ALL = 18446744073709551615} = 1)",
    ])
  func description(_ text: String) throws {
    let signature = try Signature(parsing: text)
    #expect(signature.description == text)
    #expect(try Signature(parsing: signature.description) == signature)
    #expect(!signature.canonical.contains("{"))
  }

  @Test("a default may be a name")
  func fallback() throws {
    let signature = try Signature(parsing: "f(a: i32 enum {LOW = 1, HIGH = 2} = HIGH, enum: i32, flags: u8)")
    #expect(signature.parameters[0].defaultValue == .int(2))
    #expect(signature.parameters.map(\.name) == ["a", "enum", "flags"])
    #expect(signature.parameters[0].type == .i32)
  }

  @Test(
    "a mistake is named with its place",
    arguments: [
      ("f(a: i32 enum)", 14, "'{'"), ("f(a: i32 enum {})", 16, "the name of a value"),
      ("f(a: i32 enum {A})", 17, "'='"), ("f(a: i32 enum {A = x})", 20, "an integer from"),
      ("f(a: u8 enum {A = 256})", 19, "an integer from 0 to 255"),
      ("f(a: i32 enum {A = 1, A = 2})", 23, "another name"),
      ("f(a: f64 enum {A = 1})", 10, "','"), ("f(a: out i32 enum {A = 1})", 14, "','"),
      ("f(a: i32 enum {A = 1} = B)", 25, "or one of A"),
    ])
  func mistakes(_ text: String, _ column: Int, _ expected: String) throws {
    let error = try #require(throws: SignatureError.self) { try Signature(parsing: text) }
    #expect(error.column == column, "\(error)")
    #expect(error.expected.contains(expected), "\(error)")
  }

  private static let level = "f(a: i32 enum {LOW = -1, HIGH = 2})"
  private static let flags = "f(a: u32 flags {READ = 1, WRITE = 2, ALL = 7})"

  @Test(
    "texts and JSON name values, and numbers stay numbers",
    arguments: [
      (level, "LOW", #""LOW""#, PluginValue.int(-1)), (level, "7", "7", .int(7)), (level, "-1", "-1", .int(-1)),
      (flags, "READ", #""READ""#, .uint(1)), (flags, "READ|WRITE", #"["READ", "WRITE"]"#, .uint(3)),
      (flags, "WRITE | 8", #""WRITE|8""#, .uint(10)), (flags, "0x10", "16", .uint(16)), (flags, "0", "[]", .uint(0)),
      (flags, #"["READ", 8]"#, #"["READ", 8]"#, .uint(9)), (flags, "[]", "0", .uint(0)),
    ])
  func values(_ signature: String, _ text: String, _ json: String, _ expected: PluginValue) throws {
    let type = try Signature(parsing: signature).parameters[0].argumentType
    #expect(try type.value(fromText: text) == expected)
    #expect(try type.value(fromJSON: JSONText(parsing: Array(json.utf8))) == expected)
  }

  @Test(
    "an unknown name is refused with the known ones",
    arguments: [
      (level, "MEDIUM", #"is "MEDIUM", expected an integer from -2147483648 to 2147483647, or one of LOW, HIGH"#),
      (level, "LOW|HIGH", #"is "LOW|HIGH", expected one of LOW, HIGH"#),
      (flags, "READ|RITE", #"is "RITE", expected an integer from 0 to 4294967295, or names with | between them"#),
      (flags, "READ|", #"is "", expected"#), (level, "", "expected an integer"),
      (level, "3000000000", "expected an integer"), (level, #"["LOW"]"#, "or one of LOW, HIGH"),
      (flags, #"["RITE"]"#, "names with | between them of READ, WRITE, ALL"),
    ])
  func refusals(_ signature: String, _ text: String, _ message: String) throws {
    let type = try Signature(parsing: signature).parameters[0].argumentType
    let error = try #require(throws: ArgumentMismatch.self) { try type.value(fromText: text) }
    #expect(error.message.contains(message), "\(error.message)")
  }

  @Test("a call takes a name by value, text and JSON")
  func call() async throws {
    let host = Host()
    let signature = try Signature(parsing: "abs(number: i32 enum {MINUS = -5, PLUS = 4})")
    let whole = try Signature(parsing: "\(signature) -> i32")
    try host.adopt(Adoption(id: "c", library: "libc.so.6", functions: [.init(signature: whole)]))
    for content in [
      Argument.Content.text("MINUS"), .json(.string("MINUS")), .value(.string("MINUS")), .value(.int(-5)),
    ] {
      #expect(await host.outcome("abs", of: "c", [Argument(content)]).value == .int(5))
    }
    let list = PluginValue.array([.string("MINUS"), .string("PLUS")])
    #expect(await host.outcome("abs", of: "c", [.value(list)]).pluginError?.kind == .badArgument)
    let error = await host.outcome("abs", of: "c", [.text("MINOS")]).pluginError
    #expect(error?.message.contains("argument 'number' is \"MINOS\", expected") == true)
    #expect(error?.kind == .badArgument)
  }

  @Test("a list of flags as a value has names and numbers, each in the range of the type")
  func flagsAsValues() async throws {
    let host = Host()
    let signature = try Signature(parsing: "htonl(mode: u32 flags {READ = 1, WRITE = 2}) -> u32")
    try host.adopt(Adoption(id: "c", library: "libc.so.6", functions: [.init(signature: signature)]))
    func call(_ flags: PluginValue...) async -> Outcome {
      await host.outcome("htonl", of: "c", [.value(.array(flags))])
    }
    #expect(await call(.string("READ"), .int(8), .string("WRITE")).value == .uint(11 << 24))
    #expect(await call(.int(4), .uint(8)).value == .uint(12 << 24))
    #expect(await call(.int(-1)).pluginError?.kind == .badArgument)
    #expect(await call(.string("READ"), .int(1 << 32)).pluginError?.kind == .badArgument)
  }
}
