import PluginRuntime
import Promises

extension CallbackTarget {
  /// Makes the callback. `host` returns the host whose plugins are called; it is called when the callback runs.
  func callback(in host: @escaping @Sendable () -> Host?) -> PluginCallback {
    PluginCallback { arguments in
      switch action {
      case .function(let function, let plugin):
        guard let host = host() else { throw failure("the plugins have ended") }
        return try result(of: function, of: plugin, arguments, in: host)
      case .expression(let expression, _): return try result(of: expression, arguments)
      }
    }
  }

  // MARK: Functions

  /// Calls the function on this thread, and waits for its promise. Never called on the main thread, which settles the
  /// promise.
  private func result(
    of function: FunctionDescription, of plugin: PluginDescription, _ arguments: [PluginValue], in host: Host
  ) throws -> PluginValue {
    let used = arguments.prefix(function.signature.inputs.count)
    let promise = host.call(function.name, of: plugin.id, used.map { .value($0) })
    let outcome: FutureResult<PluginValue, any Error>
    do throws(WaitError) {
      outcome = try promise.future.wait()
    } catch {
      promise.discard()
      throw failure("its promise waits for the thread that the callback runs on")
    }
    switch outcome {
    case .fulfilled(let value): return type.result == nil && type.outputs.isEmpty ? .void : value
    case .rejected(let reason): throw failure(CallFailure(reason: reason).description)
    case .cancelled: throw failure("its promise was discarded")
    }
  }

  // MARK: Expressions

  private func result(of expression: Expression, _ arguments: [PluginValue]) throws -> PluginValue {
    let names = Self.names(of: type)
    let value: PluginValue
    do {
      value = try expression.value { operand in
        guard case .variable(let name) = operand, let index = names[name] else { return .void }
        return arguments[index]
      }
    } catch {
      throw failure("\(error)")
    }
    guard let type = type.result else { return .void }
    guard let converted = Self.converted(value, to: type.content) else {
      throw failure("its value is \(value == .void ? "null" : value.summary), expected \(type.expectation)")
    }
    return converted
  }

  /// The value as a result of that type: a truth value as an integer is 1 or 0. `nil` if an integer is out of range.
  private static func converted(_ value: PluginValue, to type: ValueType) -> PluginValue? {
    switch (ArgumentKind(type), value) {
    case (.integer, .bool(let value)): .uint(value ? 1 : 0)
    case (.integer, .int), (.integer, .uint): try? type.value(fromText: value.json)
    case (.integer, _), (.bool, .int), (.bool, .uint), (.bool, .double), (.double, .bool), (.double, .string): nil
    default: value
    }
  }

  private func failure(_ message: String) -> CallbackFailure {
    let text =
      switch action {
      case .function(let function, let plugin): "\(plugin.shortName).\(function.name)"
      case .expression(_, let text): text
      }
    return CallbackFailure(description: "the callback \(parameter)='\(text)': \(message)")
  }
}

/// The error of a callback, which rejects the call that it was passed to.
struct CallbackFailure: Error, CustomStringConvertible {
  var description: String
}
