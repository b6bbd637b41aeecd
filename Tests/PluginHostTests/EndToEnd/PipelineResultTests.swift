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
