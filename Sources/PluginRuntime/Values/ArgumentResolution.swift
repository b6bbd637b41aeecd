import CPromise
import Promises

extension ArgumentValues {
  /// Finds the argument of each parameter, by name, by position or by default, and types it as the signature says.
  static func resolve(_ arguments: [Argument], for function: BoundFunction) throws(PluginError) -> ArgumentValues {
    let parameters = function.signature.parameters
    let contents = try assign(arguments, to: function)
    let resolved = ArgumentValues(capacity: parameters.count)
    for (index, parameter) in parameters.enumerated() {
      if let content = contents[index] {
        resolved.append(try value(of: content, for: parameter, of: function))
      } else {
        let defaultValue = function.plan.pointee.parameters[index].defaultValue
        guard parameter.defaultValue != nil else { throw function.missing(parameter) }
        withUnsafePointer(to: defaultValue) { _ = promise_value_retain($0) }
        resolved.append(defaultValue)
      }
    }
    return resolved
  }

  /// The content for each parameter; `nil` where it takes its default.
  private static func assign(
    _ arguments: [Argument], to function: BoundFunction
  ) throws(PluginError) -> [Argument.Content?] {
    let parameters = function.signature.parameters
    var contents = [Argument.Content?](repeating: nil, count: parameters.count)
    for argument in arguments {
      guard let name = argument.name else { continue }
      guard let index = parameters.firstIndex(where: { $0.name == name }) else {
        throw function.error(.badArgument, "has no parameter '\(name)': \(function.signature)")
      }
      guard contents[index] == nil else { throw function.error(.badArgument, "is given the argument '\(name)' twice") }
      contents[index] = argument.content
    }
    var index = 0
    for argument in arguments where argument.name == nil {
      while index < contents.count, contents[index] != nil { index += 1 }
      guard index < contents.count else {
        throw function.error(
          .badArgument,
          "is given \(arguments.count) arguments, expected at most \(parameters.count): \(function.signature)")
      }
      contents[index] = argument.content
    }
    return contents
  }

  private static func value(
    of content: Argument.Content, for parameter: Parameter, of function: BoundFunction
  ) throws(PluginError) -> promise_value_t {
    let value: PluginValue
    do {
      switch content {
      case .value(let given): value = given
      case .text(let text): value = try parameter.type.value(fromText: text)
      case .contents(let bytes): value = try parameter.type.value(fromContents: bytes)
      case .promise(let promise):
        guard case .promise(let element) = parameter.type else {
          throw ArgumentMismatch(message: "is a promise, expected \(parameter.type.expectation)")
        }
        guard let handle = PromiseBridge.abi(promise, of: element) else {
          throw ArgumentMismatch(message: "finds no memory left")
        }
        return promise_value_t(promise: handle)
      }
      if case .promise(let element) = parameter.type {
        guard let suitable = PluginValue.suiting(element, value) else {
          throw ArgumentMismatch(message: "is \(value.name), expected what a \(parameter.type) can hold")
        }
        guard let handle = PromiseBridge.abi(.resolve(suitable), of: element) else {
          throw ArgumentMismatch(message: "finds no memory left")
        }
        return promise_value_t(promise: handle)
      }
      guard let converted = promise_value_t(value) else { throw ArgumentMismatch(message: "finds no memory left") }
      return converted
    } catch {
      throw function.error(
        .badArgument, "argument '\(parameter.name)' \((error as? ArgumentMismatch)?.message ?? "\(error)")")
    }
  }
}
