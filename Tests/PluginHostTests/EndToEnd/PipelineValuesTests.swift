import Foundation
import Testing

extension EndToEnd {
  /// Parts of results, lists and mappings, in pipelines that run.
  @Suite struct PipelineValuesTests {
    private func run(_ steps: String, result: String, options: String...) throws -> HostProcess.Ending {
      let file = try PipelineFile("plugins: [kinds]\nset: {v: seven}\nsteps:\n\(steps)\nresult: \(result)\n")
      return try HostProcess.run(["run", "--progress", "off"] + options + [file.path])
    }

    private let nested = """
        a:
          call: kinds.anything
          with:
            x:
              rows: [{name: one, size: 1.5}, {name: two, size: 2, ok: yes, none: ~}]
              "odd.key": [true, "true", -3, 0x10, "${v}"]
      """

    @Test func listsAndMappingsAreArguments() throws {
      let ending = try run(nested, result: "a")
      #expect(
        ending.text
          == #"{"rows":[{"name":"one","size":1.5},{"name":"two","size":2,"ok":"yes","none":null}],"#
          + #""odd.key":[true,"true",-3,16,"seven"]}"# + "\n")
      #expect(ending.errors == "")
    }

    @Test("bytes are a part of a text in UTF-8, or in Base64 within a value; others are refused by their names")
    func bytesInTexts() throws {
      let file = TemporaryPath()
      try Data([0xff, 0x00]).write(to: file.url)
      let steps = """
          bad: {call: kinds.blob, with: {x: "@\(file.path)"}}
          good: {call: kinds.blob, with: {x: hé}}
          all: {call: kinds.anything, with: {x: {bad: {step: bad}, good: {step: good}}}}
          seen: {call: kinds.text, with: {x: "<${steps.good}${steps.all.good}${steps.all}>"}}
        """
      let ending = try run(steps, result: "seen")
      #expect(ending.text == #""<héhé{\"bad\":\"/wA=\",\"good\":\"aMOp\"}>""# + "\n", "\(ending.errors)")
      for name in ["steps.bad", "steps.all.bad"] {
        let refused = try run(steps + "\n  last: {call: kinds.text, with: {x: \"${v}, ${\(name)}\"}}", result: "last")
        #expect(
          refused.errors
            == "plugin-host: last: ${\(name)}: bytes that are not UTF-8 cannot be a part of a text; pass them alone\n")
      }
      let element = steps + "\n  last: {call: kinds.text, each: [{step: bad}], with: {x: \"- ${item}\"}}"
      #expect(try run(element, result: "last").errors.hasPrefix("plugin-host: last: [0]: ${item}: bytes that are"))
    }

    @Test("a list of names is the union of flags")
    func listsOfFlags() throws {
      let adopted = try PipelineFile(
        """
        id: org.example.numbers
        library: libc.so.6
        functions:
          - 'abs(number: i32 flags {READ = 1, WRITE = 2, ALL = 7}) -> i32'
        """)
      let steps = "{a: {call: numbers.abs, with: {number: [READ, WRITE, 8]}}}"
      let file = try PipelineFile("plugins: [numbers]\nsteps: \(steps)\n")
      let path = file.folder.appending(path: "numbers.adopt.yaml").path
      try FileManager.default.copyItem(atPath: adopted.path, toPath: path)
      let ending = try HostProcess.run("run", "--progress", "off", "--plugins", path, file.path)
      #expect(ending.text == "11\n" && ending.errors == "", "\(ending)")
    }

    @Test func partsOfResultsAreArguments() throws {
      let steps =
        nested + """

            b: {call: kinds.number, with: {x: {step: a, get: "rows[-1].size"}}}
            c: {call: kinds.text, with: {x: "${steps.a.rows.0.name}: ${steps.a.rows[1].size}, ${steps.a.rows[0]}"}}
            d: {call: kinds.flip, with: {x: "${steps.a.rows[1].ok}"}, rescue: {value: false}}
            e: {call: kinds.total, with: {xs: [1, {step: b}, "${steps.f.y}"]}}
            f: {call: kinds.mixed, with: {x: 0.1, y: 4}}
            g: {call: kinds.anything, with: {x: {step: a, get: [odd.key, 3]}}}
            h: {call: kinds.text, with: {x: '{"n": [5]}'}}
            i: {call: kinds.whole, with: {x: {step: h, get: n.0}}}
            j: {call: kinds.whole, with: {x: "${steps.h.n.0}"}}
          """
      let ending = try run(
        steps,
        result: "{b: b, c: c, d: d, e: e, f: {step: f, get: x}, all: f, g: g, i: i, j: j, out: {step: f, get: y}}")
      #expect(
        ending.text
          == #"{"b":2.0,"c":"one: 2, {\"name\":\"one\",\"size\":1.5}","d":false,"e":7.0,"f":0.1,"#
          + #""all":{"x":0.1,"y":4.0},"g":16,"i":5,"j":5,"out":4.0}"# + "\n")
      #expect(ending.errors == "")
    }

    @Test("a mapping with other keys than those of a reference is a value")
    func mappingsLikeReferences() throws {
      let steps = """
          a: {call: kinds.anything, with: {x: {from: 0, to: 9, step: 3}}}
          b: {call: kinds.anything, with: {x: [{stop: 5}, {steps: "5"}, {step: a}]}}
        """
      let ending = try run(steps, result: "b")
      #expect(
        ending.text == #"[{"stop":5},{"steps":"5"},{"from":0,"to":9,"step":3}]"# + "\n" && ending.errors == "",
        "\(ending)")
    }

    @Test(
      "a mapping that names a step with a wrong key is reported",
      arguments: [
        ("{stpe: a}", "no key \"stpe\"; did you mean \"step\"?\n"),
        ("{step: a, gte: x}", "no key \"gte\"; did you mean \"get\"?\n"),
        ("[{path: x, step: a}]", "no key \"path\"\n"),
      ])
    func misspelledReferences(value: String, message: String) throws {
      let ending = try run("  a: {call: kinds.tiny}\n  b: {call: kinds.anything, with: {x: \(value)}}", result: "b")
      #expect(ending.status == 64 && ending.errors.contains("error: a reference to a step has \(message)"), "\(ending)")
    }

    @Test("lists and objects are equal if the values in them are, with numbers of any type")
    func equality() throws {
      let steps = """
          a: {call: kinds.anything, with: {x: [{n: 1}, [2]]}}
          n: {call: kinds.number, with: {x: 1}}
          b: {call: kinds.anything, with: {x: [{n: {step: n}}, [2]]}}
          c: {call: kinds.tiny, with: {x: 1}, when: steps.a == steps.b}
          d: {call: kinds.tiny, with: {x: 2}, when: "steps.a[0] == steps.a[1] or steps.a[1] == steps.b"}
          e: {call: kinds.tiny, with: {x: 3}, when: steps.a != steps.b}
        """
      let ending = try run(steps, result: "[b, c, d, e]")
      #expect(ending.text == #"{"b":[{"n":1.0},[2]],"c":1,"d":null,"e":null}"# + "\n", "\(ending)")
    }

    @Test("numbers of JSON that no value holds are elements as they are written")
    func largeNumbers() throws {
      let steps = """
          a: {call: kinds.text, with: {x: "[1e400, 36893488147419103233, 1]"}}
          b: {call: kinds.text, each: "${steps.a}", with: {x: "${item}"}}
        """
      let ending = try run(steps, result: "b")
      #expect(ending.text == #"["1e400","36893488147419103233","1"]"# + "\n", "\(ending)")
    }

    @Test func severalResultsAreAnObject() throws {
      let steps = "  a: {call: kinds.tiny}\n  b: {call: kinds.blob, with: {x: hi}}\n  c: {call: kinds.nothing}"
      #expect(try run(steps, result: "[b, a, c]").text == #"{"b":"aGk=","a":-3,"c":null}"# + "\n")
      #expect(try run(steps, result: "b", options: "--raw").text == "hi")
      #expect(try run(steps, result: "{step: b, get: 1}").text == "105\n")
    }

    @Test func aPartThatIsMissingRejectsTheStep() throws {
      let steps = nested + "\n  b: {call: kinds.whole, with: {x: {step: a, get: rows.2.size}}}"
      let ending = try run(steps, result: "b")
      #expect(ending.errors == "plugin-host: b: \"rows\" of the result has 2 elements, and none at 2\n")
      #expect(ending.status == 1)
      let result = try run(nested, result: "{step: a, get: rosw}")
      #expect(result.errors == "plugin-host: the result: the result has no member \"rosw\"; did you mean \"rows\"?\n")
      #expect(result.text == "")
      #expect(result.status == 1)
    }

    @Test func filesAreNamedByResults() throws {
      let file = TemporaryPath()
      try Data("content".utf8).write(to: file.url)
      let steps = """
          a: {call: kinds.anything, with: {x: {path: "\(file.path)"}}}
          b: {call: kinds.text, with: {x: "@${steps.a.path}"}}
          c: {call: kinds.anything, with: {x: ["@${steps.a.path}", "\\\\@x"]}}
        """
      #expect(try run(steps, result: "[b, c]").text == #"{"b":"content","c":[{"base64":"Y29udGVudA=="},"@x"]}"# + "\n")
    }
  }
}
