// Callbacks that make a result out of one. A callback that is not for the outcome lets it pass; a cancellation passes all
// but mapResult and flatMapResult.
extension Future {
  /// A future of what `transform` makes of the value.
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

  /// `map`, with a callback that runs in `context`, and not after `token` was invalidated.
  ///
  /// `on` has no default: two forms that both match `map { }` would double the work of the type checker at each link.
  public func map<NewValue>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: @escaping (Value) -> NewValue
  ) -> Future<NewValue, Failure> {
    derive(
      on: context, token: token, .transforming(.fulfilled),
      Reactions.onValue(of: Future.self) { value, out in out.leave(transform(value)) })
  }

  /// `map`, with a callback that does not run after `token` was invalidated.
  public func map<NewValue>(
    token: InvalidationToken?, _ transform: @escaping (Value) -> NewValue
  ) -> Future<NewValue, Failure> {
    map(on: .immediate, token: token, transform)
  }

  /// A future that ends as the one does that `transform` returns for the value.
  ///
  /// If that one waits for this very result, the result is what the engine makes of a cycle: an error of domain
  /// "promise".
  public func flatMap<NewValue>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Value) -> Future<NewValue, Failure>
  ) -> Future<NewValue, Failure> {
    derive(
      on: context, token: token, .transforming(.fulfilled),
      Reactions.onValue(of: Future.self) { value, out in out.leave(following: transform(value)) })
  }

  /// A future of the same value, or rejected with what `transform` makes of the error.
  public func mapError<NewFailure>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Failure) -> NewFailure
  ) -> Future<Value, NewFailure> {
    derive(
      on: context, token: token, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.leave(error: transform(error)) })
  }

  /// A future of the same value, or one that ends as the one does that `transform` returns for the error.
  public func flatMapError<NewFailure>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Failure) -> Future<Value, NewFailure>
  ) -> Future<Value, NewFailure> {
    derive(
      on: context, token: token, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.leave(following: transform(error)) })
  }

  /// A future that ends as `transform` says, called with the result, whichever it is.
  public func mapResult<NewValue, NewFailure>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(
      on: context, token: token, .transforming(.all),
      Reactions.onResult(of: Future.self) { result, out in out.leave(result: transform(result)) })
  }

  /// A future that ends as the one does that `transform` returns, called with the result, whichever it is.
  public func flatMapResult<NewValue, NewFailure>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(
      on: context, token: token, .transforming(.all),
      Reactions.onResult(of: Future.self) { result, out in out.leave(following: transform(result)) })
  }

  /// A future of what `transform` makes of the error; it cannot fail any more, though it can be cancelled.
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
  /// What `map` leaves for a value.
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
