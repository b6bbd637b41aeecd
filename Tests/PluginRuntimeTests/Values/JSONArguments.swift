import Testing

@testable import PluginRuntime

@Suite("Values: arguments in JSON")
struct JSONArguments {
  @Test(
    "the values that a type takes are exact",
    arguments: [
      ("i64", "-9223372036854775808", PluginValue.int(.min)), ("u64", "18446744073709551615", .uint(.max)),
      ("i8", "-128", .int(-128)), ("bool", "true", .bool(true)), ("f64", "0.1", .double(0.1)),
      ("f64", "9007199254740992", .double(9_007_199_254_740_992)), ("f64", "100000000000000000000", .double(1e20)),
      ("f64", #""-Infinity""#, .double(-.infinity)), ("f32", "16777216", .double(16_777_216)),
      // The nearest f32: the text is rounded once, and not to an f64 before.
      ("f32", "0.1", .double(Double(Float(0.1)))),
      ("f32", "1.00000017881393432617187499", .double(Double(Float(1.0000001)))),
      ("str", #""é\ud83d\ude00\u0000""#, .string("é😀\0")), ("bytes", #""é""#, .bytes([0xC3, 0xA9])),
      ("bytes", "[0, 255]", .bytes([0, 255])), ("bytes", #"{"base64": "AP8="}"#, .bytes([0, 255])),
      ("bytes", #"{"base64": ""}"#, .bytes([])),
      ("i32?", "null", .void), ("i32?", "5", .int(5)), ("value", "100000000000000000000", .double(1e20)),
      ("f64", "1361129467683753853853498429727072845824", .double(0x1p130)),
      ("&[i32]", "[ ]", .array([])), ("[bool; 2]", "[true,false]", .array([.bool(true), .bool(false)])),
      ("{a: i32, b: str?}", #"{"a":1}"#, .object([PluginMember("a", .int(1)), PluginMember("b", .void)])),
      ("{b: u8, a: u8}", #"{"a":1,"b":2}"#, .object([PluginMember("b", .uint(2)), PluginMember("a", .uint(1))])),
      (
        "value", #"{"a":[1,18446744073709551615,0.5,null]}"#,
        .object([PluginMember("a", .array([.int(1), .uint(.max), .double(0.5), .void]))])
      ),
    ])
  func exact(_ type: String, _ json: String, _ expected: PluginValue) throws {
    #expect(try Self.type(type).value(fromJSON: try JSONText(parsing: Array(json.utf8))) == expected)
  }

  @Test(
    "a value that the type does not take is an error with the place and the reason",
    arguments: [
      ("i64", "9223372036854775808", "", "is 9223372036854775808, expected an integer from -9223372036854775808"),
      ("u64", "-1", "", "is -1"), ("u8", "1.0", "", "is 1.0, expected an integer from 0 to 255"),
      ("u8", "1e2", "", "is 1e2"), ("i32", #""1""#, "", #"is "1""#),
      ("f64", "9007199254740993", "", "is 9007199254740993"), ("f32", "16777217", "", "is 16777217"),
      ("f64", "1361129467683753853853498429727072845823", "", "is 1361129467683753853853498429727072845823"),
      ("f64", String(repeating: "9", count: 400), "", "is 99999"),
      ("value", "1e400", "", "is 1e400, expected a number that an f64 can hold"),
      ("value", "[0,99999999999999999999]", "[1]", "is 99999999999999999999"),
      ("value", #"{"a":{"b":[1e999]}}"#, ".a.b[0]", "is 1e999"),
      ("f32", "1e39", "", "is 1e39"), ("f64", "1e309", "", "is 1e309"),
      ("f64", #""nan""#, "", #"is "nan""#), ("bool", "1", "", "is 1, expected true or false"),
      ("i32", "null", "", "is null"),
      ("cstr", #""a\u0000""#, "", "contains a NUL"), ("str", "1", "", "is 1, expected a string"),
      ("bytes", "[1,256]", "[1]", "is 256"),
      ("bytes", #"{"base64": "AP9="}"#, "", "is an object"), ("bytes", #"{"base64": "AP8"}"#, "", "is an object"),
      ("&[{x: &[u8]}]", #"[{"x":[1]},{"x":[1,-1]}]"#, "[1].x[1]", "is -1"),
      ("{a: i32}", "{}", ".a", "is missing"), ("{a: i32}", #"{"a":1,"z":2}"#, ".z", "is not a field, expected a"),
      ("[i32; 2]", "[1]", "", "has 1 elements, expected 2"),
      ("ptr<x>", #""0xff""#, "", #"is "0xff", expected an address of a x, which has no form as text"#),
      ("&[ptr<x>?]", "[null, 255]", "[1]", "is 255, expected an address"),
    ])
  func refused(_ type: String, _ json: String, _ path: String, _ message: String) throws {
    let type = try Self.type(type)
    let text = try JSONText(parsing: Array(json.utf8))
    let error = #expect(throws: ArgumentMismatch.self) { try type.value(fromJSON: text) }
    #expect(error?.path == path)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test(
    "invalid JSON is an error with its place",
    arguments: [
      ("", 0, "a JSON value"), ("[1,]", 3, "a JSON value"), ("[1 2]", 3, "',' or ']'"), (#"{"a" 1}"#, 5, "':'"),
      (#"{"a":1,"a":2}"#, 7, "another name"), ("{a:1}", 1, "a \"name\""),
      ("01", 0, "a JSON number"), ("1.", 0, "a JSON number"), ("-", 0, "a JSON number"), ("nul", 0, "a JSON value"),
      ("1 1", 2, "the end"),
      (#""a"#, 2, "the end of the string"),
      (#""\x""#, 1, "\\uXXXX"), (#""\u12""#, 3, "four hexadecimal"), (#""\ud800""#, 1, "both halves"),
      ("\"\n\"", 1, "control character"), (#""\"#, 2, "an escape"),
      (String(repeating: "[", count: 200), 128, "at most 128 deep"),
    ])
  func mistakes(_ text: String, _ offset: Int, _ expected: String) {
    let error = #expect(throws: JSONError.self) { try JSONText(parsing: Array(text.utf8)) }
    #expect(error?.offset == offset)
    #expect(error?.expected.contains(expected) == true, "\(error?.description ?? "")")
  }

  @Test("bytes that are not UTF-8 are not a string")
  func encoding() {
    #expect(throws: JSONError.self) { try JSONText(parsing: [0x22, 0xFF, 0x22]) }
    #expect(throws: JSONError.self) { try JSONText(parsing: [0xFF]) }
  }

  private static func type(_ text: String) throws -> ValueType {
    try Signature(parsing: "f(a: \(text))").parameters[0].type
  }
}
