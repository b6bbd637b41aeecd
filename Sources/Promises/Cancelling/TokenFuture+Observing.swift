// Observers with the token.
extension TokenFuture {
  /// See `Future.onSuccess`.
  @discardableResult
  @inlinable public func onSuccess(_ callback: consuming @escaping (Value) -> Void) -> TokenFuture {
    derived(inner.onSuccess(token: token, consume callback))
  }

  /// See `Future.onSuccess`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onSuccess(on context: PromiseContext, _ callback: sending @escaping (Value) -> Void)
    -> TokenFuture
  {
    derived(inner.onSuccess(on: context, token: token, consume callback))
  }

  /// See `Future.onSuccess`.
  @discardableResult
  @inlinable public func onSuccess(on main: MainContext, _ callback: consuming @escaping @MainActor (Value) -> Void)
    -> TokenFuture
  {
    derived(inner.onSuccess(on: main, token: token, consume callback))
  }

  /// See `Future.onError`.
  @discardableResult
  @inlinable public func onError(_ callback: consuming @escaping (Failure) -> Void) -> TokenFuture {
    derived(inner.onError(token: token, consume callback))
  }

  /// See `Future.onError`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onError(on context: PromiseContext, _ callback: sending @escaping (Failure) -> Void)
    -> TokenFuture
  {
    derived(inner.onError(on: context, token: token, consume callback))
  }

  /// See `Future.onError`.
  @discardableResult
  @inlinable public func onError(on main: MainContext, _ callback: consuming @escaping @MainActor (Failure) -> Void)
    -> TokenFuture
  {
    derived(inner.onError(on: main, token: token, consume callback))
  }

  /// See `Future.onComplete`.
  @discardableResult
  @inlinable public func onComplete(_ callback: consuming @escaping (FutureResult<Value, Failure>) -> Void)
    -> TokenFuture
  {
    derived(inner.onComplete(token: token, consume callback))
  }

  /// See `Future.onComplete`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onComplete(
    on context: PromiseContext, _ callback: sending @escaping (FutureResult<Value, Failure>) -> Void
  ) -> TokenFuture {
    derived(inner.onComplete(on: context, token: token, consume callback))
  }

  /// See `Future.onComplete`.
  @discardableResult
  @inlinable public func onComplete(
    on main: MainContext, _ callback: consuming @escaping @MainActor (FutureResult<Value, Failure>) -> Void
  ) -> TokenFuture {
    derived(inner.onComplete(on: main, token: token, consume callback))
  }

  /// See `Future.onCancel`.
  @discardableResult
  @inlinable public func onCancel(_ callback: consuming @escaping ((any Error)?) -> Void) -> TokenFuture {
    derived(inner.onCancel(token: token, consume callback))
  }

  /// See `Future.onCancel`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onCancel(on context: PromiseContext, _ callback: sending @escaping ((any Error)?) -> Void)
    -> TokenFuture
  {
    derived(inner.onCancel(on: context, token: token, consume callback))
  }

  /// See `Future.onCancel`.
  @discardableResult
  @inlinable public func onCancel(
    on main: MainContext, _ callback: consuming @escaping @MainActor ((any Error)?) -> Void
  )
    -> TokenFuture
  {
    derived(inner.onCancel(on: main, token: token, consume callback))
  }

  /// See `Future.onCancel`.
  @discardableResult
  @inlinable public func onCancel(_ callback: consuming @escaping () -> Void) -> TokenFuture {
    derived(inner.onCancel(token: token, consume callback))
  }

  /// See `Future.onCancel`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onCancel(on context: PromiseContext, _ callback: sending @escaping () -> Void) -> TokenFuture {
    derived(inner.onCancel(on: context, token: token, consume callback))
  }

  /// See `Future.onCancel`.
  @discardableResult
  @inlinable public func onCancel(on main: MainContext, _ callback: consuming @escaping @MainActor () -> Void)
    -> TokenFuture
  {
    derived(inner.onCancel(on: main, token: token, consume callback))
  }

  /// See `Future.tap`.
  @discardableResult
  @inlinable public func tap(_ callback: consuming @escaping (FutureResult<Value, Failure>) -> Void) -> TokenFuture {
    inner.tap(token: token, consume callback)
    return self
  }

  /// See `Future.tap`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func tap(
    on context: PromiseContext, _ callback: sending @escaping (FutureResult<Value, Failure>) -> Void
  ) -> TokenFuture {
    inner.tap(on: context, token: token, consume callback)
    return self
  }

  /// See `Future.tap`.
  @discardableResult
  @inlinable public func tap(
    on main: MainContext, _ callback: consuming @escaping @MainActor (FutureResult<Value, Failure>) -> Void
  ) -> TokenFuture {
    inner.tap(on: main, token: token, consume callback)
    return self
  }

  /// See `Future.tap()`.
  @inlinable public func tap() -> TokenFuture { aside(inner.tap()) }

  /// See `Future.ignoringCancel()`.
  @inlinable public func ignoringCancel() -> TokenFuture { aside(inner.ignoringCancel()) }

  /// See `Future.fork(_:)`.
  @discardableResult
  @inlinable public func fork(_ body: (TokenFuture) throws -> Void) rethrows -> TokenFuture {
    try body(self)
    return self
  }
}
