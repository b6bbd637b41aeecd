import PluginRuntime

/// Checks streams: `{stream: ROOM, returns: VALUE}` for a callback, and `each: {stream: NAME}`.
extension PipelineChecker {
  /// The number of buffered events, and of calls at once, unless the file states one.
  static let capacity = 16

  /// Checks a callback whose calls are the events of the step.
  mutating func outlet(
    _ members: [Pipeline.Argument], at location: Location, as type: CallbackType, name: String
  ) -> PipelinePlan.Input? {
    var outlet = PipelinePlan.Outlet(parameter: name, type: type, capacity: Self.capacity, returned: .void)
    var returned: Located<Pipeline.Input>?
    for member in members {
      switch member.name.value {
      case "returns": returned = member.value
      case "stream":
        guard let text = known(member.value, as: "stream") else { return nil }
        guard let capacity = Int(text), 1...1_000_000 ~= capacity else {
          report(
            member.value.location,
            "\"stream\" is the number of events that may wait, from 1 to 1000000, not \"\(text)\"")
          return nil
        }
        outlet.capacity = capacity
      default:
        report(
          member.name.location, "a stream has no key \"\(member.name.value)\"; it has \"stream\" and \"returns\"")
        return nil
      }
    }
    if let problem = Self.problem(of: type) {
      report(location, "\"\(name)\" cannot give events: \(problem): \(type)")
      return nil
    }
    guard let result = type.result else {
      if let returned { report(returned.location, "\"\(name)\" returns nothing, expected no key \"returns\": \(type)") }
      return returned == nil ? .outlet(outlet) : nil
    }
    guard let returned else {
      if result.isOptional { return .outlet(outlet) }
      report(location, "\"\(name)\" returns \(result): expected the key \"returns\" with that value, beside \"stream\"")
      return nil
    }
    guard let text = known(returned, as: "returns"),
      let value = check(text, as: result, at: returned.location, name: "returns")
    else { return nil }
    outlet.returned = value
    return .outlet(outlet)
  }

  /// Returns a text without results; nil, after reporting a mistake, for any other value.
  private mutating func known(_ input: Located<Pipeline.Input>, as key: String) -> String? {
    guard case .text(let template, _) = input.value, template.results.isEmpty, !template.hasItem else {
      report(input.location, "\"\(key)\" must be a value that is known before anything runs")
      return nil
    }
    return expanded(template, at: input.location)
  }

  /// Returns the reason why a callback cannot publish events: its arguments are not valid after it has returned, or it
  /// must return values by addresses.
  private static func problem(of type: CallbackType) -> String? {
    if !type.outputs.isEmpty { return "it has out parameters" }
    guard let parameter = type.closureParameters.first(where: { $0.type.isOfThisProcess }) else { return nil }
    return "\(parameter.type) is not valid after the callback has returned"
  }

  /// Checks which steps publish events, and which take them.
  mutating func checkStreams(_ calls: [PipelinePlan.Call?]) {
    var consumers = Set<Int>()
    for (number, step) in pipeline.steps.enumerated() {
      guard let name = step.source, let source = graph.sources[number] else { continue }
      consumers.insert(source)
      if let call = calls[source], call.outlets.isEmpty {
        report(
          name.location,
          "the step \"\(name.value)\" has no stream: none of its arguments is {stream: ROOM}, for a callback")
      }
    }
    for (number, step) in pipeline.steps.enumerated() {
      guard let call = calls[number], let first = call.outlets.first else { continue }
      let outlets = call.outlets
      let location = step.call.arguments.first { $0.name.value == first.parameter }?.value.location
      if let late = call.lateOutlet {
        let message =
          "\"\(late.parameter)\" cannot give events: it is called when \(call.function.name) has returned, and with it "
          + "the step has ended (@\(late.type.scope.rawValue)); {function: PLUGIN.FUNCTION} takes such calls. If "
          + "\(call.function.name) calls it before it returns, write @call in the signature"
        report(location ?? step.name.location, message)
      }
      if outlets.count > 1 {
        let second = outlets[1].parameter
        report(
          location ?? step.name.location,
          "a step has one stream; \"\(second)\" is a second one: give it a step of its own")
      }
      if !consumers.contains(number) {
        report(
          location ?? step.name.location,
          "no step takes these events; add one with each: {stream: \(step.name.value)}")
      }
      if step.retry != nil {
        report(step.name.location, "a step that gives events is not retried: remove \"retry\"")
      }
    }
  }
}

extension PipelinePlan.Call {
  /// The callbacks whose calls are events.
  var outlets: [PipelinePlan.Outlet] {
    arguments.compactMap { if case .outlet(let outlet) = $0.input { outlet } else { nil } }
  }

  /// The callback that is called after the end of the call, when nothing takes events.
  fileprivate var lateOutlet: PipelinePlan.Outlet? {
    if case .promise? = function.signature.result { return nil }
    return outlets.first { [.once, .forever].contains($0.type.scope) }
  }
}
