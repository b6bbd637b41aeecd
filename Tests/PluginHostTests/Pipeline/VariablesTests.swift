import Testing

@testable import plugin_host

@Suite struct VariablesTests {
  private func values(_ set: String, _ given: [String] = []) throws -> [String: String] {
    let pipeline = try PipelineReader.read(source("set: \(set)\nplugins: []\nsteps: {a: {call: p.f}}"))
    var mistakes: [Mistake] = []
    let values = try Variables.values(
      of: pipeline, given: given.map { try VariableSetting(option: $0) }, mistakes: &mistakes)
    guard mistakes.isEmpty else { throw FileMistakes(files: [source("")], mistakes: mistakes) }
    return values
  }

  @Test func givenValuesWin() throws {
    let values = try values("{folder: out, file: \"${folder}/x\", other: y}", ["folder=in=1", "other="])
    #expect(values == ["folder": "in=1", "file": "in=1/x", "other": ""])
  }

  @Test func valuesAreNotExpanded() throws {
    #expect(try values("{a: 1, b: 2}", ["a=${b}"])["a"] == "${b}")
  }

  @Test("a value on the command line with U+FFFF is that text")
  func marks() throws {
    let word = RawText.text(Array("a=\u{FFFF}A".utf8))
    #expect(try values("{a: 1}", [word])["a"] == "\u{FFFF}A")
  }

  /// `v1` to `v7`, each of which is ten times its predecessor.
  private static let tenfold = (1...7).map { number in
    "v\(number): '\(String(repeating: "${v\(number - 1)}", count: 10))'"
  }.joined(separator: ", ")

  @Test func theTextsThatVariablesMakeAreBounded() throws {
    #expect(
      mistakes { _ = try values("{v0: xxxxxxxxxx, \(Self.tenfold)}") } == [
        "1:375: with the values of its variables, this text has 100000000 bytes; the limit is 64 MiB for all such texts "
          + "of a pipeline: pass a long text as a file, \"@FILE\""
      ])
    // A text that is a variable alone is not another copy.
    let same = (1...9).map { "v\($0): '${v\($0 - 1)}'" }.joined(separator: ", ")
    let long = String(repeating: "x", count: 16 << 20)
    #expect(try values("{v0: , \(same)}", ["v0=\(long)"])["v9"] == long)
  }

  @Test(arguments: [
    (
      "{input: 1}", ["inptu=1"],
      "plugin-host: --set inptu: the pipeline has no variable \"inptu\"; did you mean \"input\"?"
    ),
    ("{a: 1}", ["a=1", "a=2"], "plugin-host: --set a: given more than once"),
    (
      "{a: 1}", [RawText.text(Array("a=".utf8) + [0xFF])],
      "plugin-host: --set a: the value is not UTF-8 text; pass other content as a file, \"@FILE\""
    ),
    ("{a: }", [], "plugin-host: the variable \"a\" has no value: give it one with --set a=VALUE"),
  ])
  func refusesGivenValues(set: String, given: [String], message: String) {
    #expect(throws: Failure(.usage, lines: [message])) { try values(set, given) }
  }

  @Test(arguments: [
    ("{a: \"${b}\", b: 1}", "1:10: the variable \"b\" has no value yet: only those above \"a\" can be used here"),
    ("{a: \"${a}\"}", "1:10: the variable \"a\" has no value yet: only those above \"a\" can be used here"),
    ("{a: 1, b: \"${aa}\"}", "1:16: no variable is named \"aa\"; did you mean \"a\"?"),
  ])
  func refusesValuesOfTheFile(set: String, message: String) {
    #expect(mistakes { _ = try values(set) } == [message])
  }
}
