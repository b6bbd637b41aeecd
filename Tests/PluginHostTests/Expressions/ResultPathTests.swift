import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct ResultPathTests {
  private let value = PluginValue.object([
    PluginMember("rows", .array([.object([PluginMember("name", .string("a"))]), .int(5)])),
    PluginMember("7", .bool(true)), PluginMember("data", .bytes([1, 200])),
    PluginMember("json", .string(#"{"x": [1, 2]}"#)), PluginMember("none", .void),
    PluginMember("wide", .string("[18446744073709551615, 18446744073709551616, -9223372036854775809, 1e20]")),
    PluginMember(
      "large", .string(#"{"a": [5], "n": 12345678901234567890123, "e": [1e400], "w": [18446744073709551616, -1e19]}"#)),
  ])

  @Test(arguments: [
    ("rows[0].name", PluginValue.string("a")), ("rows.0.name", .string("a")), (".rows[-1]", .int(5)),
    ("7", .bool(true)), ("data[1]", .uint(200)), ("json.x.1", .int(2)), ("none", .void),
    ("large.a[0]", .int(5)), ("large.n", .string("12345678901234567890123")), ("large.e", .array([.string("1e400")])),
    ("large.w", .array([.string("18446744073709551616"), .double(-1e19)])), ("wide[0]", .uint(.max)),
    ("wide[1]", .string("18446744073709551616")), ("wide[2]", .string("-9223372036854775809")),
    ("wide[3]", .double(1e20)),
  ])
  func leads(path: String, part: PluginValue) throws {
    #expect(try ResultPath(parsing: path).part(of: value) == part)
  }

  @Test(arguments: [
    ("rwos", "the result has no member \"rwos\"; did you mean \"rows\"?"),
    ("xyzzy", "the result has no member \"xyzzy\"; it has rows, 7, data, json, none, wide, large"),
    ("rows[2]", "\"rows\" of the result has 2 elements, and none at 2"),
    ("rows.name", "\"rows\" of the result is a list, which has no member \"name\""),
    ("rows[0].name.x", "\"rows[0].name\" of the result is a text that is not JSON, so it has no part \"x\""),
    ("none.x", "\"none\" of the result is null, which has no part \"x\""),
  ])
  func reports(path: String, message: String) throws {
    let path = try ResultPath(parsing: path)
    #expect(throws: MissingPart(message)) { try path.part(of: value) }
  }
}
