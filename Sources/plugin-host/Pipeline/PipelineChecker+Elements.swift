import PluginRuntime

/// Checks the elements of a list that is written in the file, where the arguments of the step take them.
extension PipelineChecker {
  /// Checks the elements, or their parts, that are whole arguments of a step with `each`: `${item}`, `${item.part}`.
  mutating func checkElements(of step: Pipeline.Step, planned: PipelinePlan.Call?) {
    guard case .list(let elements)? = step.each?.value, let planned else { return }
    for argument in step.call.arguments {
      guard let parameter = planned.arguments.first(where: { $0.parameter.name == argument.name.value })?.parameter
      else { continue }
      check(elements, in: argument.value, as: parameter.argumentType, name: parameter.name)
    }
  }

  private mutating func check(
    _ elements: [Located<Pipeline.Input>], in input: Located<Pipeline.Input>, as type: ValueType?, name: String
  ) {
    guard let type, type.callbackType == nil else { return }
    switch input.value {
    case .text(let template, _):
      // Every value suits a parameter of any type.
      guard let path = template.itemPath, type.content != .value else { return }
      for element in elements {
        if let part = path.part(of: element) { checkElement(part, as: type, name: name) }
      }
    case .list(let inputs):
      for (index, input) in inputs.enumerated() {
        check(elements, in: input, as: type.listElement, name: "\(name)[\(index)]")
      }
    case .mapping(let members):
      for member in members {
        let field = type.fieldTypes?.first { $0.name == member.name.value }?.type
        check(elements, in: member.value, as: field, name: "\(name).\(member.name.value)")
      }
    case .file, .standardInput, .null, .result: break
    }
  }
}

extension ResultPath {
  /// Returns the part of a value that is written in the file; nil if it is not written as a part there.
  fileprivate func part(of input: Located<Pipeline.Input>) -> Located<Pipeline.Input>? {
    var input = input
    for part in parts {
      switch (part, input.value) {
      case (.name(let name), .mapping(let members)):
        guard let member = members.first(where: { $0.name.value == name }) else { return nil }
        input = member.value
      case (_, .list(let elements)):
        guard let index = part.index(count: elements.count) else { return nil }
        input = elements[index]
      default: return nil
      }
    }
    return input
  }
}

extension ResultPath.Part {
  /// The index from 0 on of an element in a list; nil if the list has no such element.
  fileprivate func index(count: Int) -> Int? {
    let given: Int? =
      switch self {
      case .name(let name): Int(name)
      case .index(let index): index
      }
    return given.map { $0 < 0 ? $0 + count : $0 }.flatMap { (0..<count).contains($0) ? $0 : nil }
  }
}
