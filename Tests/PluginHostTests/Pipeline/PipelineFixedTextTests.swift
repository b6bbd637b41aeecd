import Testing

@testable import plugin_host

/// Names, numbers and paths, in which `${...}` does not stand for a value.
@Suite struct PipelineFixedTextTests {
  private func readingMistakes(_ text: String) -> [String] {
    mistakes { _ = try PipelineReader.read(source(text)) }
  }

  @Test(
    "a variable where it has no value is a mistake that says so",
    arguments: [
      ("  a: {call: \"p.${x}\"}", "4:13", "\"call\""),
      ("  a: {call: p.f, timeout: \"${x}\"}", "4:27", "\"timeout\""),
      ("  a: {call: p.f, each: [1], limit: \"${x}\"}", "4:36", "\"limit\""),
      ("  a: {call: p.f, retry: \"${x}\"}", "4:25", "\"retry\""),
      ("  a: {call: p.f, retry: {times: 1, delay: \"${x}\"}}", "4:43", "\"delay\""),
      ("  a: {call: p.f, serial: \"${x}\"}", "4:26", "\"serial\""),
      ("  a: {call: p.f, after: \"${x}\"}", "4:25", "\"after\""),
      ("  a: {call: p.f, with: {y: {step: b, get: \"${x}\"}}}", "4:43", "\"get\""),
      ("  a: {call: p.f}\nplugins: [\"./${x}\"]", "5:11", "a plugin's name"),
      ("  a: {call: p.f}\nplugins: [{plugin: k, capabilities: [\"read=${x}\"]}]", "5:38", "a capability"),
      ("  a: {call: p.f}\nplugins: []\ninclude: {i: {file: \"${x}\"}}", "6:21", "the file of the include \"i\""),
      ("  a: {call: p.f}\nplugins: []\nsecrets: {s: {env: \"${x}\"}}", "6:20", "\"env\""),
      ("  a: {call: p.f}\nplugins: []\nsecrets: {s: {file: \"${x}\"}}", "6:21", "\"file\""),
      ("  a: {call: p.f}\nplugins: []\nresult: \"${x}\"", "6:9", "the result's step"),
    ])
  func variable(step: String, place: String, what: String) {
    let list = step.contains("plugins:") ? "" : "\nplugins: []"
    #expect(
      readingMistakes("set:\n  x: 1\nsteps:\n\(step)\(list)\n") == [
        "\(place): \(what) cannot have \"${x}\" in it: variables and results have values in \"with\", and in the values "
          + "of \"each\", \"rescue\", \"set\" and \"config\""
      ])
  }

  @Test("a dollar sign, and a list of arbitrary names, are texts")
  func texts() {
    #expect(
      readingMistakes("plugins: [./a$b]\nsteps:\n  a: {call: p.f, with: {y: {step: b, get: [\"${x}\"]}}}\n") == [])
  }

  @Test("a text without quotes that YAML cannot read says that it needs them", arguments: ["{a: ${x}}", "[${x}]"])
  func quotes(value: String) {
    let found = readingMistakes("plugins: []\nsteps:\n  a: {call: p.f, with: \(value)}\n")
    #expect(found.count == 1)
    #expect(
      found.allSatisfy { $0.hasSuffix("; a text with \"${...}\" must stand in quotes within braces and brackets") },
      "\(found)")
  }
}
