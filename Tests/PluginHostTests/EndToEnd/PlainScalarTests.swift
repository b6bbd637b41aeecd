import Testing

extension EndToEnd {
  /// Scalars without quotes where any value is taken: by the core schema of YAML 1.2.
  @Suite struct PlainScalarTests {
    @Test(arguments: [
      ("0.0, 9.0, 1e1, 0e0", "[0.0,9.0,10.0,0.0]"), ("7, -7, 18446744073709551615", "[7,-7,18446744073709551615]"),
      ("true, True, FALSE, false", "[true,true,false,false]"), ("~, null, Null", "[null,null,null]"),
      ("0o17, 0o1777777777777777777777, 0o8, 0x1F", #"[15,18446744073709551615,"0o8",31]"#),
      ("-0x10, 0XFF, +0x10, 0x1p4, 0x-1, 0o-1", #"["-0x10","0XFF","+0x10","0x1p4","0x-1","0o-1"]"#),
      ("nan(1), 1_000, 1e, .e1, +7, 007, 1., .5, -1.E+2", #"["nan(1)","1_000","1e",".e1",7,7,1.0,0.5,-100.0]"#),
      (".inf, -.INF, +.Inf, .nan, inf.", #"["Infinity","-Infinity","Infinity","NaN","inf."]"#),
      ("inf, nan, x, yes, '1', \"true\"", #"["inf","nan","x","yes","1","true"]"#),
    ])
    func haveTheirTypes(list: String, json: String) throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps:\n  a: {call: kinds.anything, with: {x: [\(list)]}}\n")
      let ending = try HostProcess.run("run", file.path)
      #expect(ending.text == json + "\n", "\(ending.errors)")
    }

    @Test(
      "a value is the same by itself as in a list",
      arguments: [
        ("5", "5"), ("'5'", #""5""#), ("word", #""word""#), ("'a b'", #""a b""#), ("True", "true"),
        ("'true'", #""true""#),
        ("!!str 5", #""5""#), ("${n}", "7"), ("'${n}'", #""7""#), ("${list}", "[1]"), ("'${list}'", #""[1]""#),
        ("'<${steps.s}>'", #""<x>""#), ("'[2]'", #""[2]""#),
      ])
    func alone(value: String, json: String) throws {
      for (written, expected) in [(value, json), ("\n        - \(value)", "[\(json)]")] {
        let file = try PipelineFile(
          """
          plugins: [kinds]
          set: {n: 7, list: '[1]'}
          steps:
            s: {call: kinds.text, with: {x: x}}
            a:
              call: kinds.anything
              with:
                x: \(written.replacing("\n  ", with: "\n          "))
          """)
        let ending = try HostProcess.run("run", file.path)
        #expect(ending.text == expected + "\n", "\(written): \(ending.errors)")
      }
    }

    @Test(
      "a tag of the core schema decides the type",
      arguments: [
        ("!!str null, !!str 5, ! 5, !!str true", #"["null","5","5","true"]"#),
        ("!!int '5', !!int 0x10, !!float 5, !!float '1e1'", "[5,16,5.0,10.0]"),
        ("!!float .inf, !!float '-.inf', !!int '0o17'", #"["Infinity","-Infinity",15]"#),
        ("!!bool 'True', !!null '', !!null 'null', !!seq [1], !!map {a: 1}", #"[true,null,null,[1],{"a":1}]"#),
      ])
    func tagged(list: String, json: String) throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps:\n  a: {call: kinds.anything, with: {x: [\(list)]}}\n")
      let ending = try HostProcess.run("run", file.path)
      #expect(ending.text == json + "\n", "\(ending.errors)")
    }

    @Test(
      "content that does not suit its tag is a mistake",
      arguments: [
        ("!!int abc", "int", "the text \"abc\""), ("!!int '${n}'", "int", "the text \"${n}\""),
        ("!!bool yes", "bool", "the text \"yes\""), ("!!null 1", "null", "the text \"1\""),
        ("!!float x", "float", "the text \"x\""), ("!!str [a]", "str", "a list"), ("!!seq {a: 1}", "seq", "a mapping"),
        ("!!map [1]", "map", "a list"),
      ])
    func mistagged(value: String, tag: String, kind: String) throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps:\n  a: {call: kinds.anything, with: {x: \(value)}}\n")
      let ending = try HostProcess.run("run", file.path)
      #expect(
        ending.errors.contains("p.yaml:3:39: error: the tag !!\(tag) does not suit this: it is \(kind)\n"),
        "\(ending.errors)")
      #expect(ending.status == 64)
    }

    @Test(
      "U+FFFF in a text is that character",
      arguments: ["text, with: {x: \"\\uFFFFA\"}", "text, with: {x: \"\\uFFFF\\u00E9\"}"])
    func marks(call: String) throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps: {a: {call: kinds.\(call)}}\n")
      let character = call.contains("E9") ? "\u{E9}" : "A"
      #expect(try HostProcess.run("run", file.path).text == "\"\u{FFFF}\(character)\"\n")
    }

    @Test func aTextWithATagIsPresent() throws {
      let file = try PipelineFile(
        "plugins: [kinds]\nset: {x: !!str null}\nsteps: {a: {call: kinds.text, with: {x: \"${x}\"}}}\n")
      #expect(try HostProcess.run("run", file.path).text == "\"null\"\n")
    }

    @Test(arguments: [
      ("anything, with: {x: [1e400]}", "\"x[0]\" is \"1e400\", expected a number that an f64 can hold"),
      ("anything, with: {x: {a: 99999999999999999999}}", "\"x.a\" is \"99999999999999999999\", expected a number"),
      ("number, with: {x: 9007199254740993}", "\"x\" is \"9007199254740993\", expected a number"),
    ])
    func aNumberIsNotRounded(call: String, message: String) throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps:\n  a: {call: kinds.\(call)}\n")
      let ending = try HostProcess.run("run", file.path)
      #expect(ending.errors.contains(message) && ending.status == 64, "\(ending.errors)\(ending.text)")
    }
  }
}
