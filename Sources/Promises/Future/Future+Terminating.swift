// Observers at the end of a chain: they return no future.
extension Future {
  /// Calls `callback` with every outcome.
  public func whenResolved(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ callback: @escaping (FutureResult<Value, Failure>) -> Void
  ) {
    observe(
      on: context, token: token, .observing(.all),
      Reactions.onResult(of: Future.self) { result, _ in
        callback(result)
        return .leave
      })
  }

  /// Calls `callback` with the value of a fulfilled future.
  public func whenFulfilled(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil, _ callback: @escaping (Value) -> Void
  ) {
    observe(
      on: context, token: token, .observing(.fulfilled),
      Reactions.onValue(of: Future.self) { value, _ in
        callback(value)
        return .leave
      })
  }

  /// Calls `callback` with the error of a rejected future.
  public func whenRejected(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil, _ callback: @escaping (Failure) -> Void
  ) {
    observe(
      on: context, token: token, .observing(.failed),
      Reactions.onError(of: Future.self) { error, _ in
        callback(error)
        return .leave
      })
  }

  /// Calls `callback` if the future is cancelled, with the indirect error if there is one. Does not count as interest
  /// in the future.
  public func whenCancelled(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ callback: @escaping ((any Error)?) -> Void
  ) {
    observe(
      on: context, token: token, .observing(.cancelled, interest: .none),
      Reactions.onCancellation(of: Future.self, callback))
  }
}

extension Future where Failure: Error {
  /// Calls `callback` with the error of a rejected future or the indirect error of a cancelled one. Not called for a
  /// cancellation without an indirect error.
  public func whenAnyError(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ callback: @escaping (any Error) -> Void
  ) {
    observe(
      on: context, token: token, .observing(.anyError(true)),
      Reactions.onAnyError(of: Future.self, includingIndirectErrors: true) { error, _ in
        callback(error)
        return .leave
      })
  }
}
