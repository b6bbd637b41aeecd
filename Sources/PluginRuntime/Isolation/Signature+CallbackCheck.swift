/// Checks the arguments that another process passes to callbacks, so that closures of a program only get values of the
/// declared types.
extension Signature {
  /// Returns the arguments of a call, with each callback replaced by one that checks its arguments before it runs the
  /// closure.
  ///
  /// - Parameters:
  ///   - subject: the qualified name of the function, for errors.
  func checkingCallbacks(_ arguments: [Argument], _ subject: String) -> [Argument] {
    guard arguments.contains(where: { if case .callback = $0.content { true } else { false } }) else {
      return arguments
    }
    return zip(arguments, parameters(ofNames: arguments.map(\.name))).map { argument, parameter in
      guard case .callback(let callback) = argument.content else { return argument }
      return Argument(name: argument.name, .callback(Self.checking(callback, parameter, subject)))
    }
  }

  private static func checking(_ callback: PluginCallback, _ parameter: Parameter?, _ subject: String) -> PluginCallback
  {
    let type = parameter?.type.callbackType
    var checking = PluginCallback { values in
      do throws(ArgumentMismatch) {
        guard let type else { throw ArgumentMismatch(message: "it is not a callback of the function") }
        try type.check(values)
      } catch {
        throw PluginError.misuse(of: parameter?.name ?? "", in: subject, error)
      }
      return try callback.run(values)
    }
    checking.scope = type?.scope ?? .call
    return checking
  }
}

extension CallbackType {
  /// Checks the values that a closure receives.
  fileprivate func check(_ values: [PluginValue]) throws(ArgumentMismatch) {
    let passed = closureIndices
    guard values.count == passed.count else {
      throw ArgumentMismatch(message: "\(values.count) arguments, expected \(passed.count)")
    }
    for (index, value) in zip(passed, values) {
      let parameter = parameters[index]
      switch parameter.type.unwrapped {
      // Values of any kind; errors as in-process, where some are texts.
      case .value, .error: continue
      default: break
      }
      try converting(parameter.name.map { "'\($0)'" } ?? "argument \(index + 1)") { () throws(ArgumentMismatch) in
        try value.check(as: parameter.type)
      }
    }
  }
}
