import PluginRuntime

/// Checks callbacks: `{function: PLUGIN.FUNCTION}`, `{expression: TEXT}` and `{stream: ROOM}`.
extension PipelineChecker {
  mutating func callback(
    _ input: Located<Pipeline.Input>, as callback: CallbackType, _ type: ValueType, name: String
  ) -> PipelinePlan.Input? {
    switch input.value {
    case .null:
      if type.isOptional { return .value(.void) }
    case .mapping(let members):
      if members.contains(where: { $0.name.value == "stream" }) {
        return outlet(members, at: input.location, as: callback, name: name)
      }
      guard members.count == 1, case .text(let template, _) = members[0].value.value else { break }
      let location = members[0].value.location
      switch members[0].name.value {
      case "function": return function(template, at: location, as: callback, name: name).map { .callback($0) }
      case "expression": return expression(template, at: location, as: callback, name: name).map { .callback($0) }
      default: break
      }
    default: break
    }
    report(
      input.location,
      "\"\(name)\" must be {function: PLUGIN.FUNCTION}, {expression: TEXT} or {stream: ROOM}, for the callback \(callback)"
    )
    return nil
  }

  private mutating func function(
    _ template: Template, at location: Location, as type: CallbackType, name: String
  ) -> PipelinePlan.Callback? {
    guard let text = expanded(template, at: location) else { return nil }
    guard template.results.isEmpty, !template.hasItem, let dot = text.lastIndex(of: "."), dot != text.startIndex else {
      report(location, "\"function\" must be PLUGIN.FUNCTION, such as digest.sha256")
      return nil
    }
    guard let plugin = plugin(Located(value: String(text[..<dot]), location: location)),
      let function = function(Located(value: String(text[dot...].dropFirst()), location: location), of: plugin)
    else { return nil }
    do {
      return PipelinePlan.Callback(target: try CallbackTarget(function, of: plugin, for: name, type))
    } catch {
      report(location, error.message)
      return nil
    }
  }

  private mutating func expression(
    _ template: Template, at location: Location, as type: CallbackType, name: String
  ) -> PipelinePlan.Callback? {
    guard expanded(template, at: location) != nil else { return nil }
    let text = template.source
    let expression: Expression
    do {
      expression = try template.expression()
    } catch {
      report(location, "\"\(name)\": \(error)")
      return nil
    }
    let (isForEach, variables, results) = (isForEach, variables, template.results)
    do {
      let target = try CallbackTarget(
        expression, text: text, for: name, type,
        outer: { operand in
          guard case .variable(let name) = operand, !(isForEach && Self.eachNames[name] != nil) else { return nil }
          return variables[name].map { .string($0) }
        },
        isOpen: { operand in
          switch operand {
          case .result(let reference): results.contains(reference)
          case .variable(let name), .part(.variable(let name), _): isForEach && Self.eachNames[name] != nil
          default: false
          }
        })
      let steps = results.compactMap { reference in graph.number(of: reference.step).map { (reference.step, $0) } }
      return PipelinePlan.Callback(target: target, steps: Dictionary(steps) { first, _ in first })
    } catch {
      report(location, error.message)
      return nil
    }
  }
}
