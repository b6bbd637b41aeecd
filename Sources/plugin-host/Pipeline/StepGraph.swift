import PluginRuntime

/// The dependencies of the steps, by their numbers in the file's order, checked for missing steps and cycles.
struct StepGraph: Sendable {
  /// The steps whose results a step uses, or that it runs after, without repetitions; one list for each step.
  private(set) var inputs: [[Int]] = []
  /// The steps whose results the rescue of a step uses; one list for each step.
  private(set) var rescueInputs: [[Int]] = []
  /// The step whose events a step takes, by the number of the latter.
  private(set) var sources: [Int?] = []
  /// The steps that take the events of a step, by its number.
  private(set) var consumers: [Int: [Int]] = [:]
  /// All steps, each after those that it waits for.
  private(set) var order: [Int] = []

  private var numbers: [String: Int] = [:]
  /// Sorted, so that a suggestion is the same in each run if two names are equally near.
  private let names: [String]
  /// The number of unknown names that are still compared with all names. Thousands of them would take long.
  private var suggestions = 20
  /// The steps that a step or its rescue waits for, with the locations of the references; one list for each step.
  private var edges: [[(target: Int, location: Location)]] = []

  /// Appends errors to `mistakes`; without any, the graph is valid. Steps before `firstFinal` run before the others.
  init(_ steps: [Pipeline.Step], firstFinal: Int? = nil, mistakes: inout [Mistake]) {
    names = Set(steps.map(\.name.value)).sorted()
    for (number, step) in steps.enumerated() where numbers.updateValue(number, forKey: step.name.value) != nil {
      mistakes.report(step.name.location, "a second step named \"\(step.name.value)\"; give it another name")
    }
    for (number, step) in steps.enumerated() {
      let own = step.references + step.after
      let rescue: [Located<String>] = if case .call(let call) = step.rescue { call.references } else { [] }
      let ownTargets = targets(of: own, from: number, in: steps, mistakes: &mistakes)
      let rescueTargets = targets(of: rescue, from: number, in: steps, mistakes: &mistakes)
      inputs.append(Set(ownTargets.map(\.target)).sorted())
      rescueInputs.append(Set(rescueTargets.map(\.target)).sorted())
      edges.append(ownTargets + rescueTargets)
    }
    let firstFinal = firstFinal ?? steps.count
    addSources(steps, firstFinal: firstFinal, mistakes: &mistakes)
    for edge in edges[..<firstFinal].joined() where edge.target >= firstFinal {
      let name = steps[edge.target].name.value
      mistakes.report(
        edge.location, "the step \"\(name)\" of \"finally\" runs after all others, which cannot wait for it")
    }
    sort(steps, mistakes: &mistakes)
  }

  /// Returns the number of the step with that name.
  func number(of name: String) -> Int? { numbers[name] }

  /// Suggests the step's name that is nearest to a mistyped one.
  func suggestion(for name: String) -> String { Suggestion.near(name, among: names) }

  private mutating func addSources(_ steps: [Pipeline.Step], firstFinal: Int, mistakes: inout [Mistake]) {
    for (number, step) in steps.enumerated() {
      guard let source = step.source,
        let edge = targets(of: [source], from: number, in: steps, mistakes: &mistakes).first
      else {
        sources.append(nil)
        continue
      }
      if inputs[number].contains(edge.target) {
        mistakes.append(
          Mistake(
            location: source.location,
            message: "the step takes the events of \"\(source.value)\", so it cannot wait for its end too"))
      } else if edge.target < firstFinal, number >= firstFinal {
        let message = "\"\(source.value)\" has ended when the steps of \"finally\" run: its events are taken before"
        mistakes.report(source.location, message)
      }
      sources.append(edge.target)
      consumers[edge.target, default: []].append(number)
      edges[number].append(edge)
    }
    addInputsOfConsumers()
  }

  /// Adds the inputs of steps that take events to those of the source: its callback waits for buffer space, and might
  /// otherwise wait for a step that waits for the source.
  private mutating func addInputsOfConsumers() {
    // Each step once, after those that take its events. Steps that take each other's are reported as a cycle.
    var missing = sources.indices.map { consumers[$0]?.count ?? 0 }
    var ready = missing.indices.filter { missing[$0] == 0 }
    while let number = ready.popLast() {
      guard let source = sources[number] else { continue }
      let known = Set(edges[source].map(\.target))
      edges[source] += edges[number].filter { $0.target != source && !known.contains($0.target) }
      inputs[source] = Set(inputs[source]).union(inputs[number]).subtracting([source]).sorted()
      missing[source] -= 1
      if missing[source] == 0 { ready.append(source) }
    }
  }

  private mutating func targets(
    of references: [Located<String>], from number: Int, in steps: [Pipeline.Step], mistakes: inout [Mistake]
  ) -> [(target: Int, location: Location)] {
    references.compactMap { reference in
      guard let target = numbers[reference.value] else {
        let hint = suggestions > 0 ? suggestion(for: reference.value) : ""
        suggestions -= 1
        mistakes.report(reference.location, "no step is named \"\(reference.value)\"\(hint)")
        return nil
      }
      guard target != number else {
        mistakes.report(reference.location, "the step \"\(reference.value)\" waits for itself")
        return nil
      }
      return (target, reference.location)
    }
  }

  /// Sorts the steps by Kahn's algorithm: repeatedly removes the steps that wait for none of the rest.
  private mutating func sort(_ steps: [Pipeline.Step], mistakes: inout [Mistake]) {
    var missing = edges.map { Set($0.map(\.target)).count }
    var dependents = [[Int]](repeating: [], count: edges.count)
    for (number, edges) in edges.enumerated() {
      for target in Set(edges.map(\.target)) { dependents[target].append(number) }
    }
    order = missing.indices.filter { missing[$0] == 0 }
    var next = 0
    while next < order.count {
      for dependent in dependents[order[next]] {
        missing[dependent] -= 1
        if missing[dependent] == 0 { order.append(dependent) }
      }
      next += 1
    }
    reportCircles(among: missing.indices.filter { missing[$0] > 0 }, of: steps, mistakes: &mistakes)
  }

  /// Reports cycles. Each of `left` waits for another of them, so a walk along these edges must revisit a step.
  private func reportCircles(among left: [Int], of steps: [Pipeline.Step], mistakes: inout [Mistake]) {
    var seen: Set<Int> = []
    let stuck = Set(left)
    for start in left where !seen.contains(start) {
      var path: [Int] = []
      var place = start
      while seen.insert(place).inserted {
        path.append(place)
        guard let edge = edges[place].first(where: { stuck.contains($0.target) }) else { break }
        place = edge.target
      }
      // A walk that meets the path of an earlier walk has found no new cycle.
      guard let begin = path.firstIndex(of: place) else { continue }
      let circle = path[begin...]
      let names = (circle + [place]).map { "\"\(steps[$0].name.value)\"" }
      let first = circle.min() ?? place
      let location = edges[first].first { circle.contains($0.target) }?.location ?? steps[first].name.location
      mistakes.report(
        location, "steps that wait for each other can never run: \(names.joined(separator: " waits for "))")
    }
  }
}

extension Pipeline.Step {
  /// Whether the step makes a call for each element of a list, or each event of a step.
  var isForEach: Bool { each != nil || source != nil }

  /// The steps whose results the step uses, except in its rescue.
  var references: [Located<String>] {
    let condition = condition.map { condition in
      condition.value.results.map { reference in condition.map { _ in reference.step } }
    }
    return call.references + (condition ?? []) + (each?.references ?? [])
  }
}

extension Pipeline.Call {
  /// The steps whose results the call uses.
  var references: [Located<String>] { arguments.flatMap(\.value.references) }
}

extension Located<Pipeline.Input> {
  /// The steps whose results are in the input.
  var references: [Located<String>] {
    switch value {
    case .text(let template, _), .file(let template):
      template.results.map { Located<String>(value: $0.step, location: location) }
    case .standardInput, .null: []
    case .result(let reference): [Located<String>(value: reference.step, location: location)]
    case .list(let elements): elements.flatMap(\.references)
    case .mapping(let members): members.flatMap(\.value.references)
    }
  }
}
