// Transformations with the token and a throwing callback.
extension TokenFuture where Failure: Error {
  /// See `Future.tryOnSuccess`.
  @discardableResult
  public func tryOnSuccess(
    on context: PromiseContext = .immediate, _ callback: @escaping (Value) throws -> Void
  ) -> TokenFuture<Value, any Error> {
    derived(inner.tryOnSuccess(on: context, token: token, callback))
  }

  /// See `Future.tryMap`.
  public func tryMap<NewValue>(
    on context: PromiseContext = .immediate, _ callback: @escaping (Value) throws -> NewValue
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryMap(on: context, token: token, callback))
  }

  /// See `Future.tryFlatMap`.
  public func tryFlatMap<NewValue, E: Error>(
    on context: PromiseContext = .immediate, _ callback: @escaping (Value) throws -> Future<NewValue, E>
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryFlatMap(on: context, token: token, callback))
  }

  /// See `Future.tryReplaceError`.
  public func tryReplaceError(
    on context: PromiseContext = .immediate, _ callback: @escaping (Failure) throws -> Value
  ) -> TokenFuture<Value, any Error> {
    derived(inner.tryReplaceError(on: context, token: token, callback))
  }
}

extension TokenFuture {
  /// See `Future.tryMapError`.
  public func tryMapError<E: Error>(
    on context: PromiseContext = .immediate, _ callback: @escaping (Failure) throws -> E
  ) -> TokenFuture<Value, any Error> {
    derived(inner.tryMapError(on: context, token: token, callback))
  }

  /// See `Future.tryFlatMapError`.
  public func tryFlatMapError<E: Error>(
    on context: PromiseContext = .immediate, _ callback: @escaping (Failure) throws -> Future<Value, E>
  ) -> TokenFuture<Value, any Error> {
    derived(inner.tryFlatMapError(on: context, token: token, callback))
  }

  /// See `Future.tryMapResult`.
  public func tryMapResult<NewValue, E: Error>(
    on context: PromiseContext = .immediate,
    _ callback: @escaping (FutureResult<Value, Failure>) throws -> FutureResult<NewValue, E>
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryMapResult(on: context, token: token, callback))
  }

  /// See `Future.tryFlatMapResult`.
  public func tryFlatMapResult<NewValue, E: Error>(
    on context: PromiseContext = .immediate,
    _ callback: @escaping (FutureResult<Value, Failure>) throws -> Future<NewValue, E>
  ) -> TokenFuture<NewValue, any Error> {
    derived(inner.tryFlatMapResult(on: context, token: token, callback))
  }
}
