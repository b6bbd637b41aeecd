import Testing

@testable import plugin_host

@Suite struct StepGraphTests {
  /// Returns a graph of steps and its mistakes. A line is `name: the steps that it uses`; its rescue uses steps with a
  /// `!`.
  private func graph(_ text: String) throws -> (StepGraph, [String]) {
    let lines = text.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1) }
    let yaml = lines.map { line in
      let names = line.count > 1 ? line[1].split(separator: " ").map(String.init) : []
      let uses = names.filter { !$0.hasPrefix("!") }.joined(separator: ", ")
      let rescues = names.filter { $0.hasPrefix("!") }.map { "x\($0.dropFirst()): {step: \($0.dropFirst())}" }
      let rescue = rescues.isEmpty ? "" : ", rescue: {call: p.f, with: {\(rescues.joined(separator: ", "))}}"
      return "  \(line[0]): {call: p.f, after: [\(uses)]\(rescue)}\n"
    }
    let pipeline = try PipelineReader.read(source("plugins: []\nsteps:\n" + yaml.joined()))
    var mistakes: [Mistake] = []
    let graph = StepGraph(pipeline.steps, mistakes: &mistakes)
    return (graph, mistakes.map { "\($0.location.line):\($0.location.column): \($0.message)" })
  }

  @Test func ordersStepsAfterTheirInputs() throws {
    let (graph, mistakes) = try graph("d: b c\nc: a\nb: a\na:\ne: !d")
    #expect(mistakes == [])
    #expect(graph.inputs == [[1, 2], [3], [3], [], []])
    #expect(graph.rescueInputs == [[], [], [], [], [0]])
    let places = Dictionary(uniqueKeysWithValues: graph.order.enumerated().map { ($0.element, $0.offset) })
    #expect(graph.order.count == 5)
    for (number, inputs) in graph.inputs.enumerated() {
      for input in inputs + graph.rescueInputs[number] { #expect(places[input]! < places[number]!) }
    }
  }

  @Test func reportsUnknownSteps() throws {
    let (_, mistakes) = try graph("packed:\nstored: pakced\nlast: nothing")
    #expect(
      mistakes == [
        "4:31: no step is named \"pakced\"; did you mean \"packed\"?", "5:29: no step is named \"nothing\"",
      ])
  }

  @Test("of names that are equally near, the first in the alphabet is suggested")
  func equallyNearNames() throws {
    let (_, mistakes) = try graph("ba9:\nba3:\nba7:\nba2:\nba8:\nba5:\nba4:\nlast: ba6")
    #expect(mistakes.map { $0.hasSuffix("; did you mean \"ba2\"?") } == [true], "\(mistakes)")
  }

  @Test("only the first of many unknown names are looked for among all names")
  func manyUnknownSteps() throws {
    let (_, mistakes) = try graph("packed:\n" + (0..<30).map { "s\($0): pakced" }.joined(separator: "\n"))
    #expect(mistakes.count == 30)
    #expect(mistakes.count { $0.hasSuffix("; did you mean \"packed\"?") } == 20)
  }

  @Test("the inputs of a chain of steps that take events are those of all steps above, in any order of the file")
  func inputsOfTakers() throws {
    for order in [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]] {
      let lines = [
        "a: {call: p.f}", "r: {call: p.f}", "b: {call: p.f, each: {stream: r}}",
        "c: {call: p.f, each: {stream: b}, after: a}", "d: {call: p.f, each: {stream: r}}",
      ]
      let yaml = order.map { "  \(lines[$0])\n" }.joined()
      let pipeline = try PipelineReader.read(source("plugins: []\nsteps:\n" + yaml))
      var mistakes: [Mistake] = []
      let graph = StepGraph(pipeline.steps, mistakes: &mistakes)
      #expect(mistakes == [])
      func inputs(_ name: String) -> [String] {
        graph.inputs[graph.number(of: name)!].map { pipeline.steps[$0].name.value }
      }
      #expect(["a", "r", "b", "c", "d"].map(inputs) == [[], ["a"], ["a"], ["a"], []], "\(order)")
    }
  }

  @Test func reportsAStepThatWaitsForItself() throws {
    #expect(try graph("a: a").1 == ["3:26: the step \"a\" waits for itself"])
  }

  @Test func reportsCirclesOnceEach() throws {
    let (_, mistakes) = try graph("start:\na: start c\nb: a\nc: b\nd: c\nx: !y\ny: x\n")
    #expect(
      mistakes == [
        "4:33: steps that wait for each other can never run: \"a\" waits for \"c\" waits for \"b\" waits for \"a\"",
        "8:67: steps that wait for each other can never run: \"x\" waits for \"y\" waits for \"x\"",
      ])
  }

  @Test func takesLongChains() throws {
    let lines = ["s0:"] + (1..<3_000).map { "s\($0): s\($0 - 1)" }
    let (graph, mistakes) = try graph(lines.joined(separator: "\n"))
    #expect(mistakes == [])
    #expect(graph.order == Array(0..<3_000))
  }
}
