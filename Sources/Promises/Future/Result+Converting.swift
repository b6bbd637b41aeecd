extension Result where Failure: Error {
  /// Converts the outcome of a future.
  ///
  /// - Parameter cancelled: returns the error that stands for a cancellation; its argument is the indirect error.
  public init(
    _ result: FutureResult<Success, Failure>, ifCancelled cancelled: (_ indirectError: (any Error)?) -> Failure
  ) {
    switch result {
    case .fulfilled(let value): self = .success(value)
    case .rejected(let error): self = .failure(error)
    case .cancelled(let error): self = .failure(cancelled(error))
    }
  }
}

extension Result where Failure == any Error {
  /// Converts the outcome of a future. A cancellation becomes its indirect error, or `CancellationError` without one.
  public init<E: Error>(_ result: FutureResult<Success, E>) { self.init { try result.get() } }
}
