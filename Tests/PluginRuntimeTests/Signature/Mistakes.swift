import PluginRuntime
import Testing

@Suite("Signatures: mistakes")
struct Mistakes {
  @Test(
    "a mistake is named with its column, the text found and the text expected",
    arguments: [
      ("", 1, "the end of the signature", "function's name"),
      ("1f()", 1, "'1f'", "function's name"),
      ("f-g()", 2, "'-g'", "'('"),
      ("f", 2, "the end of the signature", "'('"),
      ("f(", 3, "the end of the signature", "parameter's name or ')'"),
      ("f(a)", 4, "')'", "':'"),
      ("f(a:)", 5, "')'", "a type"),
      ("f(a: int)", 6, "'int'", "a type (bool, i8"),
      ("f(a: i32", 9, "the end of the signature", "'=', ',' or ')'"),
      ("f(a: i32,)", 10, "')'", "parameter's name"),
      ("f(a: i32 b: i32)", 10, "'b'", "'=', ',' or ')'"),
      ("f(a: i32, a: i32)", 11, "a second parameter 'a'", "another name"),
      ("f(é: i32)", 3, "'é'", "letters of ASCII"),
      ("f(a: own i32)", 10, "'i32'", "'str' or 'bytes'"),
      ("f(a: own)", 9, "')'", "'str' or 'bytes'"),
      ("f(a: promise)", 13, "')'", "'<'"),
      ("f(a: promise<promise<i32>>)", 14, "'promise'", "the type of the promise's value"),
      ("f(a: promise<own str>)", 14, "'own'", "the type of the promise's value"),
      ("f(a: promise<i32)", 17, "')'", "'>'"),
      ("f(a: void)", 6, "'void'", "a type"),
      ("f() -> ", 8, "the end of the signature", "a type"),
      ("f() - i32", 5, "'-'", "'->', '!'"),
      ("f() -> i32 ? ?", 14, "'?'", "'!' or the end"),
      ("f() ! !", 7, "'!'", "the end of the signature"),
      ("f() -> i32 i64", 12, "'i64'", "'!' or the end"),
      ("f(a: const i32)", 15, "')'", "'=' and the value of the constant"),
      (#"f(a: const bytes = "x")"#, 12, "'const bytes'", "a scalar, a cstr or a ptr<Name>?"),
      ("f(a: i32, ..., b: const u8 = 1)", 25, "'const u8'", "as C promotes it"),
      ("f(..., a: i32)", 3, "'...'", "a parameter before it"),
      ("f(a: i32, ..., b: i8)", 19, "'i8'", "i32 or wider"),
      ("f(a: i32, ..., b: i32, ...: i32)", 24, "a second '...'", "a parameter"),
      ("f(a: i32, ..., b: i32) !", 24, "'!' of a variadic function", "another rule"),
      ("f(a: i32, ..., b: i32) -> i32 ! gerror", 31, "'! gerror' of a variadic function", "another rule"),
      ("f(a: i32, ..., b: i32) -> value", 27, "'value', the result of a variadic function", "that C returns"),
    ])
  func grammar(_ text: String, _ column: Int, _ found: String, _ expected: String) {
    expectMistake(text, column, found, expected)
  }

  @Test(
    "a default that its type does not have is a mistake",
    arguments: [
      ("f(a: i8 = 128)", 11, "'128'", "from -128 to 127"),
      ("f(a: u8 = -1)", 11, "'-1'", "from 0 to 255"),
      ("f(a: u64 = 18446744073709551616)", 12, "'18446744073709551616'", "to 18446744073709551615"),
      ("f(a: i32 = 1.5)", 12, "'1.5'", "an integer"),
      ("f(a: i32 = 0x1F)", 12, "'0x1F'", "an integer"),
      ("f(a: i32 = 007)", 12, "'007'", "an integer"),
      ("f(a: i32 = \"1\")", 12, "a string", "an integer"),
      ("f(a: i32 = )", 12, "')'", "an integer"),
      ("f(a: f64 = 1e999)", 12, "'1e999'", "f64 can hold"),
      ("f(a: f32 = 1e39)", 12, "'1e39'", "f32 can hold"),
      ("f(a: f64 = nan)", 12, "'nan'", "a number"),
      ("f(a: f64 = .5)", 12, "'.5'", "a number"),
      ("f(a: f64 = 1.2.3)", 12, "'1.2.3'", "a number"),
      ("f(a: bool = 1)", 13, "'1'", "true or false"),
      ("f(a: str = x)", 12, "'x'", "a \"string\""),
      ("f(a: promise<i32> = 1)", 21, "'1'", "no default"),
      (#"f(a: str = "x)"#, 15, "the end of the signature", "begins at column 12"),
      (#"f(a: str = "\x")"#, 13, #"'\x'"#, "an escape of JSON"),
      (#"f(a: str = "\u12g4")"#, 13, #"'\u12g4'"#, "four hexadecimal digits"),
      (#"f(a: str = "\ud800")"#, 13, "half of a surrogate pair", "both halves"),
      (#"f(a: str = "\udc00x")"#, 13, "half of a surrogate pair", "both halves"),
      ("f(a: str = \"\u{1}\")", 13, "the control character U+0001", #"\u0001"#),
      (#"f(a: cstr = "a\u0000b")"#, 13, "a string with a NUL", "would end there"),
    ])
  func defaults(_ text: String, _ column: Int, _ found: String, _ expected: String) {
    expectMistake(text, column, found, expected)
  }

  @Test("description shows the text with a caret under the mistake")
  func caret() {
    let error = #expect(throws: SignatureError.self) { try Signature(parsing: "f(a:\tint)") }
    #expect(
      error?.description.hasSuffix(
        """

          f(a: int)
               ^
        """) == true)
    #expect(error?.description.hasPrefix("column 6: found 'int', expected a type (") == true)
  }
}
