import PluginRuntime

extension PipelinePlan.Call {
  /// What is passed to the function. Reads files, so it may take its time.
  func values(_ inputs: [Int: PluginValue]) throws(UnreadableInput) -> [Argument] {
    var values: [Argument] = []
    for (parameter, input) in arguments {
      switch input {
      case .text(let text): values.append(Argument(name: parameter.name, try text.content()))
      case .step(let number): values.append(Argument(name: parameter.name, content(inputs[number] ?? .void, parameter)))
      }
    }
    return values
  }

  private func content(_ value: PluginValue, _ parameter: Parameter) -> Argument.Content {
    // Bytes become a text the way a file's content does, if they are one.
    if case .bytes(let bytes) = value, parameter.kind == .string { return .contents(bytes) }
    return .value(value)
  }
}
