import PluginRuntime
import Testing

@Suite("Values: JSON")
struct JSON {
  @Test(
    "a value is one line of JSON",
    arguments: [
      (PluginValue.void, "null"), (.bool(true), "true"), (.bool(false), "false"), (.int(.min), "-9223372036854775808"),
      (.uint(.max), "18446744073709551615"), (.double(0.1), "0.1"), (.double(3), "3.0"), (.double(-0.0), "-0.0"),
      (.double(1e300), "1e+300"),
      (.double(.nan), #""NaN""#), (.double(.infinity), #""Infinity""#), (.double(-.infinity), #""-Infinity""#),
      (.string("a\"b\\c\n\r\t\u{1}\u{7f}é😀/"), #""a\"b\\c\n\r\t\u0001\u007fé😀/""#), (.string(""), #""""#),
      (.string("\u{80}\u{9b}31m\u{a0}\u{2028}\u{2029}"), "\"\\u0080\\u009b31m\u{a0}\\u2028\\u2029\""),
    ])
  func rendering(_ value: PluginValue, _ json: String) {
    #expect(value.json == json)
  }

  @Test(
    "texts are equal if they have the same values, members and digits, in the same order",
    arguments: [
      (#"{"a":1,"b":2}"#, #"{"a":1}"#), (#"{"a":1}"#, #"{"b":1}"#), (#"{"a":1}"#, #"{"a":2}"#),
      (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#), ("[1,2]", "[1]"), ("1", "1.0"), ("1", #""1""#), ("true", "false"),
    ])
  func equality(_ one: String, _ other: String) throws {
    let (one, other) = (try JSONText(parsing: Array(one.utf8)), try JSONText(parsing: Array(other.utf8)))
    #expect(one == one && other == other)
    #expect(one != other && other != one)
  }

  @Test(
    "a value with quotes and brackets in its texts is skipped to its end",
    arguments: [
      #""a\"b""#, #""\\""#, #"["]", {"x": "}\"]", "y": [[], {}]}]"#, "-1.5e+3", "true", "null", "{}",
    ])
  func skipping(_ skipped: String) throws {
    var scanner = JSONScanner(Array("[\(skipped), 7]".utf8))
    var place = try scanner.beginArray()
    let isFirst = try scanner.element(&place)
    try scanner.skip()
    let isSecond = try scanner.element(&place)
    let second = try scanner.number()
    let isThird = try scanner.element(&place)
    #expect(isFirst && isSecond && second == "7" && !isThird)
  }

  @Test("a text that has no end is not skipped", arguments: [#"["a"#, #"["a\"#, #"["\"#, #"[""#])
  func unended(_ json: String) throws {
    var scanner = JSONScanner(Array(json.utf8))
    var place = try scanner.beginArray()
    _ = try scanner.element(&place)
    #expect(throws: JSONError.self) { try scanner.skip() }
  }

  @Test(
    "bytes are base64, padded",
    arguments: [
      ([UInt8](), ""), (Array("f".utf8), "Zg=="), (Array("fo".utf8), "Zm8="), (Array("foo".utf8), "Zm9v"),
      (Array("foob".utf8), "Zm9vYg=="),
      (Array("fooba".utf8), "Zm9vYmE="), (Array("foobar".utf8), "Zm9vYmFy"), ([0xFF, 0xFE, 0xFD, 0x00], "//79AA=="),
    ])
  func base64(_ bytes: [UInt8], _ text: String) {
    #expect(PluginValue.bytes(bytes).json == "\"\(text)\"")
  }
}
