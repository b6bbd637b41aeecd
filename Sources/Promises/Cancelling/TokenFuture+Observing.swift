// Observers with the token.
extension TokenFuture {
  /// See `Future.onSuccess`.
  @discardableResult
  public func onSuccess(
    on context: PromiseContext = .immediate, _ callback: @escaping (Value) -> Void
  ) -> TokenFuture {
    derived(inner.onSuccess(on: context, token: token, callback))
  }

  /// See `Future.onError`.
  @discardableResult
  public func onError(
    on context: PromiseContext = .immediate, _ callback: @escaping (Failure) -> Void
  ) -> TokenFuture {
    derived(inner.onError(on: context, token: token, callback))
  }

  /// See `Future.onComplete`.
  @discardableResult
  public func onComplete(
    on context: PromiseContext = .immediate, _ callback: @escaping (FutureResult<Value, Failure>) -> Void
  ) -> TokenFuture {
    derived(inner.onComplete(on: context, token: token, callback))
  }

  /// See `Future.onCancel`.
  @discardableResult
  public func onCancel(
    on context: PromiseContext = .immediate, _ callback: @escaping ((any Error)?) -> Void
  ) -> TokenFuture {
    derived(inner.onCancel(on: context, token: token, callback))
  }

  /// See `Future.tap(on:token:_:)`.
  @discardableResult
  public func tap(
    on context: PromiseContext = .immediate, _ callback: @escaping (FutureResult<Value, Failure>) -> Void
  ) -> TokenFuture {
    inner.tap(on: context, token: token, callback)
    return self
  }

  /// See `Future.tap()`.
  public func tap() -> TokenFuture { aside(inner.tap()) }

  /// See `Future.ignoringCancel()`.
  public func ignoringCancel() -> TokenFuture { aside(inner.ignoringCancel()) }

  /// See `Future.fork(_:)`.
  @discardableResult
  public func fork(_ body: (TokenFuture) throws -> Void) rethrows -> TokenFuture {
    try body(self)
    return self
  }
}
