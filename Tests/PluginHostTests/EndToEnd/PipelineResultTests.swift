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
