extension HandleTable {
  /// Returns the arguments with handles replaced by pointers.
  func imported(
    _ arguments: [Argument], for function: BoundFunction
  ) throws(ArgumentMismatch) -> [Argument] {
    guard arguments.contains(where: { $0.content.holdsHandles }) else { return arguments }
    let inputs = function.signature.inputs
    var imported: [Argument] = []
    for (index, argument) in arguments.enumerated() {
      guard case .value(let value) = argument.content else {
        imported.append(argument)
        continue
      }
      let name = argument.name ?? (inputs.indices.contains(index) ? inputs[index].name : "\(index + 1)")
      let pointers = try converting(name) { () throws(ArgumentMismatch) in try self.imported(value) }
      imported.append(Argument(name: argument.name, .value(pointers)))
    }
    return imported
  }
}

extension Argument.Content {
  fileprivate var holdsHandles: Bool {
    if case .value(let value) = self { value.holdsHandles } else { false }
  }
}
