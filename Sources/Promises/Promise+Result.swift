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
  /// Disfavoured: a trailing closure has no label, so it selects `then(_:)`, even if it returns a `Result`, unless the
  /// call has a known type `Promise<O>`. See `flattened()`.
  @_disfavoredOverload
  public final func then<O, E: Error>(
    result onSuccess: consuming @escaping (Value) -> Result<O, E>
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.then(result: consume onSuccess)))
  }

  /// Returns a promise settled with the `Result` that `onSuccess` returns; `onSuccess` runs on the main actor.
  @_disfavoredOverload
  public final func then<O, E: Error>(
    on main: MainContext, result onSuccess: consuming @escaping @MainActor (Value) -> Result<O, E>
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(main.place, for: .fulfilled, Reactions.then(result: main.calling(consume onSuccess))))
  }

  /// Returns a promise settled with the `Result` that `onSuccess` returns; `onSuccess` runs in `context`.
  @_disfavoredOverload
  public final func then<O, E: Error>(
    on context: PromiseContext, result onSuccess: sending @escaping (Value) -> Result<O, E>
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, for: .fulfilled, Reactions.then(result: consume onSuccess)))
  }
}

extension Promise {
  /// Returns a promise settled with the `Result` that is this promise's value: fulfilled with its value or rejected
  /// with its error. A rejection of this promise is forwarded.
  ///
  ///     promise.then { validate($0) }.flattened()
  public final func flattened<O, E: Error>() -> Promise<O> where Value == Result<O, E> { then(result: { $0 }) }
}

extension Reactions {
  static func then<T, O, E: Error>(result onSuccess: @escaping (T) -> Result<O, E>) -> Closure {
    then { value in try onSuccess(value).get() }
  }
}
