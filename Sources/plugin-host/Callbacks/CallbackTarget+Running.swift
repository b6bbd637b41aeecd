import PluginRuntime
import Promises
import Synchronization

extension CallbackTarget {
  /// Makes the callback. `host` returns the host whose plugins are called; it is called when the callback runs.
  func callback(in host: @escaping @Sendable () -> Host?) -> PluginCallback {
    // The first failure rejects the call. A @forever callback outlives its call, and stays usable after a failure.
    let failure = Mutex<CallbackFailure?>(nil)
    return PluginCallback { arguments in
      if let known = failure.withLock({ $0 }) { throw known }
      do throws(CallbackFailure) {
        return try run(arguments, host)
      } catch {
        if type.scope != .forever { failure.withLock { $0 = error } }
        throw error
      }
    }
  }

  private func run(
    _ arguments: [PluginValue], _ host: @Sendable () -> Host?
  ) throws(CallbackFailure) -> PluginValue {
    switch action {
    case .function(let function, let plugin):
      guard let host = host() else { throw failure("the plugins were unloaded") }
      return try result(of: function, of: plugin, arguments, in: host)
    case .expression(let expression, _): return try result(of: expression, arguments)
    }
  }

  // MARK: Functions

  /// Calls the function on this thread, and waits for its promise. Do not call on the main thread, which settles the
  /// promise.
  private func result(
    of function: FunctionDescription, of plugin: PluginDescription, _ arguments: [PluginValue], in host: Host
  ) throws(CallbackFailure) -> PluginValue {
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

  private func result(
    of expression: Expression, _ arguments: [PluginValue]
  ) throws(CallbackFailure) -> PluginValue {
    let names = Self.names(of: type)
    let value: PluginValue
    do {
      value = try expression.value { operand in
        guard case .variable(let name) = operand, let index = names[name] else { return .void }
        return ResultShape.type(type.closureParameters[index].type).written(arguments[index])
      }
    } catch {
      throw failure("\(error)")
    }
    guard let type = type.result else { return .void }
    guard let converted = value.converted(to: type) else {
      throw failure("its value is \(value.shown), expected \(type.expectation)")
    }
    return converted
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

/// The error of a callback, with which the call that it was passed to is rejected.
struct CallbackFailure: Error, CustomStringConvertible {
  var description: String
}

extension PluginValue {
  /// Converts the value of an expression to a callback's result of that type: a truth value as an integer is 1 or 0.
  /// `nil` if the value is of another type, or an integer is out of range.
  func converted(to type: ValueType) -> PluginValue? {
    if case .void = self { return type.isOptional || ArgumentKind(type) == .any ? self : nil }
    switch (ArgumentKind(type), self) {
    case (.integer, .bool(let value)): return .uint(value ? 1 : 0)
    case (.integer, .int), (.integer, .uint): return try? type.content.value(fromText: json)
    case (let expected, _): return kind.converts(to: expected) ? self : nil
    }
  }

  /// The value as text in a message.
  var shown: String { self == .void ? "null" : summary }

  private var kind: ArgumentKind {
    switch self {
    case .void: .void
    case .bool: .bool
    case .int, .uint: .integer
    case .double: .double
    case .string: .string
    case .bytes: .bytes
    case .pointer: .pointer
    case .file: .file
    case .array: .array
    case .object: .object
    }
  }
}
