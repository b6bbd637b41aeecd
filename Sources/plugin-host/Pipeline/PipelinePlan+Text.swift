import PluginRuntime

/// A plan as text: the output of `run --dry-run`.
extension PipelinePlan {
  /// A line for each step, in an order in which they could run, and one for the result.
  var lines: [String] {
    order.filter { $0 < firstFinal }.map { line(steps[$0]) }
      + order.filter { $0 >= firstFinal }.map { "finally, " + line(steps[$0]) } + ["result: \(text(result))"]
  }

  private func line(_ step: Step) -> String {
    let after = after(step)
    var line = "\(step.name): \(text(step.call))"
    if let each = step.each {
      switch each.source {
      case .list(let list): line += " for each of \(text(list))"
      case .stream(let source): line += " for each event of \(steps[source].name)"
      }
      if each.limit != .max { line += ", \(each.limit) at once" }
    }
    if step.condition != nil { line += ", if its condition holds" }
    if let retry = step.retry { line += ", \(retry.times) more time\(retry.times == 1 ? "" : "s") if rejected" }
    if let serial = step.serial { line += ", serial \(serial)" }
    if !after.isEmpty { line += " after " + after.map { steps[$0].name }.joined(separator: ", ") }
    switch step.rescue {
    case nil: break
    case .value(.void): line += ", or else null"
    case .value(let value): line += ", or else \(value.summary)"
    case .call(let call, _): line += ", or else \(text(call))"
    }
    return line.displayLine
  }

  /// Returns the steps that must run before a step, but whose results it does not use.
  func after(_ step: Step) -> [Int] {
    let conditions = step.condition.map { Array($0.steps.values) } ?? []
    let list = if case .list(let list)? = step.each?.source { list.results.map(\.step) } else { [Int]() }
    let used = Set(step.call.arguments.flatMap(\.input.results).map(\.step) + conditions + list)
    return step.inputs.filter { !used.contains($0) }
  }

  private func text(_ call: Call) -> String {
    let arguments = call.arguments.map { "\($0.parameter.name): \(text($0.input))" }
    let limit = call.timeout.map { ", at most \(CallFailure.number($0)) s" } ?? ""
    let pure = call.isPure ? ", pure" : ""
    return "\(call.label)(\(arguments.joined(separator: ", ")))\(limit)\(pure)"
  }

  private func text(_ input: Input) -> String {
    switch input {
    case .text(let text): PluginValue.string(Redaction.apply(text).truncated(to: 64)).json
    case .standardInput: "@-"
    case .value(let value): value.summary
    case .plain(let text, _): Redaction.apply(text).truncated(to: 64)
    case .result(let result): text(result)
    case .composed(let parts): "\"\(text(parts))\""
    case .file(let parts): "@\(text(parts))"
    case .list(let elements, _): "[" + elements.map(text).joined(separator: ", ") + "]"
    case .object(let members): "{" + members.map { "\($0.name): \(text($0.input))" }.joined(separator: ", ") + "}"
    case .callback(let callback): "{\(callback.target.action)}"
    case .outlet(let outlet): "{stream: \(outlet.capacity)}"
    }
  }

  private func text(_ parts: [TextPart]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .result(_, let source): source
      }
    }.joined()
  }

  private func text(_ result: StepResult) -> String {
    let path = "\(result.path)"
    let name =
      switch result.step {
      case StepResult.item: "item"
      case StepResult.index: "index"
      default: steps[result.step].name
      }
    return name + (path.isEmpty || path.hasPrefix("[") ? "" : ".") + path
  }

  private func text(_ result: Result) -> String {
    switch result {
    case .one(let result, _): text(result)
    case .several(let entries):
      "{" + entries.map { "\($0.name): \(text($0.result))" }.joined(separator: ", ") + "}"
    }
  }
}

extension PipelinePlan.Input {
  /// The results in the input.
  var results: [PipelinePlan.StepResult] {
    switch self {
    case .text, .standardInput, .value, .plain, .outlet: []
    case .result(let result): [result]
    case .composed(let parts), .file(let parts):
      parts.compactMap { if case .result(let result, _) = $0 { result } else { nil } }
    case .list(let elements, _): elements.flatMap(\.results)
    case .object(let members): members.flatMap(\.input.results)
    case .callback(let callback): callback.steps.values.map { PipelinePlan.StepResult(step: $0) }
    }
  }
}
