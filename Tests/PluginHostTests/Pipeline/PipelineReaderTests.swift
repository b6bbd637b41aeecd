import PluginRuntime
import Testing

@testable import plugin_host

@Suite struct PipelineReaderTests {
  private func readingMistakes(_ text: String) -> [String] {
    mistakes { _ = try PipelineReader.read(source(text)) }
  }

  @Test func aByteOrderMarkMayBegin() throws {
    let pipeline = try PipelineReader.read(source("\u{FEFF}plugins: [deflate]\nsteps: {a: {call: deflate.compress}}"))
    #expect(pipeline.plugins.map(\.value) == ["deflate"])
    #expect(readingMistakes("\u{FEFF}what: 1").contains { $0.hasPrefix("1:1: ") })
  }

  @Test(
    "a plugin has one place, and the same capabilities wherever it is listed",
    arguments: [
      ("{plugin: k, isolation: process}, {plugin: k, isolation: in-process}", true),
      ("{plugin: k, isolation: in-process}, {plugin: k, capabilities: []}", true),
      ("{plugin: k, isolation: process, pool: 2}, {plugin: k, isolation: process}", true),
      ("{plugin: k, capabilities: [network]}, {plugin: k, capabilities: []}", true),
      ("{plugin: k, isolation: process}, k", true), ("         k, {plugin: k, isolation: process}", true),
      ("k, k, {plugin: k}, {plugin: j, isolation: thread}", false),
      ("{plugin: k, capabilities: [network]}, {plugin: k, capabilities: [network]}", false),
    ])
  func oneSetting(list: String, isMistake: Bool) throws {
    let text = "plugins: [\n  \(list)]\nsteps: {a: {call: k.f}}"
    let found = readingMistakes(text)
    #expect(found.count == (isMistake ? 1 : 0), "\(found)")
    #expect(
      found.allSatisfy { $0.hasPrefix("2:") && $0.hasSuffix("listed before, \"k\" at p.yaml:2:12") },
      "\(found)")
  }

  @Test func aListAsAKeyIsReportedOnce() {
    let found = readingMistakes("plugins: [k]\nsteps: {a: {call: k.f, with: {v: {? [a, b] : c}}}}")
    #expect(found == ["2:37: a key must be a word; this is a list"])
  }

  @Test func readsEverything() throws {
    let pipeline = try PipelineReader.read(
      source(
        """
        plugins: [deflate, ./x/digest.so]
        set: {input: "", level: 9, must: ~}
        config:
          digest: {threads: "${level}"}
        steps:
          packed:
            call: deflate.compress
            with: {data: "@${input}", level: 9, note: '\\@x'}
            timeout: 0.5
          sum:
            call: org.example.digest.sha256
            with: {data: {step: packed}, more: "@-"}
            after: packed
            rescue: {value: "${input}"}
          last:
            call: digest.sha256
            after: [packed, sum]
            rescue:
              call: digest.md5
              with: {data: {step: packed}}
              timeout: 3
        result: sum
        """))
    #expect(pipeline.plugins.map(\.value) == ["deflate", "./x/digest.so"])
    #expect(pipeline.variables.map(\.name.value) == ["input", "level", "must"])
    #expect(pipeline.variables.map { $0.initial?.value.expanded(with: [:]) } == ["", "9", nil])
    #expect(pipeline.configuration.map(\.key) == ["threads"])
    #expect(pipeline.steps.map(\.name.value) == ["packed", "sum", "last"])
    #expect(pipeline.steps[0].call.timeout == 0.5)
    #expect(pipeline.steps[0].name.location == Location(line: 6, column: 3))
    #expect(pipeline.steps[1].call.plugin.value == "org.example.digest")
    #expect(pipeline.steps[1].call.function.value == "sha256")
    #expect(pipeline.steps[1].call.references.map(\.value) == ["packed"])
    #expect(pipeline.steps[2].after.map(\.value) == ["packed", "sum"])
    guard case .one(let result) = pipeline.result else {
      Issue.record("\(pipeline)")
      return
    }
    #expect(result.value == ResultReference(step: "sum"))
    let inputs = pipeline.steps[0].call.arguments.map(\.value.value)
    guard case .file(let path) = inputs[0], case .text(let level, true) = inputs[1],
      case .text(let note, false) = inputs[2]
    else {
      Issue.record("\(inputs)")
      return
    }
    #expect(path.expanded(with: ["input": "-"]) == "-")
    #expect(level.expanded(with: [:]) == "9")
    #expect(note.expanded(with: [:]) == "@x")
    guard case .standardInput = pipeline.steps[1].call.arguments[1].value.value,
      case .call(let rescue) = pipeline.steps[2].rescue
    else {
      Issue.record("\(pipeline.steps)")
      return
    }
    #expect(rescue.timeout == 3)
  }

  /// Returns a pipeline with the anchor `first`, and `levels` anchors that each repeat the one before `times` times.
  private func anchors(_ first: String, levels: Int, times: Int) -> String {
    let names = (0...levels).map { "a\($0)" }
    let lists = zip(names, names.dropFirst()).map { lower, name in
      "  \(name): {call: p.f, with: {x: &\(name) [\(Array(repeating: "*\(lower)", count: times).joined(separator: ","))]}}"
    }
    return "plugins: []\nsteps:\n  a0: {call: p.f, with: {x: &a0 \(first)}}\n" + lists.joined(separator: "\n")
  }

  @Test("aliases repeat a bounded number of values and bytes, and the mistake is at the alias beyond it")
  func aliasesAreBounded() {
    let limit = "expected at most 100000 values and 16777216 bytes of text"
    #expect(readingMistakes(anchors("1", levels: 4, times: 10)) == [])
    #expect(
      readingMistakes(anchors("1", levels: 5, times: 10)) == [
        "8:62: with \"*a4\", the aliases of this file repeat 101228 values and 91110 bytes of text, \(limit)"
      ])
    let long = String(repeating: "x", count: 1 << 20)
    #expect(readingMistakes(anchors(long, levels: 1, times: 16)) == [])
    #expect(
      readingMistakes(anchors(long, levels: 1, times: 17)) == [
        "4:98: with \"*a0\", the aliases of this file repeat 17 values and 17825792 bytes of text, \(limit)"
      ])
  }

  @Test("the levels within an alias count as those of the file")
  func aliasesAreNotDeeper() {
    // Each list is in a step's call, four levels below the root.
    #expect(readingMistakes(anchors("1", levels: 95, times: 1)) == [])
    #expect(
      readingMistakes(anchors("1", levels: 97, times: 1)) == ["99:36: not YAML: nested deeper than 100 levels"])
  }

  @Test(arguments: [
    ("", ["1:1: the file is empty"]),
    ("[a]", ["1:1: a pipeline must be a mapping, \"key: value\" lines; this is a list"]),
    ("plugins: []\nsteps: {}", ["2:8: a pipeline needs at least one step"]),
    ("plugins: []", ["1:1: a pipeline needs the key \"steps\""]),
    (
      "plugin: []\nsteps: {a: {call: p.f}}",
      ["1:1: a pipeline has no key \"plugin\"; did you mean \"plugins\"?", "1:1: a pipeline needs the key \"plugins\""]
    ),
    (
      "plugins: x\nsteps: {a: {call: p.f}}",
      ["1:10: \"plugins\" must be a list, [a, b] or \"- a\" lines; this is the text \"x\""]
    ),
    (
      "plugins: [{}]\nsteps: {a: {call: p.f}}",
      ["1:11: a plugin needs the key \"plugin\""]
    ),
    (
      "plugins: []\nset: {1x: 2}\nsteps: {a: {call: p.f}}",
      ["2:7: \"1x\" cannot be the name of a variable: \(Name.rule)"]
    ),
    (
      "plugins: []\nset: {x: [1]}\nsteps: {a: {call: p.f}}",
      ["2:10: the variable \"x\" must be a text or number; this is a list"]
    ),
    ("plugins: []\nsteps:\n  a b: {call: p.f}", ["3:3: \"a b\" cannot be the name of a step: \(Name.rule)"]),
    ("plugins: []\nsteps:\n  ? [a]\n  : {call: p.f}", ["3:5: a key must be a word; this is a list"]),
    ("plugins: []\nsteps:\n  a: {}", ["3:6: a step needs the key \"call\""]),
    ("plugins: []\nsteps:\n  a: {call: }", ["3:13: \"call\" is missing"]),
    ("plugins: []\nsteps: {a: {call: p.f}}\nresult:", ["3:8: the result's step is missing"]),
    (
      "plugins: []\nsteps: {a: {call: p.f}}\nresult: {}",
      ["3:9: a result needs at least one step; leave \"result\" out for that of the last one"]
    ), ("plugins: []\nsteps:\n  a: {call: f}", ["3:13: \"call\" must be PLUGIN.FUNCTION, such as digest.sha256"]),
    ("plugins: []\nsteps:\n  a: {call: p.}", ["3:13: \"call\" must be PLUGIN.FUNCTION, such as digest.sha256"]),
    (
      "plugins: []\nsteps:\n  a: {call: p.f, timeout: soon, whit: {}}",
      [
        "3:27: \"timeout\" must be \(Seconds.expectation); this is \"soon\"",
        "3:33: a step has no key \"whit\"; did you mean \"with\"?",
      ]
    ),
    (
      "plugins: []\nsteps:\n  a: {call: p.f, xyzzy: 1}",
      [
        "3:18: a step has no key \"xyzzy\"; it has call, with, after, timeout, rescue, pure, when, each, limit, "
          + "retry, serial"
      ]
    ),
    (
      "plugins: []\nsteps:\n  a: {call: p.f, with: {x: [1, {step: }]}}",
      ["3:39: the step's name is missing"]
    ),
    (
      "plugins: []\nsteps:\n  a: {call: p.f, with: {x: {step: b, get: a..b}}}",
      ["3:43: \"a..b\" is not a path to a part of a result; write one such as rows[0].name"]
    ),
    (
      "plugins: []\nset: {x: \"${steps.a}\"}\nsteps: {a: {call: p.f}}",
      ["2:10: the variable \"x\" cannot have a step's result in it: it is needed before any step runs"]
    ),
    (
      "plugins: []\nsteps:\n  a: {call: p.f, with: {x: !!binary aGk=}}",
      ["3:28: the tag !!binary has no meaning here: types come from signatures"]
    ),
    (
      "plugins: []\nsteps:\n  a: {call: p.f, with: {x: \"${y\"}}",
      ["3:28: \"${\" without a \"}\" after it: write ${NAME}, and $$ for a dollar sign"]
    ),
    (
      "plugins: []\nsteps:\n  a: {call: p.f, pure: maybe}",
      ["3:24: \"pure\" must be true or false; this is \"maybe\""]
    ),
    (
      "plugins: []\npure: [f]\nsteps:\n  a: {call: p.f}",
      ["2:8: a pure function must be PLUGIN.FUNCTION, such as digest.sha256"]
    ),
    ("plugins: []\nsteps:\n  a: {call: p.f, rescue: {}}", ["3:26: \"rescue\" needs \"value\" or \"call\""]),
    (
      "plugins: []\nsteps:\n  a: {call: p.f, rescue: {value: 1, call: p.g}}",
      ["3:37: \"rescue\" has a \"value\"; \"call\" does not go with it"]
    ),
    (
      "plugins: []\nsteps:\n  a: {call: p.f, rescue: {value: 1, timeout: 2}}",
      ["3:37: \"rescue\" has a \"value\"; \"timeout\" does not go with it"]
    ),
    (
      "plugins: []\nsecrets: {s: {env: X, file: y}}\nsteps: {a: {call: p.f}}",
      ["2:14: the secret \"s\" needs \"env\" or \"file\", and not both"]
    ),
    (
      "plugins: []\nsteps: {a: {call: p.f}}\nresult: [a, {step: a, get: x}]",
      ["3:13: a part of a result needs a name to be printed with: {NAME: {step: STEP, get: PART}}"]
    ),
    ("include: {i: {file: x.yaml}}\nresult: i", []),
    ("include: {i: {file: x.yaml}}\nsteps: {a: {call: p.f}}", ["1:1: a pipeline needs the key \"plugins\""]),
    (
      "plugins: []\nsteps:\n  a: {call: p.f, after: {x: y}}",
      ["3:25: \"after\" must be a list, [a, b] or \"- a\" lines; this is a mapping"]
    ),
  ])
  func reports(text: String, expected: [String]) {
    #expect(readingMistakes(text) == expected)
  }

  @Test(arguments: [
    (
      "steps: [x",
      "2:1: not YAML: did not find expected ',' or ']' (while parsing a flow sequence that begins in line 1)"
    ),
    ("a: *b", "1:4: not YAML: found undefined alias *b"),
    (
      "steps:\n\ta: {call: p.f}",
      "2:1: not YAML: found a tab, which cannot start any token (while scanning for the next token that begins in line "
        + "2); lines are indented with spaces"
    ),
    (
      "a: @file",
      "1:4: not YAML: found \"@\", which cannot start any token (while scanning for the next token that begins in line "
        + "1); a text that begins with it stands in quotes"
    ),
    ("a: \u{1}", "1:4: not YAML: control characters are not allowed (U+1)"),
    (
      "steps:\n  a: {call: p.f}\n  # a:\n\n  a: {call: p.g}",
      "5:3: \"a\" occurs more than once in this mapping; the first is in line 2"
    ),
    (
      "steps: {a: 1, a: 2}", "1:15: \"a\" occurs more than once in this mapping; the first is in line 1"
    ),
    (
      "--- 1\n--- 2",
      "2:1: not YAML: but found another document (expected a single document in the stream that begins in line 1)"
    ),
  ])
  func reportsInvalidYAML(text: String, expected: String) {
    #expect(readingMistakes(text + "\n") == [expected])
  }

  @Test func survivesDeepNesting() {
    #expect(readingMistakes(String(repeating: "[", count: 100_000)).count == 1)
    #expect(readingMistakes((0..<5_000).map { String(repeating: " ", count: $0) + "a:\n" }.joined()).count == 1)
  }

  @Test func showsThePlace() {
    let error = FileMistakes(
      files: [source("steps:\n\ta: \u{1B}日本 x\n" + String(repeating: "y", count: 300) + "\n")],
      mistakes: [
        Mistake(location: Location(line: 2, column: 9), message: "this"),
        Mistake(location: Location(line: 9, column: 1), message: "nowhere"),
        Mistake(location: Location(line: 3, column: 201), message: "far\nright"),
      ])
    #expect(
      error.lines == [
        "p.yaml:2:9: error: this", "   a:  日本 x", "            ^",
        "p.yaml:3:201: error: far right", "  " + String(repeating: "y", count: 100),
        "  " + String(repeating: " ", count: 49) + "^",
        "p.yaml:9:1: error: nowhere",
      ])
  }
}
