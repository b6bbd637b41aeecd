extension Result {
  /// The value, if there is one.
  public var value: Success? { try? get() }

  /// The error, if there is one.
  public var error: Failure? {
    if case .failure(let error) = self { return error }
    return nil
  }

  /// Calls `body` with the value, if there is one.
  ///
  /// - Returns: this result.
  @discardableResult
  public func onSuccess(_ body: (Success) -> Void) -> Result {
    if case .success(let value) = self { body(value) }
    return self
  }

  /// Calls `body` with the error, if there is one.
  ///
  /// - Returns: this result.
  @discardableResult
  public func onError(_ body: (Failure) -> Void) -> Result {
    if case .failure(let error) = self { body(error) }
    return self
  }

  /// Returns `transform`'s result for the value, or the error that it throws.
  public func tryMap<NewSuccess>(_ transform: (Success) throws -> NewSuccess) -> Result<NewSuccess, any Error> {
    Result<NewSuccess, any Error> { try transform(get()) }
  }
}
