import PluginRuntime
import Testing

@Suite("Loading: descriptions as values")
struct DescriptionValues {
  /// The plugins in `Tests/Fixtures/plugins` that can be inspected as they are.
  private static let fixtures = [
    "blocking", "callbacks", "caller", "dispatch", "failing", "layout", "leaving", "libraries", "progress", "promises",
    "refuses", "requires", "shares", "table", "throwing", "types", "whole",
  ]

  /// The macros and libraries that some of them need.
  private static let flags =
    ["-DID=\"test.values\"", "-DREQUIRED=\"test.other\",\"test.third\""]
    + ["libglib-2.0.so.0", "libevent-2.1.so.7", "libsystemd.so.0"].map { "-l:\($0)" }

  @Test("a description is equal after a round trip, also by JSON", arguments: fixtures)
  func roundTrip(_ fixture: String) throws {
    try expectRoundTrip(try Host.inspect(try Fixture.plugin(fixture, Self.flags)))
  }

  @Test("the description of an adopted library is equal after a round trip")
  func adoption() throws {
    let adoption = Adoption(
      id: "test.adopted", library: "libm.so.6", version: "2", description: "\"Mathematics\"\n\u{1F600}",
      functions: [
        .init(signature: try Signature(parsing: "pow(x: f64 \"base\", y: f64 = -0.5) -> f64"), description: "Powers."),
        .init(signature: try Signature(parsing: "root(x: f64) -> f64"), symbol: "sqrt"),
      ], file: "/somewhere/m.adopt.yaml")
    try expectRoundTrip(try Host.inspect(adoption))
  }

  @Test(
    "a wrong field is named",
    arguments: [
      ("path", .void, "path: is missing, expected text"),
      ("path", .string("relative.so"), "path: is \"relative.so\", expected an absolute path"),
      ("path", .string("/a\0b"), "path: is \"/a\\u0000b\", expected an absolute path"),
      ("id", .int(3), "id: is 3, expected text"),
      ("id", .string("a b"), "id: is \"a b\", expected letters, digits, '.', '-' and '_'"),
      ("version", .string(""), "version: is empty, expected one such as \"1.0.0\""),
      ("description", .bytes([1]), "description: is bytes, expected text"),
      ("abi", .void, "abi: is missing, expected an object"),
      ("abi", .object([]), "abi.min: is missing, expected an integer"),
      ("abi", range(.int(-1), .int(1)), "abi.min: is -1, expected an integer from 0 to 4294967295"),
      ("abi", range(.uint(1), .uint(1 << 32)), "abi.max: is 4294967296, expected an integer from 0 to 4294967295"),
      ("abi", range(.uint(0), .uint(1)), "abi: is 0 to 1, expected 1 or more, the lower first"),
      ("abi", range(.uint(3), .uint(2)), "abi: is 3 to 2, expected 1 or more, the lower first"),
      ("required", .string("x"), "required: is a string, expected an array of at most 1024 elements"),
      (
        "required", .array(Array(repeating: .string("x"), count: 1_025)),
        "required: is an array of 1025 elements, expected an array of at most 1024 elements"
      ),
      ("required", .array([.string("x"), .void]), "required[1]: is void, expected the id of a plugin"),
      ("required", .array([.string("")]), "required[0]: is \"\", expected letters, digits, '.', '-' and '_'"),
      ("functions", .array([.int(1)]), "functions[0]: is 1, expected an object"),
      ("functions", .array([function(.void)]), "functions[0].signature: is missing, expected text"),
      ("functions", .array([function(.string("f("))]), "functions[0].signature: has a mistake, column 3"),
      (
        "functions", .array([function(.string("f()")), function(.string("f() -> i32"))]),
        "functions[1]: is a second function named 'f', expected another name"
      ),
      ("adoption", .bool(true), "adoption: is true, expected an object"),
      ("adoption", .object([]), "adoption.id: is missing, expected text"),
    ] as [(String, PluginValue, String)])
  func wrongFields(_ name: String, _ wrong: PluginValue, _ message: String) throws {
    guard case .object(let members) = Self.whole else { return }
    let changed = members.map { $0.name == name ? PluginMember(name, wrong) : $0 }
    let error = #expect(throws: ArgumentMismatch.self) { try PluginDescription(from: .object(changed)) }
    let text = error.map { "\($0.path): \($0.message)" } ?? ""
    #expect(text.hasPrefix(message), "\(text)")
  }

  @Test("a value that is not an object is refused, and unknown members are ignored")
  func shape() throws {
    #expect(throws: ArgumentMismatch(message: "is an array of 0 elements, expected an object")) {
      try PluginDescription(from: .array([]))
    }
    guard case .object(let members) = Self.whole else { return }
    let description = try PluginDescription(from: .object(members + [PluginMember("later", .int(1))]))
    #expect(description.id == "test.values" && description.abi == 1...2 && description.adoption == nil)
    try expectRoundTrip(description)
  }

  private static let whole = PluginValue.object([
    PluginMember("path", .string("/plugin.so")), PluginMember("id", .string("test.values")),
    PluginMember("version", .string("1")), PluginMember("description", .void),
    PluginMember("abi", range(.uint(1), .int(2))), PluginMember("required", .array([])),
    PluginMember("functions", .array([function(.string("f()"))])), PluginMember("adoption", .void),
  ])

  private static func range(_ min: PluginValue, _ max: PluginValue) -> PluginValue {
    .object([PluginMember("min", min), PluginMember("max", max)])
  }

  private static func function(_ signature: PluginValue) -> PluginValue {
    .object([PluginMember("signature", signature)])
  }

  private func expectRoundTrip(_ description: PluginDescription) throws {
    #expect(try PluginDescription(from: description.value) == description)
    let json = try JSONText(parsing: Array(description.value.json.utf8))
    #expect(try PluginDescription(from: PluginValue(untyped: json)) == description)
  }
}
