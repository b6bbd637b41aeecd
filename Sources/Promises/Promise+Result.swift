extension Promise {
  /// Fulfils the promise with the result's value, or rejects it with the result's error.
  ///
  /// - Returns: true if the promise was pending; otherwise false, and the call is a no-op.
  @discardableResult
  public final func resolve<E: Error>(result: Result<Value, E>) -> Bool {
    switch result {
    case .success(let value): resolve(value)
    case .failure(let error): reject(error)
    }
  }

  /// Returns a promise settled with the `Result` that `onSuccess` returns for this promise's value: fulfilled with its
  /// value or rejected with its error.
  ///
  /// Disfavoured: a trailing closure has no label, so it always selects `then(_:)`, even if it returns a `Result`.
  @_disfavoredOverload
  public final func then<O, E: Error>(
    on context: PromiseContext = .immediate, result onSuccess: @escaping (Value) -> Result<O, E>
  ) -> Promise<O> {
    then(on: context) { value in try onSuccess(value).get() }
  }
}
