// Callbacks with a `Result`, which has no third case: they are for values and errors, and a cancellation is forwarded.
// `Future+Observing.swift` describes the three forms of each.
extension Future where Failure: Error {
  /// Calls `callback` with the value or the error. Not called for a cancellation: see `onComplete(token:_:)`.
  @discardableResult
  @inlinable public func onEither(
    token: InvalidationToken? = nil, _ callback: consuming @escaping (Result<Value, Failure>) -> Void
  ) -> Future {
    derive(on: .immediate, token: token, .observing(.either), Self.observingEither(consume callback))
  }

  /// Calls the closure in `context`. See `onEither(token:_:)`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onEither(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping (Result<Value, Failure>) -> Void
  ) -> Future {
    derive(on: context, token: token, .observing(.either), Self.observingEither(consume callback))
  }

  /// Calls the closure on the main actor. See `onEither(token:_:)`.
  @discardableResult
  @inlinable public func onEither(
    on main: MainContext, token: InvalidationToken? = nil,
    _ callback: consuming @escaping @MainActor (Result<Value, Failure>) -> Void
  ) -> Future {
    derive(on: main.place, token: token, .observing(.either), Self.observingEither(main.calling(consume callback)))
  }

  /// Returns a future settled with the result that `transform` returns for the value or the error. `transform` is not
  /// called for a cancellation: see `mapResult(token:_:)`.
  @inlinable public func mapEither<NewValue, NewFailure: Error>(
    token: InvalidationToken? = nil,
    _ transform: consuming @escaping (Result<Value, Failure>) -> Result<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(on: .immediate, token: token, .transforming(.either), Self.mappingEither(consume transform))
  }

  /// Calls the closure in `context`. See `mapEither(token:_:)`.
  @_disfavoredOverload
  @inlinable public func mapEither<NewValue, NewFailure: Error>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Result<Value, Failure>) -> Result<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(on: context, token: token, .transforming(.either), Self.mappingEither(consume transform))
  }

  /// Calls the closure on the main actor. See `mapEither(token:_:)`.
  @inlinable public func mapEither<NewValue, NewFailure: Error>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Result<Value, Failure>) -> Result<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(on: main.place, token: token, .transforming(.either), Self.mappingEither(main.calling(consume transform)))
  }

  /// Returns a future that follows the future `transform` returns for the value or the error. `transform` is not called
  /// for a cancellation: see `flatMapResult(token:_:)`.
  @inlinable public func flatMapEither<NewValue, NewFailure>(
    token: InvalidationToken? = nil,
    _ transform: consuming @escaping (Result<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(on: .immediate, token: token, .transforming(.either), Self.flatMappingEither(consume transform))
  }

  /// Calls the closure in `context`. See `flatMapEither(token:_:)`.
  @_disfavoredOverload
  @inlinable public func flatMapEither<NewValue, NewFailure>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Result<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(on: context, token: token, .transforming(.either), Self.flatMappingEither(consume transform))
  }

  /// Calls the closure on the main actor. See `flatMapEither(token:_:)`.
  @inlinable public func flatMapEither<NewValue, NewFailure>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Result<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(
      on: main.place, token: token, .transforming(.either), Self.flatMappingEither(main.calling(consume transform)))
  }
}

extension Future where Failure: Error {
  @inlinable static func observingEither(_ callback: @escaping (Result<Value, Failure>) -> Void) -> Closure {
    Reactions.onEither(of: Future.self) { result, _ in
      callback(result)
      return .pass
    }
  }

  @inlinable static func mappingEither<NewValue, NewFailure: Error>(
    _ transform: @escaping (Result<Value, Failure>) -> Result<NewValue, NewFailure>
  ) -> Closure {
    Reactions.onEither(of: Future.self) { result, out in out.leave(result: FutureResult(transform(result))) }
  }

  @inlinable static func flatMappingEither<NewValue, NewFailure>(
    _ transform: @escaping (Result<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> Closure {
    Reactions.onEither(of: Future.self) { result, out in out.leave(following: transform(result)) }
  }
}

extension Job.OutcomeSet {
  /// Values and errors.
  @usableFromInline static var either: Job.OutcomeSet { .fulfilled | .failed }
}
