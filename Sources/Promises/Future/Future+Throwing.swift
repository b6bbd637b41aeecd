// Transformations with a callback that may throw. The error rejects the returned future, whose failure type is
// `any Error`.
extension Future where Failure: Error {
  /// Calls `callback` as `onSuccess` does; an error that it throws replaces the value.
  @discardableResult
  public func tryOnSuccess(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ callback: @escaping (Value) throws -> Void
  ) -> Future<Value, any Error> {
    derive(
      on: context, token: token, .observing(.fulfilled),
      Reactions.onValue(of: Future.self) { value, out in
        out.attempt { _ in
          try callback(value)
          return .pass
        }
      })
  }

  /// Transforms the value as `map` does, with a callback that may throw.
  public func tryMap<NewValue>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Value) throws -> NewValue
  ) -> Future<NewValue, any Error> {
    derive(
      on: context, token: token, .transforming(.fulfilled),
      Reactions.onValue(of: Future.self) { value, out in out.attempt { try $0.leave(transform(value)) } })
  }

  /// Transforms the value as `flatMap` does, with a callback that may throw.
  public func tryFlatMap<NewValue, E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Value) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(
      on: context, token: token, .transforming(.fulfilled),
      Reactions.onValue(of: Future.self) { value, out in out.attempt { try $0.leave(following: transform(value)) } })
  }

  /// Replaces an error as `replaceError` does, with a callback that may throw.
  public func tryReplaceError(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Failure) throws -> Value
  ) -> Future<Value, any Error> {
    derive(
      on: context, token: token, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.attempt { try $0.leave(transform(error)) } })
  }
}

extension Future {
  /// Transforms the error as `mapError` does, with a callback that may throw.
  public func tryMapError<E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Failure) throws -> E
  ) -> Future<Value, any Error> {
    derive(
      on: context, token: token, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.attempt { try $0.leave(error: transform(error)) } })
  }

  /// Transforms the error as `flatMapError` does, with a callback that may throw.
  public func tryFlatMapError<E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Failure) throws -> Future<Value, E>
  ) -> Future<Value, any Error> {
    derive(
      on: context, token: token, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.attempt { try $0.leave(following: transform(error)) } })
  }

  /// Transforms the outcome as `mapResult` does, with a callback that may throw.
  public func tryMapResult<NewValue, E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (FutureResult<Value, Failure>) throws -> FutureResult<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(
      on: context, token: token, .transforming(.all),
      Reactions.onResult(of: Future.self) { result, out in out.attempt { try $0.leave(result: transform(result)) } })
  }

  /// Transforms the outcome as `flatMapResult` does, with a callback that may throw.
  public func tryFlatMapResult<NewValue, E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (FutureResult<Value, Failure>) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(
      on: context, token: token, .transforming(.all),
      Reactions.onResult(of: Future.self) { result, out in out.attempt { try $0.leave(following: transform(result)) } })
  }
}
