/// The outcome of a future.
public enum FutureResult<Value, Failure> {
  /// Fulfilled with a value.
  case fulfilled(Value)
  /// Rejected with an error.
  case rejected(Failure)
  /// Cancelled, with or without an *indirect error*: an error that happened elsewhere and led to the cancellation.
  case cancelled((any Error)?)

  /// Cancelled without an indirect error.
  ///
  ///     let ended: FutureResult<Int, any Error> = .cancelled
  ///
  /// Where no type is expected, this name also fits the case's own function, so the compiler rejects it as ambiguous:
  /// state the type, or write `.cancelled(nil)`. A pattern `case .cancelled` and ``isCancelled`` match every
  /// cancellation; `result == .cancelled` is false for one with an indirect error.
  @inlinable public static var cancelled: FutureResult { .cancelled(nil) }

  /// The value, if fulfilled.
  @inlinable public var value: Value? {
    if case .fulfilled(let value) = self { return value }
    return nil
  }

  /// The error, if rejected.
  @inlinable public var error: Failure? {
    if case .rejected(let error) = self { return error }
    return nil
  }

  /// Whether the future was cancelled, with an indirect error or without.
  @inlinable public var isCancelled: Bool {
    if case .cancelled = self { return true }
    return false
  }

  /// The indirect error of a cancellation, if there is one.
  @inlinable public var indirectError: (any Error)? {
    if case .cancelled(let error) = self { return error }
    return nil
  }
}

extension FutureResult {
  /// Returns the outcome with the value transformed.
  public func map<NewValue>(_ transform: (Value) throws -> NewValue) rethrows -> FutureResult<NewValue, Failure> {
    try flatMap { .fulfilled(try transform($0)) }
  }

  /// Returns the outcome with the error transformed.
  public func mapError<NewFailure>(
    _ transform: (Failure) throws -> NewFailure
  ) rethrows -> FutureResult<Value, NewFailure> {
    try flatMapError { .rejected(try transform($0)) }
  }

  /// Returns `transform`'s outcome for a value; other outcomes are kept.
  public func flatMap<NewValue>(
    _ transform: (Value) throws -> FutureResult<NewValue, Failure>
  ) rethrows -> FutureResult<NewValue, Failure> {
    switch self {
    case .fulfilled(let value): try transform(value)
    case .rejected(let error): .rejected(error)
    case .cancelled(let error): .cancelled(error)
    }
  }

  /// Returns `transform`'s outcome for an error; other outcomes are kept.
  public func flatMapError<NewFailure>(
    _ transform: (Failure) throws -> FutureResult<Value, NewFailure>
  ) rethrows -> FutureResult<Value, NewFailure> {
    switch self {
    case .fulfilled(let value): .fulfilled(value)
    case .rejected(let error): try transform(error)
    case .cancelled(let error): .cancelled(error)
    }
  }
}

extension FutureResult where Failure: Error {
  /// Converts a `Result`.
  @inlinable public init(_ result: Result<Value, Failure>) {
    switch result {
    case .success(let value): self = .fulfilled(value)
    case .failure(let error): self = .rejected(error)
    }
  }

  /// Returns the value.
  ///
  /// - Throws: the error of a rejection. For a cancellation, the indirect error, or `CancellationError` without one.
  public func get() throws -> Value {
    switch self {
    case .fulfilled(let value): return value
    case .rejected(let error): throw error
    case .cancelled(let error): throw error ?? CancellationError()
    }
  }
}

/// The failure type of futures that cannot be rejected.
public typealias NoError = Never

extension FutureResult: Sendable where Value: Sendable, Failure: Sendable {}
