// Adapters from a future's callbacks to the closures that the engine runs. Each calls its body for the outcomes that it
// handles, and forwards the others.
extension Reactions {
  /// Handles values. A value of another type, from a promise that another language settled, becomes an error.
  @inlinable static func onValue<Value, Failure>(
    of future: Future<Value, Failure>.Type, _ body: @escaping (Value, inout CellValue) -> Verdict
  ) -> Closure {
    { isRejected, value, out in
      if isRejected { return .pass }
      if let value = value.decoded(as: Value.self) { return body(value, &out) }
      return out.leave(fault: value.mismatch(Value.self), in: future)
    }
  }

  /// Handles errors.
  @inlinable static func onError<Value, Failure>(
    of future: Future<Value, Failure>.Type, _ body: @escaping (Failure, inout CellValue) -> Verdict
  ) -> Closure {
    { isRejected, value, out in
      guard isRejected, case .rejected(let error) = value.rejection(as: Failure.self) else { return .pass }
      return body(error, &out)
    }
  }

  /// Handles errors and, if `includingIndirectErrors` is true, indirect errors.
  @inlinable static func onAnyError<Value, Failure>(
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

  /// Handles cancellations.
  @inlinable static func onCancellation<Value, Failure>(
    of future: Future<Value, Failure>.Type, _ body: @escaping ((any Error)?) -> Void
  ) -> Closure {
    { isRejected, value, _ in
      if isRejected, case .cancelled(let error) = value.rejection(as: Failure.self) { body(error) }
      return .pass
    }
  }

  /// Handles every outcome.
  @inlinable static func onResult<Value, Failure>(
    of future: Future<Value, Failure>.Type,
    _ body: @escaping (FutureResult<Value, Failure>, inout CellValue) -> Verdict
  ) -> Closure {
    { isRejected, value, out in body(value.result(isRejected: isRejected), &out) }
  }

  /// Handles values and errors, as a `Result`.
  @inlinable static func onEither<Value, Failure: Error>(
    of future: Future<Value, Failure>.Type, _ body: @escaping (Result<Value, Failure>, inout CellValue) -> Verdict
  ) -> Closure {
    { isRejected, value, out in
      switch value.result(isRejected: isRejected) as FutureResult<Value, Failure> {
      case .fulfilled(let value): return body(.success(value), &out)
      case .rejected(let error): return body(.failure(error), &out)
      // A value of another type, from a promise that another language settled, cancels a future of this failure type.
      case .cancelled(let error): return isRejected ? .pass : out.leave(cancelledBecause: error)
      }
    }
  }
}

// Stores a callback's result as the outcome of the future that it settles.
extension CellValue {
  @inlinable mutating func leave<Value>(_ value: Value) -> Verdict {
    self = .encoding(value)
    return .fulfill
  }

  @inlinable mutating func leave<Failure>(error: Failure) -> Verdict {
    self = .encoding(failure: error)
    return .reject
  }

  @inlinable mutating func leave(cancelledBecause error: (any Error)?) -> Verdict {
    self = .cancelled(because: error)
    return .reject
  }

  @inlinable mutating func leave<Value, Failure>(fault: any Error, in future: Future<Value, Failure>.Type) -> Verdict {
    self = .encoding(fault: fault, as: Failure.self)
    return .reject
  }

  @inlinable mutating func leave<Value, Failure>(result: FutureResult<Value, Failure>) -> Verdict {
    switch result {
    case .fulfilled(let value): leave(value)
    case .rejected(let error): leave(error: error)
    case .cancelled(let error): leave(cancelledBecause: error)
    }
  }

  /// Stores a future to follow.
  @inlinable mutating func leave<Value, Failure>(following future: Future<Value, Failure>) -> Verdict {
    self = .promise(future.cell)
    return .adopt
  }

  /// Runs `body`; an error that it throws becomes the outcome.
  @inlinable mutating func attempt(_ body: (inout CellValue) throws -> Verdict) -> Verdict {
    do { return try body(&self) } catch { return leave(error: error) }
  }
}
