import PluginRuntime

/// The callback that the user passed for a parameter, checked against the parameter's type.
struct CallbackTarget: Sendable {
  enum Action: Sendable {
    case function(FunctionDescription, of: PluginDescription)
    /// An expression with its text. All names in it are those of arguments.
    case expression(Expression, text: String)
  }

  let parameter: String
  let type: CallbackType
  let action: Action

  /// The error for a function or an expression that does not suit a callback; begins with the parameter's name.
  struct TargetError: Error {
    var message: String
  }

  /// Makes a callback of a function, which gets as many of the callback's first arguments as it has parameters.
  init(
    _ function: FunctionDescription, of plugin: PluginDescription, for parameter: String, _ type: CallbackType
  ) throws(TargetError) {
    self.parameter = parameter
    self.type = type
    action = .function(function, of: plugin)
    let signature = function.signature
    let given = type.closureParameters
    let subject = "\"\(parameter)\": \(function.name)"
    for (index, input) in signature.inputs.enumerated() {
      guard index < given.count else {
        if input.fallback != nil { continue }
        let count = "\(given.count) argument\(given.count == 1 ? "" : "s")"
        throw TargetError(message: "\(subject) needs \"\(input.name)\", but the callback has \(count): \(type)")
      }
      guard ArgumentKind(given[index].type).suits(input.kind) else {
        let (expected, passed) = (input.type, given[index].type)
        throw TargetError(
          message: "\(subject) takes \"\(input.name)\" as \(expected), but the callback has \(passed) there: \(type)")
      }
    }
    guard type.outputs.isEmpty else {
      let isSame =
        Set(type.outputs.compactMap(\.name)) == Set(signature.outputs.map(\.name))
        && (type.result == nil) == (signature.yielded == nil)
      if isSame { return }
      throw TargetError(
        message: "\(subject) returns \(signature.shape.text), but the callback has other outputs: \(type)")
    }
    if let result = type.result, !signature.resultKind.suits(ArgumentKind(result)) {
      throw TargetError(
        message: "\(subject) returns \(signature.resultText), but the callback returns \(result): \(type)")
    }
  }

  /// Makes a callback of an expression. `outer` returns the values of names that are not arguments. `isOpen` returns
  /// whether a name gets its value later, by `replacing`.
  init(
    _ expression: Expression, text: String, for parameter: String, _ type: CallbackType,
    outer: (Expression) -> PluginValue? = { _ in nil }, isOpen: (Expression) -> Bool = { _ in false }
  ) throws(TargetError) {
    self.parameter = parameter
    self.type = type
    if let output = type.outputs.first?.name {
      throw TargetError(
        message: "\"\(parameter)\" must be PLUGIN.FUNCTION: no expression gives a value for \"\(output)\": \(type)")
    }
    let names = Self.names(of: type)
    let bound = expression.replacing { operand in
      if case .variable(let name) = operand, names[name] != nil { return nil }
      return outer(operand).map { .literal($0) }
    }
    action = .expression(bound, text: text)
    for operand in bound.operands where !isOpen(operand) { try check(operand) }
    try checkResult(of: bound)
  }

  private init(_ target: CallbackTarget, _ action: Action) {
    parameter = target.parameter
    type = target.type
    self.action = action
  }

  /// Returns the callback with values in place of the names that were left open.
  func replacing(_ value: (Expression) throws -> PluginValue?) rethrows -> CallbackTarget {
    guard case .expression(let expression, let text) = action else { return self }
    let names = Self.names(of: type)
    let bound = try expression.replacing { operand in
      if case .variable(let name) = operand, names[name] != nil { return nil }
      return try value(operand).map { .literal($0) }
    }
    return CallbackTarget(self, .expression(bound, text: text))
  }

  /// Returns the indices of arguments by their names: those of the callback's parameters, and `$1`, `$2`, ...
  static func names(of type: CallbackType) -> [String: Int] {
    var names: [String: Int] = [:]
    for (index, parameter) in type.closureParameters.enumerated() {
      names["$\(index + 1)"] = index
      if let name = parameter.name { names[name] = index }
    }
    return names
  }

  /// Checks the result if it is known before a call: a constant, or the type of a sole argument.
  private func checkResult(of expression: Expression) throws(TargetError) {
    guard let result = type.result else { return }
    switch expression {
    case .literal(let value):
      guard value.converted(to: result) == nil else { return }
      throw TargetError(
        message: "\"\(parameter)\": its value is \(value.shown), but the callback returns \(result): \(type)")
    case .variable(let name):
      guard let index = Self.names(of: type)[name] else { return }
      let argument = type.closureParameters[index].type
      guard !ArgumentKind(argument).converts(to: ArgumentKind(result)) else { return }
      throw TargetError(
        message: "\"\(parameter)\": \(name) is \(argument), but the callback returns \(result): \(type)")
    default: return
    }
  }

  private func check(_ operand: Expression) throws(TargetError) {
    switch operand {
    case .variable(let name), .part(.variable(let name), _):
      guard let index = Self.names(of: type)[name] else {
        let known = type.closureParameters.enumerated().map { $1.name ?? "$\($0 + 1)" }
        let hint = Suggestion.near(name, among: known)
        let list = known.isEmpty ? "; it has none" : "; it has \(known.joined(separator: ", "))"
        throw TargetError(
          message: "\"\(parameter)\": the callback has no argument \"\(name)\"\(hint.isEmpty ? list : hint): \(type)")
      }
      guard case .part(_, let path) = operand else { return }
      do {
        _ = try ResultShape.type(type.closureParameters[index].type).part(path)
      } catch {
        throw TargetError(message: "\"\(parameter)\": \"\(path)\" of \"\(name)\": \(error)")
      }
    case .result(let reference):
      throw TargetError(
        message: "\"\(parameter)\": a step's result is written as ${steps.\(reference.step)}, in a pipeline file")
    default: break
    }
  }
}

extension CallbackTarget.Action: CustomStringConvertible {
  /// The target in the syntax of a pipeline file.
  var description: String {
    switch self {
    case .function(let function, let plugin): "function: \(plugin.shortName).\(function.name)"
    case .expression(_, let text): "expression: \(PluginValue.string(text).json)"
    }
  }
}
