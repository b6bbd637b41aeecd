// The closures that the engine runs for futures. Each calls what it is made of for the outcomes that it is for, and lets
// the others pass.
extension Reactions {
  /// For values. One that is of another type, because another language settled the promise, fails.
  static func onValue<Value, Failure>(
    of future: Future<Value, Failure>.Type, _ body: @escaping (Value, inout CellValue) -> Verdict
  ) -> Closure {
    { isRejected, value, out in
      if isRejected { return .pass }
      if let value = value.decoded(as: Value.self) { return body(value, &out) }
      return out.leave(fault: value.mismatch(Value.self), in: future)
    }
  }

  /// For errors.
  static func onError<Value, Failure>(
    of future: Future<Value, Failure>.Type, _ body: @escaping (Failure, inout CellValue) -> Verdict
  ) -> Closure {
    { isRejected, value, out in
      guard isRejected, case .rejected(let error) = value.rejection(as: Failure.self) else { return .pass }
      return body(error, &out)
    }
  }

  /// For errors and indirect errors, or only the former.
  static func onAnyError<Value, Failure>(
    of future: Future<Value, Failure>.Type, includingIndirectErrors: Bool,
    _ body: @escaping (any Error, inout CellValue) -> Verdict
  ) -> Closure where Failure: Error {
    { isRejected, value, out in
      guard isRejected else { return .pass }
      switch value.rejection(as: Failure.self) {
      case .rejected(let error): return body(error, &out)
      case .cancelled(let error?) where includingIndirectErrors: return body(error, &out)
      default: return .pass
      }
    }
  }

  /// For cancellations.
  static func onCancellation<Value, Failure>(
    of future: Future<Value, Failure>.Type, _ body: @escaping ((any Error)?) -> Void
  ) -> Closure {
    { isRejected, value, _ in
      if isRejected, case .cancelled(let error) = value.rejection(as: Failure.self) { body(error) }
      return .pass
    }
  }

  /// For every outcome.
  static func onResult<Value, Failure>(
    of future: Future<Value, Failure>.Type,
    _ body: @escaping (FutureResult<Value, Failure>, inout CellValue) -> Verdict
  ) -> Closure {
    { isRejected, value, out in body(value.result(isRejected: isRejected), &out) }
  }
}

// What a callback leaves for the future that it settles.
extension CellValue {
  mutating func leave<Value>(_ value: Value) -> Verdict {
    self = .encoding(value)
    return .fulfill
  }

  mutating func leave<Failure>(error: Failure) -> Verdict {
    self = .encoding(failure: error)
    return .reject
  }

  mutating func leave(cancelledBecause error: (any Error)?) -> Verdict {
    self = .cancelled(because: error)
    return .reject
  }

  mutating func leave<Value, Failure>(fault: any Error, in future: Future<Value, Failure>.Type) -> Verdict {
    self = .encoding(fault: fault, as: Failure.self)
    return .reject
  }

  mutating func leave<Value, Failure>(result: FutureResult<Value, Failure>) -> Verdict {
    let (value, outcome) = result.encoded
    self = value
    return outcome.isRejected ? .reject : .fulfill
  }

  /// The outcome of another future, once it has one.
  mutating func leave<Value, Failure>(following future: Future<Value, Failure>) -> Verdict {
    self = .promise(future.cell)
    return .adopt
  }

  /// What `body` leaves, or the error that it throws.
  mutating func attempt(_ body: (inout CellValue) throws -> Verdict) -> Verdict {
    do { return try body(&self) } catch { return leave(error: error) }
  }
}
