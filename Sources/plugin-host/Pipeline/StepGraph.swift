import PluginRuntime

/// The dependencies of the steps: numbers in the file's order, checked for missing steps and cycles.
struct StepGraph: Sendable {
  /// For each step, without repetitions: the steps whose results it uses, or that it runs after.
  private(set) var inputs: [[Int]] = []
  /// For each step: the steps whose results its rescue uses.
  private(set) var rescueInputs: [[Int]] = []
  /// All steps, each after those that it waits for.
  private(set) var order: [Int] = []

  private var numbers: [String: Int] = [:]
  /// For each step: the steps that it waits for, including those of its rescue, and the locations of the references.
  private var edges: [[(target: Int, location: Location)]] = []

  /// Appends errors to `mistakes`; without any, the graph is valid.
  /// Steps before `firstFinal` run before the others.
  init(_ steps: [Pipeline.Step], firstFinal: Int? = nil, mistakes: inout [Mistake]) {
    for (number, step) in steps.enumerated() where numbers.updateValue(number, forKey: step.name.value) != nil {
      let message = "a second step named \"\(step.name.value)\"; give it another name"
      mistakes.append(Mistake(location: step.name.location, message: message))
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
    for edge in edges[..<firstFinal].joined() where edge.target >= firstFinal {
      let message = "the step \"\(steps[edge.target].name.value)\" of \"finally\" runs after all others"
      mistakes.append(Mistake(location: edge.location, message: message))
    }
    sort(steps, mistakes: &mistakes)
  }

  /// The number of the step with that name.
  func number(of name: String) -> Int? { numbers[name] }

  /// The step's name that is nearest to a mistyped one.
  func suggestion(for name: String) -> String {
    // Sorted, because which of two equally near names is suggested must not change from run to run.
    Suggestion.near(name, among: numbers.keys.sorted())
  }

  private func targets(
    of references: [Located<String>], from number: Int, in steps: [Pipeline.Step], mistakes: inout [Mistake]
  ) -> [(target: Int, location: Location)] {
    references.compactMap { reference in
      guard let target = numbers[reference.value] else {
        let hint = suggestion(for: reference.value)
        let message = "no step is named \"\(reference.value)\"\(hint)"
        mistakes.append(Mistake(location: reference.location, message: message))
        return nil
      }
      guard target != number else {
        let message = "the step \"\(reference.value)\" waits for itself"
        mistakes.append(Mistake(location: reference.location, message: message))
        return nil
      }
      return (target, reference.location)
    }
  }

  /// Kahn's algorithm: repeatedly removes the steps that wait for none of the rest.
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

  /// Each of `left` waits for another of them, so a walk along these edges must revisit a step.
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
      // A walk that reaches an earlier walk's path has found no new cycle.
      guard let begin = path.firstIndex(of: place) else { continue }
      let circle = path[begin...]
      let names = (circle + [place]).map { "\"\(steps[$0].name.value)\"" }
      let first = circle.min() ?? place
      let location = edges[first].first { circle.contains($0.target) }?.location ?? steps[first].name.location
      let message = "steps that wait for each other can never run: \(names.joined(separator: " waits for "))"
      mistakes.append(Mistake(location: location, message: message))
    }
  }
}

extension Pipeline.Step {
  /// The steps whose results it uses, except to rescue it.
  var references: [Located<String>] {
    let condition = condition.map { condition in
      condition.value.results.map { reference in condition.map { _ in reference.step } }
    }
    return call.references + (condition ?? []) + (each?.references ?? [])
  }
}

extension Pipeline.Call {
  /// The steps whose results it uses.
  var references: [Located<String>] { arguments.flatMap(\.value.references) }
}

extension Located<Pipeline.Input> {
  /// The steps whose results are in it.
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
