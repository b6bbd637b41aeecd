/// One state of a stream: data, an error that does not end the stream, or the end.
///
/// A stream has any number of `.data` and `.error` states in any order, then at most one `.cancelled`, the last.
public enum StreamState<Value, Failure> {
  /// A value.
  case data(Value)
  /// An error. The stream continues.
  case error(Failure)
  /// The end: the publisher cancelled the stream or was released.
  case cancelled

  /// The value, if there is one.
  public var value: Value? {
    if case .data(let value) = self { return value }
    return nil
  }

  /// The error, if there is one.
  public var error: Failure? {
    if case .error(let error) = self { return error }
    return nil
  }

  /// Whether this is the end.
  public var isCancelled: Bool {
    if case .cancelled = self { return true }
    return false
  }
}

extension StreamState: Sendable where Value: Sendable, Failure: Sendable {}
extension StreamState: Equatable where Value: Equatable, Failure: Equatable {}
extension StreamState: Hashable where Value: Hashable, Failure: Hashable {}

extension StreamState where Failure: Error {
  /// Converts a `Result`: a success is data.
  public init(_ result: Result<Value, Failure>) {
    switch result {
    case .success(let value): self = .data(value)
    case .failure(let error): self = .error(error)
    }
  }
}

extension StreamState: CustomStringConvertible {
  /// The description of the value or of the error; `Cancelled.` at the end.
  public var description: String {
    switch self {
    case .data(let value): "\(value)"
    case .error(let error): "\(error)"
    case .cancelled: "Cancelled."
    }
  }
}
