/// How a future ended.
public enum FutureResult<Value, Failure> {
  /// With a value.
  case fulfilled(Value)
  /// With an error.
  case rejected(Failure)
  /// With neither. The error, if there is one, is the *indirect error*: it happened elsewhere, and because of it the
  /// future was cancelled.
  case cancelled((any Error)?)

  /// The value, if fulfilled.
  public var value: Value? {
    if case .fulfilled(let value) = self { return value }
    return nil
  }

  /// The error, if rejected.
  public var error: Failure? {
    if case .rejected(let error) = self { return error }
    return nil
  }

  /// Whether it is a cancellation, with an indirect error or without.
  public var isCancelled: Bool {
    if case .cancelled = self { return true }
    return false
  }

  /// The error because of which the future was cancelled, if it was cancelled because of one.
  public var indirectError: (any Error)? {
    if case .cancelled(let error) = self { return error }
    return nil
  }
}

extension FutureResult {
  /// The same outcome with another value.
  public func map<NewValue>(_ transform: (Value) throws -> NewValue) rethrows -> FutureResult<NewValue, Failure> {
    try flatMap { .fulfilled(try transform($0)) }
  }

  /// The same outcome with another error.
  public func mapError<NewFailure>(
    _ transform: (Failure) throws -> NewFailure
  ) rethrows -> FutureResult<Value, NewFailure> {
    try flatMapError { .rejected(try transform($0)) }
  }

  /// Another outcome in place of a value.
  public func flatMap<NewValue>(
    _ transform: (Value) throws -> FutureResult<NewValue, Failure>
  ) rethrows -> FutureResult<NewValue, Failure> {
    switch self {
    case .fulfilled(let value): try transform(value)
    case .rejected(let error): .rejected(error)
    case .cancelled(let error): .cancelled(error)
    }
  }

  /// Another outcome in place of an error.
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
  /// The outcome that a `Result` is.
  public init(_ result: Result<Value, Failure>) {
    switch result {
    case .success(let value): self = .fulfilled(value)
    case .failure(let error): self = .rejected(error)
    }
  }

  /// The value; throws the error, or for a cancellation the indirect error, or `CancellationError` if there is none.
  public func get() throws -> Value {
    switch self {
    case .fulfilled(let value): return value
    case .rejected(let error): throw error
    case .cancelled(let error): throw error ?? CancellationError()
    }
  }
}

/// The error of what cannot fail.
public typealias NoError = Never

extension FutureResult: Sendable where Value: Sendable, Failure: Sendable {}
