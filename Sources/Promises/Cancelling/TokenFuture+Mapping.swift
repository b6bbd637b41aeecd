// Transformations with the token.
extension TokenFuture {
  /// See `Future.map`.
  public func map<NewValue>(
    on context: PromiseContext = .immediate, _ transform: @escaping (Value) -> NewValue
  ) -> TokenFuture<NewValue, Failure> {
    derived(inner.map(on: context, token: token, transform))
  }

  /// See `Future.flatMap`.
  public func flatMap<NewValue>(
    on context: PromiseContext = .immediate, _ transform: @escaping (Value) -> Future<NewValue, Failure>
  ) -> TokenFuture<NewValue, Failure> {
    derived(inner.flatMap(on: context, token: token, transform))
  }

  /// See `Future.mapError`.
  public func mapError<NewFailure>(
    on context: PromiseContext = .immediate, _ transform: @escaping (Failure) -> NewFailure
  ) -> TokenFuture<Value, NewFailure> {
    derived(inner.mapError(on: context, token: token, transform))
  }

  /// See `Future.flatMapError`.
  public func flatMapError<NewFailure>(
    on context: PromiseContext = .immediate, _ transform: @escaping (Failure) -> Future<Value, NewFailure>
  ) -> TokenFuture<Value, NewFailure> {
    derived(inner.flatMapError(on: context, token: token, transform))
  }

  /// See `Future.mapResult`.
  public func mapResult<NewValue, NewFailure>(
    on context: PromiseContext = .immediate,
    _ transform: @escaping (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.mapResult(on: context, token: token, transform))
  }

  /// See `Future.flatMapResult`.
  public func flatMapResult<NewValue, NewFailure>(
    on context: PromiseContext = .immediate,
    _ transform: @escaping (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> TokenFuture<NewValue, NewFailure> {
    derived(inner.flatMapResult(on: context, token: token, transform))
  }

  /// See `Future.replaceError`.
  public func replaceError(
    on context: PromiseContext = .immediate, _ transform: @escaping (Failure) -> Value
  ) -> TokenFuture<Value, Never> {
    derived(inner.replaceError(on: context, token: token, transform))
  }
}
