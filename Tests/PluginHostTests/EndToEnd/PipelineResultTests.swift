import Foundation
import Testing

extension EndToEnd {
  /// The results that a pipeline writes, and secrets in them.
  @Suite struct PipelineResultTests {
    private func run(
      _ text: String, _ options: String..., environment: [String: String] = [:]
    ) throws -> HostProcess.Ending {
      let file = try PipelineFile("plugins: [kinds]\n\(text)\n")
      return try HostProcess.run(["run"] + options + [file.path], environment: environment)
    }

    @Test("texts and conditions have an f32 with its own digits; as an argument it is the same number")
    func digits() throws {
      let ending = try run(
        """
        steps:
          a: {call: kinds.small, with: {x: 0.1}}
          m: {call: kinds.mixed, with: {x: 0.1, y: 0.1}}
          s: {call: kinds.split, with: {x: 0.2}}
          text: {call: kinds.text, with: {x: "${steps.a}, ${steps.m}, ${steps.s.half}"}}
          whole: {call: kinds.text, with: {x: "${steps.a}"}}
          is: {call: kinds.tiny, with: {x: 1}, when: steps.a == 0.1 and steps.m.x == steps.a and steps.s.half <= 0.1}
          number: {call: kinds.number, with: {x: "${steps.a}"}}
          small: {call: kinds.small, with: {x: {step: a}}}
          each: {call: kinds.text, each: ["${steps.a}", "${steps.m}"], with: {x: "${index}: ${item}"}}
          more: {call: kinds.small, each: [0.1, 0.25], with: {x: "${item}"}}
          list: {call: kinds.text, each: {step: more}, with: {x: "<${item}>"}}
        result: [text, whole, is, number, small, each, list]
        """, "--progress", "off")
      let text = #"0.1, {\"x\":0.1,\"y\":0.1}, 0.1"#
      let each = #"["0: 0.1","1: {\"x\":0.1,\"y\":0.1}"]"#
      #expect(
        ending.text == "{\"text\":\"\(text)\",\"whole\":\"0.1\",\"is\":1,\"number\":0.10000000149011612,"
          + "\"small\":0.1,\"each\":\(each),\"list\":[\"<0.1>\",\"<0.25>\"]}\n", "\(ending)")
    }

    @Test("events and arguments of expressions have an f32 with its own digits")
    func digitsOfCallbacks() throws {
      let folder = try TemporaryFolder()
      try folder.write("int visit(float x, int (*f)(float)) { return f(x); }", to: "v.c")
      try Package.run("cc", ["-shared", "-fPIC", "-o", folder.path("v.so"), folder.path("v.c")])
      try folder.write(
        "library: ./v.so\nfunctions: ['visit(x: f32, f: fn(value: f32) -> i32) -> i32']\n", to: "v.adopt.yaml")
      try folder.write(
        """
        plugins: [./v.adopt.yaml, kinds]
        steps:
          a: {call: kinds.small, with: {x: 0.1}}
          is: {call: v.visit, with: {x: 0.1, f: {expression: "value == 0.1 and value == ${steps.a}"}}}
          rows: {call: v.visit, with: {x: 0.1, f: {stream: 1, returns: 2}}}
          taken: {call: kinds.text, each: {stream: rows}, with: {x: "<${item}>"}}
        result: [is, rows, taken]
        """, to: "p.yaml")
      let ending = try HostProcess.run("run", "--progress", "off", folder.path("p.yaml"))
      #expect(ending.text == "{\"is\":1,\"rows\":2,\"taken\":[\"<0.1>\"]}\n", "\(ending)")
    }

    @Test func aStepIsOnceInTheResult() throws {
      let ending = try run("steps: {a: {call: kinds.tiny}}\nresult: [a, a]")
      #expect(ending.errors.contains("p.yaml:3:13: error: \"a\" is twice in \"result\""), "\(ending.errors)")
      #expect(ending.status == 64)
    }

    @Test("a mapping with other keys than step and get has results by names")
    func names() throws {
      let steps = "steps: {a: {call: kinds.tiny}, b: {call: kinds.text}}\nresult: "
      #expect(try run(steps + "{stpe: a}").text == "{\"stpe\":-3}\n")
      #expect(try run(steps + "{step: a, gte: b}").text == "{\"step\":-3,\"gte\":\"none\"}\n")
    }

    @Test("no part of a secret is in the error of a result that the function does not take")
    func secretsInResults() throws {
      let folder = try TemporaryFolder()
      try folder.write(
        "library: libc.so.6\nconstants: {ONE: 1}\nfunctions: ['llabs(x: i64) -> i64']\n", to: "c.adopt.yaml")
      try folder.write(
        """
        plugins: [kinds, ./c.adopt.yaml]
        secrets: {s: {env: SECRET}}
        steps:
          a: {call: kinds.anything, with: {x: "${s}"}}
          b: {call: c.llabs, with: {x: {step: a}}}
        """, to: "p.yaml")
      let secret = "7" + String(repeating: "0123456789abcdef", count: 4)
      let ending = try HostProcess.run(
        "run", "--progress", "off", folder.path("p.yaml"), environment: ["SECRET": secret])
      #expect(ending.status == 1 && ending.errors.contains("a text with a secret in it, expected"), "\(ending)")
      #expect(!ending.errors.contains("0123"), "\(ending)")
    }

    @Test("a part of a skipped step is null, as its whole result is")
    func partsOfSkippedSteps() throws {
      let steps = "steps: {a: {call: kinds.anything, with: {x: {x: 1}}, when: 0 > 1}, b: {call: kinds.tiny}}\nresult: "
      #expect(try run(steps + "{ax: {step: a, get: x}, a: a, b: b}").text == #"{"ax":null,"a":null,"b":-3}"# + "\n")
      #expect(try run(steps + "{step: a, get: x}").text == "null\n")
      let missing = try run("steps: {a: {call: kinds.anything, with: {x: null}}}\nresult: {step: a, get: x}")
      #expect(missing.errors.contains("the result is null, which has no part \"x\""), "\(missing.errors)")
    }

    @Test("a secret is hidden in the names of a graph")
    func secretsInGraphs() throws {
      let text = "secrets: {s: {env: SECRET}}\nsteps: {fix: {call: kinds.text}}"
      let ending = try run(text, "--graph", "dot", environment: ["SECRET": "kinds"])
      #expect(ending.status == 0 && ending.text.contains(#"label="fix\n***.text""#), "\(ending)")
    }

    @Test("a secret is hidden in JSON within JSON", arguments: ["open\"sesame", "open\\sesame", "open\tsesame"])
    func secretsInNestedJSON(secret: String) throws {
      let ending = try run(
        """
        secrets: {s: {env: SECRET}}
        steps:
          z: {call: kinds.text, with: {x: "${s}"}}
          a: {call: kinds.anything, with: {x: [{step: z}]}}
          b: {call: kinds.text, with: {x: "${steps.a}"}}
          c: {call: kinds.anything, with: {x: [{step: b}]}}
          d: {call: kinds.text, with: {x: "${steps.c}"}}
          e: {call: kinds.anything, with: {x: {k: {step: d}}}}
        """, environment: ["SECRET": secret])
      #expect(!ending.errors.contains("sesame") && !ending.text.contains("sesame"), "\(ending)")
      #expect(ending.errors.contains("e: fulfilled"))
    }
  }
}
