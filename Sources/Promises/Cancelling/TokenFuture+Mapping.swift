// Transformations with the token.
extension TokenFuture {
  /// See `Future.map`.
  @inlinable public func map<NewValue>(_ transform: consuming @escaping (Value) -> NewValue) -> TokenFuture<
    NewValue, Failure
  > {
    derived(inner.map(token: token, consume transform))
  }

  /// See `Future.map`.
  @_disfavoredOverload
  @inlinable public func map<NewValue>(on context: PromiseContext, _ transform: sending @escaping (Value) -> NewValue)
    -> TokenFuture<NewValue, Failure>
  {
    derived(inner.map(on: context, token: token, consume transform))
  }

  /// See `Future.map`.
  @inlinable public func map<NewValue>(
    on main: MainContext, _ transform: consuming @escaping @MainActor (Value) -> NewValue
  )
    -> TokenFuture<NewValue, Failure>
  {
    derived(inner.map(on: main, token: token, consume transform))
  }

  /// See `Future.flatMap`.
  @inlinable public func flatMap<NewValue>(_ transform: consuming @escaping (Value) -> Future<NewValue, Failure>)
    -> TokenFuture<
      NewValue, Failure
    >
  {
    derived(inner.flatMap(token: token, consume transform))
  }

  /// See `Future.flatMap`.
  @_disfavoredOverload
  @inlinable public func flatMap<NewValue>(
    on context: PromiseContext, _ transform: sending @escaping (Value) -> Future<NewValue, Failure>
  ) -> TokenFuture<NewValue, Failure> {
    derived(inner.flatMap(on: context, token: token, consume transform))
  }

  /// See `Future.flatMap`.
  @inlinable public func flatMap<NewValue>(
    on main: MainContext, _ transform: consuming @escaping @MainActor (Value) -> Future<NewValue, Failure>
  ) -> TokenFuture<NewValue, Failure> {
    derived(inner.flatMap(on: main, token: token, consume transform))
  }

  /// See `Future.mapError`.
  @inlinable public func mapError<NewFailure>(_ transform: consuming @escaping (Failure) -> NewFailure) -> TokenFuture<
    Value, NewFailure
  > {
    derived(inner.mapError(token: token, consume transform))
  }

  /// See `Future.mapError`.
  @_disfavoredOverload
  @inlinable public func mapError<NewFailure>(
    on context: PromiseContext, _ transform: sending @escaping (Failure) -> NewFailure
  ) -> TokenFuture<Value, NewFailure> {
    derived(inner.mapError(on: context, token: token, consume transform))
  }

  /// See `Future.mapError`.
  @inlinable public func mapError<NewFailure>(
    on main: MainContext, _ transform: consuming @escaping @MainActor (Failure) -> NewFailure
  ) -> TokenFuture<Value, NewFailure> {
    derived(inner.mapError(on: main, token: token, consume transform))
  }

  /// See `Future.flatMapError`.
  @inlinable public func flatMapError<NewFailure>(
    _ transform: consuming @escaping (Failure) -> Future<Value, NewFailure>
  )
    -> TokenFuture<Value, NewFailure>
  {
    derived(inner.flatMapError(token: token, consume transform))
  }

  /// See `Future.flatMapError`.
  @_disfavoredOverload
  @inlinable public func flatMapError<NewFailure>(
    on context: PromiseContext, _ transform: sending @escaping (Failure) -> Future<Value, NewFailure>
  ) -> TokenFuture<Value, NewFailure> {
    derived(inner.flatMapError(on: context, token: token, consume transform))
  }

  /// See `Future.flatMapError`.
  @inlinable public func flatMapError<NewFailure>(
    on main: MainContext, _ transform: consuming @escaping @MainActor (Failure) -> Future<Value, NewFailure>
  ) -> TokenFuture<Value, NewFailure> {
    derived(inner.flatMapError(on: main, token: token, consume transform))
  }

  /// See `Future.mapResult`.
  @inlinable public func mapResult<NewValue, NewFailure>(
    _ transform: consuming @escaping (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.mapResult(token: token, consume transform))
  }

  /// See `Future.mapResult`.
  @_disfavoredOverload
  @inlinable public func mapResult<NewValue, NewFailure>(
    on context: PromiseContext,
    _ transform: sending @escaping (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.mapResult(on: context, token: token, consume transform))
  }

  /// See `Future.mapResult`.
  @inlinable public func mapResult<NewValue, NewFailure>(
    on main: MainContext,
    _ transform: consuming @escaping @MainActor (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.mapResult(on: main, token: token, consume transform))
  }

  /// See `Future.flatMapResult`.
  @inlinable public func flatMapResult<NewValue, NewFailure>(
    _ transform: consuming @escaping (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.flatMapResult(token: token, consume transform))
  }

  /// See `Future.flatMapResult`.
  @_disfavoredOverload
  @inlinable public func flatMapResult<NewValue, NewFailure>(
    on context: PromiseContext,
    _ transform: sending @escaping (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.flatMapResult(on: context, token: token, consume transform))
  }

  /// See `Future.flatMapResult`.
  @inlinable public func flatMapResult<NewValue, NewFailure>(
    on main: MainContext,
    _ transform: consuming @escaping @MainActor (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.flatMapResult(on: main, token: token, consume transform))
  }

  /// See `Future.replaceError`.
  @inlinable public func replaceError(_ transform: consuming @escaping (Failure) -> Value) -> TokenFuture<Value, Never>
  {
    derived(inner.replaceError(token: token, consume transform))
  }

  /// See `Future.replaceError`.
  @_disfavoredOverload
  @inlinable public func replaceError(on context: PromiseContext, _ transform: sending @escaping (Failure) -> Value)
    -> TokenFuture<Value, Never>
  {
    derived(inner.replaceError(on: context, token: token, consume transform))
  }

  /// See `Future.replaceError`.
  @inlinable public func replaceError(
    on main: MainContext, _ transform: consuming @escaping @MainActor (Failure) -> Value
  )
    -> TokenFuture<Value, Never>
  {
    derived(inner.replaceError(on: main, token: token, consume transform))
  }
}
