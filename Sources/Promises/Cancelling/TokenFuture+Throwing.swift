// Transformations with the token and a throwing callback.
extension TokenFuture where Failure: Error {
  /// See `Future.tryOnSuccess`.
  @discardableResult
  @inlinable public func tryOnSuccess(_ callback: consuming @escaping (Value) throws -> Void) -> TokenFuture<
    Value, any Error
  > {
    derived(inner.tryOnSuccess(token: token, consume callback))
  }

  /// See `Future.tryOnSuccess`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func tryOnSuccess(on context: PromiseContext, _ callback: sending @escaping (Value) throws -> Void)
    -> TokenFuture<Value, any Error>
  {
    derived(inner.tryOnSuccess(on: context, token: token, consume callback))
  }

  /// See `Future.tryOnSuccess`.
  @discardableResult
  @inlinable public func tryOnSuccess(
    on main: MainContext, _ callback: consuming @escaping @MainActor (Value) throws -> Void
  )
    -> TokenFuture<Value, any Error>
  {
    derived(inner.tryOnSuccess(on: main, token: token, consume callback))
  }

  /// See `Future.tryMap`.
  @inlinable public func tryMap<NewValue>(_ callback: consuming @escaping (Value) throws -> NewValue) -> TokenFuture<
    NewValue, any Error
  > {
    derived(inner.tryMap(token: token, consume callback))
  }

  /// See `Future.tryMap`.
  @_disfavoredOverload
  @inlinable public func tryMap<NewValue>(
    on context: PromiseContext, _ callback: sending @escaping (Value) throws -> NewValue
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryMap(on: context, token: token, consume callback))
  }

  /// See `Future.tryMap`.
  @inlinable public func tryMap<NewValue>(
    on main: MainContext, _ callback: consuming @escaping @MainActor (Value) throws -> NewValue
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryMap(on: main, token: token, consume callback))
  }

  /// See `Future.tryFlatMap`.
  @inlinable public func tryFlatMap<NewValue, E: Error>(
    _ callback: consuming @escaping (Value) throws -> Future<NewValue, E>
  )
    -> TokenFuture<NewValue, any Error>
  {
    derived(inner.tryFlatMap(token: token, consume callback))
  }

  /// See `Future.tryFlatMap`.
  @_disfavoredOverload
  @inlinable public func tryFlatMap<NewValue, E: Error>(
    on context: PromiseContext, _ callback: sending @escaping (Value) throws -> Future<NewValue, E>
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryFlatMap(on: context, token: token, consume callback))
  }

  /// See `Future.tryFlatMap`.
  @inlinable public func tryFlatMap<NewValue, E: Error>(
    on main: MainContext, _ callback: consuming @escaping @MainActor (Value) throws -> Future<NewValue, E>
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryFlatMap(on: main, token: token, consume callback))
  }

  /// See `Future.tryReplaceError`.
  @inlinable public func tryReplaceError(_ callback: consuming @escaping (Failure) throws -> Value) -> TokenFuture<
    Value, any Error
  > {
    derived(inner.tryReplaceError(token: token, consume callback))
  }

  /// See `Future.tryReplaceError`.
  @_disfavoredOverload
  @inlinable public func tryReplaceError(
    on context: PromiseContext, _ callback: sending @escaping (Failure) throws -> Value
  ) -> TokenFuture<Value, any Error> {
    derived(inner.tryReplaceError(on: context, token: token, consume callback))
  }

  /// See `Future.tryReplaceError`.
  @inlinable public func tryReplaceError(
    on main: MainContext, _ callback: consuming @escaping @MainActor (Failure) throws -> Value
  ) -> TokenFuture<Value, any Error> {
    derived(inner.tryReplaceError(on: main, token: token, consume callback))
  }
}

extension TokenFuture {
  /// See `Future.tryMapError`.
  @inlinable public func tryMapError<E: Error>(_ callback: consuming @escaping (Failure) throws -> E) -> TokenFuture<
    Value, any Error
  > {
    derived(inner.tryMapError(token: token, consume callback))
  }

  /// See `Future.tryMapError`.
  @_disfavoredOverload
  @inlinable public func tryMapError<E: Error>(
    on context: PromiseContext, _ callback: sending @escaping (Failure) throws -> E
  ) -> TokenFuture<Value, any Error> {
    derived(inner.tryMapError(on: context, token: token, consume callback))
  }

  /// See `Future.tryMapError`.
  @inlinable public func tryMapError<E: Error>(
    on main: MainContext, _ callback: consuming @escaping @MainActor (Failure) throws -> E
  ) -> TokenFuture<Value, any Error> {
    derived(inner.tryMapError(on: main, token: token, consume callback))
  }

  /// See `Future.tryFlatMapError`.
  @inlinable public func tryFlatMapError<E: Error>(_ callback: consuming @escaping (Failure) throws -> Future<Value, E>)
    -> TokenFuture<Value, any Error>
  {
    derived(inner.tryFlatMapError(token: token, consume callback))
  }

  /// See `Future.tryFlatMapError`.
  @_disfavoredOverload
  @inlinable public func tryFlatMapError<E: Error>(
    on context: PromiseContext, _ callback: sending @escaping (Failure) throws -> Future<Value, E>
  ) -> TokenFuture<Value, any Error> {
    derived(inner.tryFlatMapError(on: context, token: token, consume callback))
  }

  /// See `Future.tryFlatMapError`.
  @inlinable public func tryFlatMapError<E: Error>(
    on main: MainContext, _ callback: consuming @escaping @MainActor (Failure) throws -> Future<Value, E>
  ) -> TokenFuture<Value, any Error> {
    derived(inner.tryFlatMapError(on: main, token: token, consume callback))
  }

  /// See `Future.tryMapResult`.
  @inlinable public func tryMapResult<NewValue, E: Error>(
    _ callback: consuming @escaping (FutureResult<Value, Failure>) throws -> FutureResult<NewValue, E>
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryMapResult(token: token, consume callback))
  }

  /// See `Future.tryMapResult`.
  @_disfavoredOverload
  @inlinable public func tryMapResult<NewValue, E: Error>(
    on context: PromiseContext,
    _ callback: sending @escaping (FutureResult<Value, Failure>) throws -> FutureResult<NewValue, E>
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryMapResult(on: context, token: token, consume callback))
  }

  /// See `Future.tryMapResult`.
  @inlinable public func tryMapResult<NewValue, E: Error>(
    on main: MainContext,
    _ callback: consuming @escaping @MainActor (FutureResult<Value, Failure>) throws -> FutureResult<NewValue, E>
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryMapResult(on: main, token: token, consume callback))
  }

  /// See `Future.tryFlatMapResult`.
  @inlinable public func tryFlatMapResult<NewValue, E: Error>(
    _ callback: consuming @escaping (FutureResult<Value, Failure>) throws -> Future<NewValue, E>
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryFlatMapResult(token: token, consume callback))
  }

  /// See `Future.tryFlatMapResult`.
  @_disfavoredOverload
  @inlinable public func tryFlatMapResult<NewValue, E: Error>(
    on context: PromiseContext,
    _ callback: sending @escaping (FutureResult<Value, Failure>) throws -> Future<NewValue, E>
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryFlatMapResult(on: context, token: token, consume callback))
  }

  /// See `Future.tryFlatMapResult`.
  @inlinable public func tryFlatMapResult<NewValue, E: Error>(
    on main: MainContext,
    _ callback: consuming @escaping @MainActor (FutureResult<Value, Failure>) throws -> Future<NewValue, E>
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryFlatMapResult(on: main, token: token, consume callback))
  }
}
