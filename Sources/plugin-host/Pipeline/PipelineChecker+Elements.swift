import PluginRuntime

/// Checks the calls for the elements of a list that is written in the file, before anything runs.
extension PipelineChecker {
  /// Reports each element that does not suit a parameter. Arguments with other steps' results or files in them are not
  /// checked, and neither are elements with such.
  mutating func checkElements(
    of list: Located<Pipeline.Input>, _ input: PipelinePlan.Input, for call: PipelinePlan.Call
  ) {
    guard input.isKnown(elements: false), let elements = try? input.elements(StepResults()) else { return }
    let arguments = call.arguments.filter { !$0.input.results.isEmpty && $0.input.isKnown(elements: true) }
    for (index, element) in elements.enumerated() {
      let results = StepResults().adding(element, at: index)
      for (parameter, argument) in arguments {
        guard let message = argument.mistake(as: parameter, results) else { continue }
        let locations = if case .list(let elements) = list.value { elements.map(\.location) } else { [Location]() }
        report(
          locations.indices.contains(index) ? locations[index] : list.location,
          "\(CallFailure.place(ofElement: index))\(message)")
      }
    }
  }
}

extension PipelinePlan.Input {
  /// Whether the value is known before anything runs: no result of a step, no file and no callback is in it. The
  /// current element and its index are known if `elements` are.
  fileprivate func isKnown(elements: Bool) -> Bool {
    switch self {
    case .text, .value, .plain: true
    case .composed, .result: elements && results.allSatisfy { $0.step < 0 }
    case .list(let inputs, _): inputs.allSatisfy { $0.isKnown(elements: elements) }
    case .object(let members): members.allSatisfy { $0.input.isKnown(elements: elements) }
    case .standardInput, .file, .callback, .outlet: false
    }
  }

  /// Returns the mistake in the argument for an element; nil if it suits the parameter.
  fileprivate func mistake(as parameter: Parameter, _ results: StepResults) -> String? {
    let type = parameter.argumentType
    do {
      switch try content(for: type, results) {
      case _ where type.content == .value: break
      case .text(let text): _ = try type.value(fromText: text)
      case .value(let value): _ = try type.value(fromJSON: try JSONText(parsing: Array(value.json.utf8)))
      default: break
      }
      return nil
    } catch let mismatch as ArgumentMismatch {
      // The message would quote a part of a secret.
      let text = ((try? value(of: .value, results)) ?? .void).json
      let found = Redaction.isNeeded(in: text) ? "has a secret in it, expected \(type.expectation)" : mismatch.message
      return "\"\(parameter.name)\(mismatch.path)\" \(found)"
    } catch {
      return "\"\(parameter.name)\": \(error)"
    }
  }
}
