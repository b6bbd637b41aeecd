extension Promise {
  /// Settles the promise, if it is pending: fulfils it with the value, or rejects it with the error. True if it was
  /// pending.
  @discardableResult
  public final func resolve<E: Error>(result: Result<Value, E>) -> Bool {
    switch result {
    case .success(let value): resolve(value)
    case .failure(let error): reject(error)
    }
  }

  /// A promise of the value in the result that `onSuccess` returns for this one's, or rejected with the error in it.
  ///
  /// A trailing closure, which has no label, means `then(_:)` whatever it returns: this is disfavoured.
  @_disfavoredOverload
  public final func then<O, E: Error>(
    on context: PromiseContext = .immediate, result onSuccess: @escaping (Value) -> Result<O, E>
  ) -> Promise<O> {
    then(on: context) { value in try onSuccess(value).get() }
  }
}
