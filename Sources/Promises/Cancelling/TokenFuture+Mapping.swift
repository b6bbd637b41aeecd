// Transformations with the token.
extension TokenFuture {
  /// See `Future.map`.
  public func map<NewValue>(_ transform: consuming @escaping (Value) -> NewValue) -> TokenFuture<NewValue, Failure> {
    derived(inner.map(token: token, consume transform))
  }

  /// See `Future.map`.
  @_disfavoredOverload
  public func map<NewValue>(on context: PromiseContext, _ transform: sending @escaping (Value) -> NewValue)
    -> TokenFuture<NewValue, Failure>
  {
    derived(inner.map(on: context, token: token, consume transform))
  }

  /// See `Future.map`.
  public func map<NewValue>(on main: MainContext, _ transform: consuming @escaping @MainActor (Value) -> NewValue)
    -> TokenFuture<NewValue, Failure>
  {
    derived(inner.map(on: main, token: token, consume transform))
  }

  /// See `Future.flatMap`.
  public func flatMap<NewValue>(_ transform: consuming @escaping (Value) -> Future<NewValue, Failure>) -> TokenFuture<
    NewValue, Failure
  > {
    derived(inner.flatMap(token: token, consume transform))
  }

  /// See `Future.flatMap`.
  @_disfavoredOverload
  public func flatMap<NewValue>(
    on context: PromiseContext, _ transform: sending @escaping (Value) -> Future<NewValue, Failure>
  ) -> TokenFuture<NewValue, Failure> {
    derived(inner.flatMap(on: context, token: token, consume transform))
  }

  /// See `Future.flatMap`.
  public func flatMap<NewValue>(
    on main: MainContext, _ transform: consuming @escaping @MainActor (Value) -> Future<NewValue, Failure>
  ) -> TokenFuture<NewValue, Failure> {
    derived(inner.flatMap(on: main, token: token, consume transform))
  }

  /// See `Future.mapError`.
  public func mapError<NewFailure>(_ transform: consuming @escaping (Failure) -> NewFailure) -> TokenFuture<
    Value, NewFailure
  > {
    derived(inner.mapError(token: token, consume transform))
  }

  /// See `Future.mapError`.
  @_disfavoredOverload
  public func mapError<NewFailure>(
    on context: PromiseContext, _ transform: sending @escaping (Failure) -> NewFailure
  ) -> TokenFuture<Value, NewFailure> {
    derived(inner.mapError(on: context, token: token, consume transform))
  }

  /// See `Future.mapError`.
  public func mapError<NewFailure>(
    on main: MainContext, _ transform: consuming @escaping @MainActor (Failure) -> NewFailure
  ) -> TokenFuture<Value, NewFailure> {
    derived(inner.mapError(on: main, token: token, consume transform))
  }

  /// See `Future.flatMapError`.
  public func flatMapError<NewFailure>(_ transform: consuming @escaping (Failure) -> Future<Value, NewFailure>)
    -> TokenFuture<Value, NewFailure>
  {
    derived(inner.flatMapError(token: token, consume transform))
  }

  /// See `Future.flatMapError`.
  @_disfavoredOverload
  public func flatMapError<NewFailure>(
    on context: PromiseContext, _ transform: sending @escaping (Failure) -> Future<Value, NewFailure>
  ) -> TokenFuture<Value, NewFailure> {
    derived(inner.flatMapError(on: context, token: token, consume transform))
  }

  /// See `Future.flatMapError`.
  public func flatMapError<NewFailure>(
    on main: MainContext, _ transform: consuming @escaping @MainActor (Failure) -> Future<Value, NewFailure>
  ) -> TokenFuture<Value, NewFailure> {
    derived(inner.flatMapError(on: main, token: token, consume transform))
  }

  /// See `Future.mapResult`.
  public func mapResult<NewValue, NewFailure>(
    _ transform: consuming @escaping (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.mapResult(token: token, consume transform))
  }

  /// See `Future.mapResult`.
  @_disfavoredOverload
  public func mapResult<NewValue, NewFailure>(
    on context: PromiseContext,
    _ transform: sending @escaping (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.mapResult(on: context, token: token, consume transform))
  }

  /// See `Future.mapResult`.
  public func mapResult<NewValue, NewFailure>(
    on main: MainContext,
    _ transform: consuming @escaping @MainActor (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.mapResult(on: main, token: token, consume transform))
  }

  /// See `Future.flatMapResult`.
  public func flatMapResult<NewValue, NewFailure>(
    _ transform: consuming @escaping (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.flatMapResult(token: token, consume transform))
  }

  /// See `Future.flatMapResult`.
  @_disfavoredOverload
  public func flatMapResult<NewValue, NewFailure>(
    on context: PromiseContext,
    _ transform: sending @escaping (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.flatMapResult(on: context, token: token, consume transform))
  }

  /// See `Future.flatMapResult`.
  public func flatMapResult<NewValue, NewFailure>(
    on main: MainContext,
    _ transform: consuming @escaping @MainActor (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.flatMapResult(on: main, token: token, consume transform))
  }

  /// See `Future.replaceError`.
  public func replaceError(_ transform: consuming @escaping (Failure) -> Value) -> TokenFuture<Value, Never> {
    derived(inner.replaceError(token: token, consume transform))
  }

  /// See `Future.replaceError`.
  @_disfavoredOverload
  public func replaceError(on context: PromiseContext, _ transform: sending @escaping (Failure) -> Value)
    -> TokenFuture<Value, Never>
  {
    derived(inner.replaceError(on: context, token: token, consume transform))
  }

  /// See `Future.replaceError`.
  public func replaceError(on main: MainContext, _ transform: consuming @escaping @MainActor (Failure) -> Value)
    -> TokenFuture<Value, Never>
  {
    derived(inner.replaceError(on: main, token: token, consume transform))
  }
}
