// Transformations. A callback runs for the outcomes that it handles, and other outcomes are forwarded. Only mapResult
// and flatMapResult handle cancellation.
extension Future {
  /// Returns a future of `transform`'s result for the value.
  @inlinable public func map<NewValue>(
    _ transform: consuming @escaping (Value) -> NewValue
  ) -> Future<NewValue, Failure> {
    let caller: StoredCallback.Caller = { callback, isRejected, value, out in
      let transform = unsafe callback.assumingMemoryBound(to: ((Value) -> NewValue).self).move()
      if isRejected { return .pass }
      return Reactions.map(value, Failure.self, &out, transform)
    }
    guard unsafe StoredCallback.isBare(caller) else { return map(on: .immediate, transform) }
    return unsafe Future<NewValue, Failure>(cell: cell.derive(StoredCallback(consume transform, caller: caller)))
  }

  /// Returns a future of `transform`'s result, as `map(_:)` does. `transform` runs in `context`, unless `token` was
  /// invalidated before.
  ///
  /// `on` has no default: two overloads that match `map { }` would double the type checker's work at each link of a
  /// chain.
  public func map<NewValue>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: @escaping (Value) -> NewValue
  ) -> Future<NewValue, Failure> {
    derive(
      on: context, token: token, .transforming(.fulfilled),
      Reactions.onValue(of: Future.self) { value, out in out.leave(transform(value)) })
  }

  /// Returns a future of `transform`'s result, as `map(_:)` does, unless `token` was invalidated before.
  public func map<NewValue>(
    token: InvalidationToken?, _ transform: @escaping (Value) -> NewValue
  ) -> Future<NewValue, Failure> {
    map(on: .immediate, token: token, transform)
  }

  /// Returns a future that follows the future `transform` returns for the value.
  ///
  /// If that future waits for the result itself, a cycle, the result gets an error of domain "promise". See
  /// **Failures** at `Future` for a `Failure` that this error does not fit.
  public func flatMap<NewValue>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Value) -> Future<NewValue, Failure>
  ) -> Future<NewValue, Failure> {
    derive(
      on: context, token: token, .transforming(.fulfilled),
      Reactions.onValue(of: Future.self) { value, out in out.leave(following: transform(value)) })
  }

  /// Returns a future of the same value. An error is replaced with `transform`'s result.
  public func mapError<NewFailure>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Failure) -> NewFailure
  ) -> Future<Value, NewFailure> {
    derive(
      on: context, token: token, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.leave(error: transform(error)) })
  }

  /// Returns a future of the same value. For an error, it follows the future that `transform` returns.
  public func flatMapError<NewFailure>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Failure) -> Future<Value, NewFailure>
  ) -> Future<Value, NewFailure> {
    derive(
      on: context, token: token, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.leave(following: transform(error)) })
  }

  /// Returns a future with the outcome that `transform` returns. `transform` is called for every outcome.
  public func mapResult<NewValue, NewFailure>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(
      on: context, token: token, .transforming(.all),
      Reactions.onResult(of: Future.self) { result, out in out.leave(result: transform(result)) })
  }

  /// Returns a future that follows the future `transform` returns. `transform` is called for every outcome.
  public func flatMapResult<NewValue, NewFailure>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(
      on: context, token: token, .transforming(.all),
      Reactions.onResult(of: Future.self) { result, out in out.leave(following: transform(result)) })
  }

  /// Returns a future in which `transform`'s result replaces an error. It cannot be rejected, but it can be cancelled.
  public func replaceError(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Failure) -> Value
  ) -> Future<Value, Never> {
    derive(
      on: context, token: token, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.leave(transform(error)) })
  }
}

extension Reactions {
  /// Stores `transform`'s result for a value.
  @inlinable @inline(__always)
  static func map<Value, NewValue, Failure>(
    _ value: CellValue, _ failure: Failure.Type, _ out: inout CellValue, _ transform: (Value) -> NewValue
  ) -> Verdict {
    guard let decoded = value.decoded(as: Value.self) else {
      out = .encoding(fault: value.mismatch(Value.self), as: Failure.self)
      return .reject
    }
    out = .encoding(transform(decoded))
    return .fulfill
  }
}
