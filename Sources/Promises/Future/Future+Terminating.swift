// Callbacks at the end of a chain: they look on, and nothing waits for them.
extension Future {
  /// Calls `callback` with the result, whichever it is.
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

  /// Calls `callback` with the value.
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

  /// Calls `callback` with the error.
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

  /// Calls `callback` if the future is cancelled, with the indirect error if there is one.
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
  /// Calls `callback` with the error, or with the indirect error of a cancellation; not for a cancellation without one.
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
