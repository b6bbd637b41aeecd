// Transformations with a callback that may throw. The error rejects the returned future, whose failure type is
// `any Error`. `Future+Observing.swift` describes the three forms of each.
extension Future where Failure: Error {
  /// Calls `callback` as `onSuccess` does; an error that it throws replaces the value.
  @discardableResult
  @inlinable
  public func tryOnSuccess(token: InvalidationToken? = nil, _ callback: consuming @escaping (Value) throws -> Void)
    -> Future<Value, any Error>
  {
    derive(on: .immediate, token: token, .observing(.fulfilled), Self.observingValue(consume callback))
  }

  /// Calls the closure in `context`. See `tryOnSuccess(token:_:)`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func tryOnSuccess(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping (Value) throws -> Void
  ) -> Future<Value, any Error> {
    derive(on: context, token: token, .observing(.fulfilled), Self.observingValue(consume callback))
  }

  /// Calls the closure on the main actor. See `tryOnSuccess(token:_:)`.
  @discardableResult
  @inlinable public func tryOnSuccess(
    on main: MainContext, token: InvalidationToken? = nil,
    _ callback: consuming @escaping @MainActor (Value) throws -> Void
  ) -> Future<Value, any Error> {
    derive(on: main.place, token: token, .observing(.fulfilled), Self.observingValue(main.calling(consume callback)))
  }

  /// Transforms the value as `map` does, with a callback that may throw.
  @inlinable public func tryMap<NewValue>(
    token: InvalidationToken? = nil, _ transform: consuming @escaping (Value) throws -> NewValue
  ) -> Future<NewValue, any Error> {
    derive(on: .immediate, token: token, .transforming(.fulfilled), Self.mapping(consume transform))
  }

  /// Calls the closure in `context`. See `tryMap(token:_:)`.
  @_disfavoredOverload
  @inlinable public func tryMap<NewValue>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Value) throws -> NewValue
  ) -> Future<NewValue, any Error> {
    derive(on: context, token: token, .transforming(.fulfilled), Self.mapping(consume transform))
  }

  /// Calls the closure on the main actor. See `tryMap(token:_:)`.
  @inlinable public func tryMap<NewValue>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Value) throws -> NewValue
  ) -> Future<NewValue, any Error> {
    derive(on: main.place, token: token, .transforming(.fulfilled), Self.mapping(main.calling(consume transform)))
  }

  /// Transforms the value as `flatMap` does, with a callback that may throw.
  @inlinable public func tryFlatMap<NewValue, E: Error>(
    token: InvalidationToken? = nil, _ transform: consuming @escaping (Value) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(on: .immediate, token: token, .transforming(.fulfilled), Self.flatMapping(consume transform))
  }

  /// Calls the closure in `context`. See `tryFlatMap(token:_:)`.
  @_disfavoredOverload
  @inlinable public func tryFlatMap<NewValue, E: Error>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Value) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(on: context, token: token, .transforming(.fulfilled), Self.flatMapping(consume transform))
  }

  /// Calls the closure on the main actor. See `tryFlatMap(token:_:)`.
  @inlinable public func tryFlatMap<NewValue, E: Error>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Value) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(on: main.place, token: token, .transforming(.fulfilled), Self.flatMapping(main.calling(consume transform)))
  }

  /// Replaces an error as `replaceError` does, with a callback that may throw.
  @inlinable public func tryReplaceError(
    token: InvalidationToken? = nil, _ transform: consuming @escaping (Failure) throws -> Value
  ) -> Future<Value, any Error> {
    derive(on: .immediate, token: token, .transforming(.failed), Self.replacingError(consume transform))
  }

  /// Calls the closure in `context`. See `tryReplaceError(token:_:)`.
  @_disfavoredOverload
  @inlinable public func tryReplaceError(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Failure) throws -> Value
  ) -> Future<Value, any Error> {
    derive(on: context, token: token, .transforming(.failed), Self.replacingError(consume transform))
  }

  /// Calls the closure on the main actor. See `tryReplaceError(token:_:)`.
  @inlinable public func tryReplaceError(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Failure) throws -> Value
  ) -> Future<Value, any Error> {
    derive(on: main.place, token: token, .transforming(.failed), Self.replacingError(main.calling(consume transform)))
  }
}

extension Future {
  /// Transforms the error as `mapError` does, with a callback that may throw.
  @inlinable public func tryMapError<E: Error>(
    token: InvalidationToken? = nil, _ transform: consuming @escaping (Failure) throws -> E
  ) -> Future<Value, any Error> {
    derive(on: .immediate, token: token, .transforming(.failed), Self.mappingError(consume transform))
  }

  /// Calls the closure in `context`. See `tryMapError(token:_:)`.
  @_disfavoredOverload
  @inlinable public func tryMapError<E: Error>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Failure) throws -> E
  ) -> Future<Value, any Error> {
    derive(on: context, token: token, .transforming(.failed), Self.mappingError(consume transform))
  }

  /// Calls the closure on the main actor. See `tryMapError(token:_:)`.
  @inlinable public func tryMapError<E: Error>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Failure) throws -> E
  ) -> Future<Value, any Error> {
    derive(on: main.place, token: token, .transforming(.failed), Self.mappingError(main.calling(consume transform)))
  }

  /// Transforms the error as `flatMapError` does, with a callback that may throw.
  @inlinable public func tryFlatMapError<E: Error>(
    token: InvalidationToken? = nil, _ transform: consuming @escaping (Failure) throws -> Future<Value, E>
  ) -> Future<Value, any Error> {
    derive(on: .immediate, token: token, .transforming(.failed), Self.flatMappingError(consume transform))
  }

  /// Calls the closure in `context`. See `tryFlatMapError(token:_:)`.
  @_disfavoredOverload
  @inlinable public func tryFlatMapError<E: Error>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Failure) throws -> Future<Value, E>
  ) -> Future<Value, any Error> {
    derive(on: context, token: token, .transforming(.failed), Self.flatMappingError(consume transform))
  }

  /// Calls the closure on the main actor. See `tryFlatMapError(token:_:)`.
  @inlinable public func tryFlatMapError<E: Error>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Failure) throws -> Future<Value, E>
  ) -> Future<Value, any Error> {
    derive(on: main.place, token: token, .transforming(.failed), Self.flatMappingError(main.calling(consume transform)))
  }

  /// Transforms the outcome as `mapResult` does, with a callback that may throw.
  @inlinable public func tryMapResult<NewValue, E: Error>(
    token: InvalidationToken? = nil,
    _ transform: consuming @escaping (FutureResult<Value, Failure>) throws -> FutureResult<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(on: .immediate, token: token, .transforming(.all), Self.mappingResult(consume transform))
  }

  /// Calls the closure in `context`. See `tryMapResult(token:_:)`.
  @_disfavoredOverload
  @inlinable public func tryMapResult<NewValue, E: Error>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (FutureResult<Value, Failure>) throws -> FutureResult<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(on: context, token: token, .transforming(.all), Self.mappingResult(consume transform))
  }

  /// Calls the closure on the main actor. See `tryMapResult(token:_:)`.
  @inlinable public func tryMapResult<NewValue, E: Error>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (FutureResult<Value, Failure>) throws -> FutureResult<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(on: main.place, token: token, .transforming(.all), Self.mappingResult(main.calling(consume transform)))
  }

  /// Transforms the outcome as `flatMapResult` does, with a callback that may throw.
  @inlinable public func tryFlatMapResult<NewValue, E: Error>(
    token: InvalidationToken? = nil,
    _ transform: consuming @escaping (FutureResult<Value, Failure>) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(on: .immediate, token: token, .transforming(.all), Self.flatMappingResult(consume transform))
  }

  /// Calls the closure in `context`. See `tryFlatMapResult(token:_:)`.
  @_disfavoredOverload
  @inlinable public func tryFlatMapResult<NewValue, E: Error>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (FutureResult<Value, Failure>) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(on: context, token: token, .transforming(.all), Self.flatMappingResult(consume transform))
  }

  /// Calls the closure on the main actor. See `tryFlatMapResult(token:_:)`.
  @inlinable public func tryFlatMapResult<NewValue, E: Error>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (FutureResult<Value, Failure>) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    derive(on: main.place, token: token, .transforming(.all), Self.flatMappingResult(main.calling(consume transform)))
  }
}
