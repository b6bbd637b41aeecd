import CPromise

extension CallbackConversion {
  /// Reads the outcome from the arguments of a callback that settles a promise: a value, or the reason of a rejection.
  /// The caller owns the reference.
  ///
  /// - Parameter source: the callback's source, named in errors.
  func outcome(
    _ addresses: UnsafePointer<UnsafeMutableRawPointer?>?, for source: CallbackSource
  ) -> (value: promise_value_t, isFulfilled: Bool) {
    do throws(ArgumentMismatch) {
      for (index, argument) in arguments.enumerated() {
        guard case .reject(let rule) = argument.parameter.role else { continue }
        guard let failure = try failure(rule, index, argument, addresses) else { continue }
        let error = try Self.borrowed(argument, addresses?[index])
        return (error ?? Self.reason(failure, source.function, domain: source.plugin), false)
      }
      var value = promise_value_t()
      value.kind = promise_kind_t(PROMISE_KIND_VOID)
      for (index, argument) in arguments.enumerated() where argument.parameter.role == .resolve {
        if let given = try Self.borrowed(argument, addresses?[index]) {
          value = given
        } else {
          value = try argument.plan.abi(load(index, argument, addresses))
        }
      }
      return (value, true)
    } catch {
      return (promise_value_t(source.misuse(error)), false)
    }
  }

  /// Retains and returns an error or a value that is passed by address; `nil` for other types and for NULL.
  private static func borrowed(
    _ argument: Argument, _ memory: UnsafeMutableRawPointer?
  ) throws(ArgumentMismatch) -> promise_value_t? {
    switch argument.parameter.type.unwrapped {
    case .value, .error: break
    default: return nil
    }
    guard let value = memory?.load(as: UnsafePointer<promise_value_t>?.self) else { return nil }
    guard promise_value_retain(value) == PROMISE_OK else {
      throw ArgumentMismatch(message: "is not a valid promise_value_t, expected one that the library made")
    }
    return value.pointee
  }

  /// Returns the argument if it is a failure by the rule.
  private func failure(
    _ rule: FailureRule, _ index: Int, _ argument: Argument, _ addresses: UnsafePointer<UnsafeMutableRawPointer?>?
  ) throws(ArgumentMismatch) -> PluginValue? {
    let isAddress = argument.parameter.type.isAddress
    if isAddress, let memory = addresses?[index], memory.load(as: UInt.self) == 0 {
      return rule == .null || rule == .always ? .void : nil
    }
    if case .error = argument.parameter.type.unwrapped { return .void }
    let value = try load(index, argument, addresses)
    return value.isFailure(rule, isAddress: isAddress) ? value : nil
  }

  /// Makes an ERROR with the plugin's domain: from a code, or with the text as its message.
  private static func reason(_ failure: PluginValue, _ subject: String, domain: String) -> promise_value_t {
    let (code, message): (Int64, String) =
      switch failure {
      case .int(let code): (code, "\(subject) failed with \(code)")
      case .uint(let code): (Int64(clamping: code), "\(subject) failed with \(code)")
      case .string(let text): (0, text)
      case .void: (0, "\(subject) failed, and does not say why")
      default: (0, "\(subject) failed with \(failure.name)")
      }
    var reason = promise_value_t()
    // On failure the reason is VOID, which is also valid.
    promise_value_error(&reason, domain, code, message.filter { $0 != "\0" })
    return reason
  }
}

extension PluginValue {
  /// Whether the value, which is not NULL, means failure by the rule.
  fileprivate func isFailure(_ rule: FailureRule, isAddress: Bool) -> Bool {
    switch rule {
    case .always: return true
    case .nonnull: return isAddress
    case .null: return false
    default: break
    }
    let (isZero, isNegative): (Bool, Bool) =
      switch self {
      case .bool(let value): (!value, false)
      case .int(let number): (number == 0, number < 0)
      case .uint(let number): (number == 0, false)
      case .double(let number): (number == 0, number < 0)
      default: (false, false)
      }
    switch rule {
    case .zero: return isZero
    case .negative, .status, .errno: return isNegative
    default: return !isZero
    }
  }
}
