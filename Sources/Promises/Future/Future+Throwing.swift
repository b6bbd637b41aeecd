// The same with callbacks that may throw; the error rejects the future, which may then fail with any.
extension Future where Failure: Error {
  /// `onSuccess`, where an error that `callback` throws takes the place of the value.
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

  /// `map`, with a callback that may throw.
  public func tryMap<NewValue>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Value) throws -> NewValue
  ) -> Future<NewValue, any Error> {
    derive(
      on: context, token: token, .transforming(.fulfilled),
      Reactions.onValue(of: Future.self) { value, out in out.attempt { try $0.leave(transform(value)) } })
  }

  /// `flatMap`, with a callback that may throw.
  public func tryFlatMap<NewValue, E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Value) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(
      on: context, token: token, .transforming(.fulfilled),
      Reactions.onValue(of: Future.self) { value, out in out.attempt { try $0.leave(following: transform(value)) } })
  }

  /// `replaceError`, with a callback that may throw.
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
  /// `mapError`, with a callback that may throw.
  public func tryMapError<E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Failure) throws -> E
  ) -> Future<Value, any Error> {
    derive(
      on: context, token: token, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.attempt { try $0.leave(error: transform(error)) } })
  }

  /// `flatMapError`, with a callback that may throw.
  public func tryFlatMapError<E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (Failure) throws -> Future<Value, E>
  ) -> Future<Value, any Error> {
    derive(
      on: context, token: token, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.attempt { try $0.leave(following: transform(error)) } })
  }

  /// `mapResult`, with a callback that may throw.
  public func tryMapResult<NewValue, E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (FutureResult<Value, Failure>) throws -> FutureResult<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(
      on: context, token: token, .transforming(.all),
      Reactions.onResult(of: Future.self) { result, out in out.attempt { try $0.leave(result: transform(result)) } })
  }

  /// `flatMapResult`, with a callback that may throw.
  public func tryFlatMapResult<NewValue, E: Error>(
    on context: PromiseContext = .immediate, token: InvalidationToken? = nil,
    _ transform: @escaping (FutureResult<Value, Failure>) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(
      on: context, token: token, .transforming(.all),
      Reactions.onResult(of: Future.self) { result, out in out.attempt { try $0.leave(following: transform(result)) } })
  }
}
