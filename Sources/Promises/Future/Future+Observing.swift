// Observers. The returned future has the same outcome as this one, and settles after the callback has returned.
extension Future {
  /// Calls `callback` with the value of a fulfilled future.
  @discardableResult
  public func onSuccess(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil, _ callback: @escaping (Value) -> Void
  ) -> Future {
    derive(
      on: context, token: token, .observing(.fulfilled),
      Reactions.onValue(of: Future.self) { value, _ in
        callback(value)
        return .pass
      })
  }

  /// Calls `callback` with the error of a rejected future.
  @discardableResult
  public func onError(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil, _ callback: @escaping (Failure) -> Void
  ) -> Future {
    derive(
      on: context, token: token, .observing(.failed),
      Reactions.onError(of: Future.self) { error, _ in
        callback(error)
        return .pass
      })
  }

  /// Calls `callback` with the error of a rejected future, if it is of type `E`.
  @discardableResult
  public func onError<E>(
    of type: E.Type, on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ callback: @escaping (E) -> Void
  ) -> Future {
    onError(on: context, token: token) { error in
      if let error = error as? E { callback(error) }
    }
  }

  /// Calls `callback` with every outcome.
  @discardableResult
  public func onComplete(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ callback: @escaping (FutureResult<Value, Failure>) -> Void
  ) -> Future {
    derive(
      on: context, token: token, .observing(.all),
      Reactions.onResult(of: Future.self) { result, _ in
        callback(result)
        return .pass
      })
  }

  /// Calls `callback` if the future is cancelled, with the indirect error if there is one. Does not count as interest
  /// in the future.
  @discardableResult
  public func onCancel(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ callback: @escaping ((any Error)?) -> Void
  ) -> Future {
    derive(
      on: context, token: token,
      .observing(.cancelled, interest: .quiet), Reactions.onCancellation(of: Future.self, callback))
  }

  /// Calls `callback` with every outcome. Does not count as interest in the future.
  ///
  /// - Returns: this future, so later callbacks do not wait for `callback`.
  @discardableResult
  public func tap(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ callback: @escaping (FutureResult<Value, Failure>) -> Void
  ) -> Future {
    observe(
      on: context, token: token, .observing(.all, interest: .none),
      Reactions.onResult(of: Future.self) { result, _ in
        callback(result)
        return .leave
      })
    return self
  }

  /// Calls `body` with this future, inline: attaches a branch in the middle of a chain.
  ///
  /// - Returns: this future.
  @discardableResult
  public func fork(_ body: (Future) throws -> Void) rethrows -> Future {
    try body(self)
    return self
  }
}

extension Future where Failure: Error {
  /// Calls `callback` with the error of a rejected future and, if `includingIndirectErrors` is true, with the indirect
  /// error of a cancelled one. Does not count as interest in the future.
  ///
  /// - Returns: this future, so later callbacks do not wait for `callback`.
  @discardableResult
  public func `catch`(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    _ callback: @escaping (any Error) -> Void
  ) -> Future {
    observe(
      on: context, token: token, .observing(.anyError(includingIndirectErrors), interest: .none),
      Reactions.onAnyError(of: Future.self, includingIndirectErrors: includingIndirectErrors) { error, _ in
        callback(error)
        return .leave
      })
    return self
  }
}

extension Job.Arms {
  static func anyError(_ includingIndirectErrors: Bool) -> Job.Arms {
    includingIndirectErrors ? .failed | .discardedWithCause : .failed
  }
}
