// Transformations. A callback runs for the outcomes that it handles, and other outcomes are forwarded. Only mapResult
// and flatMapResult handle cancellation. `Future+Observing.swift` describes the three forms of each.
extension Future {
  /// Returns a future of `transform`'s result for the value.
  @inlinable public func map<NewValue>(
    _ transform: consuming @escaping (Value) -> NewValue
  ) -> Future<NewValue, Failure> {
    let caller: StoredCallback.Caller = { callback, isRejected, value, out in
      let transform = unsafe callback.assumingMemoryBound(to: ((Value) -> NewValue).self).move()
      if isRejected { return .pass }
      return Reactions.map(value, Failure.self, &out, transform)
    }
    guard unsafe StoredCallback.isBare(caller) else { return map(token: nil, consume transform) }
    return unsafe Future<NewValue, Failure>(cell: cell.derive(StoredCallback(consume transform, caller: caller)))
  }

  /// Returns a future of `transform`'s result, as `map(_:)` does, unless `token` was invalidated before.
  @inlinable
  public func map<NewValue>(token: InvalidationToken?, _ transform: consuming @escaping (Value) -> NewValue) -> Future<
    NewValue, Failure
  > {
    derive(on: .immediate, token: token, .transforming(.fulfilled), Self.mapping(consume transform))
  }

  /// Calls the closure in `context`. See `map(_:)`.
  @_disfavoredOverload
  @inlinable public func map<NewValue>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Value) -> NewValue
  ) -> Future<NewValue, Failure> {
    derive(on: context, token: token, .transforming(.fulfilled), Self.mapping(consume transform))
  }

  /// Calls the closure on the main actor. See `map(_:)`.
  @inlinable public func map<NewValue>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Value) -> NewValue
  ) -> Future<NewValue, Failure> {
    derive(on: main.place, token: token, .transforming(.fulfilled), Self.mapping(main.calling(consume transform)))
  }

  /// Returns a future that follows the future `transform` returns for the value.
  ///
  /// If that future waits for the result itself, a cycle, the result gets an error of domain "promise". See
  /// **Failures** at `Future` for a `Failure` that this error does not fit.
  @inlinable public func flatMap<NewValue>(
    token: InvalidationToken? = nil, _ transform: consuming @escaping (Value) -> Future<NewValue, Failure>
  ) -> Future<NewValue, Failure> {
    derive(on: .immediate, token: token, .transforming(.fulfilled), Self.flatMapping(consume transform))
  }

  /// Calls the closure in `context`. See `flatMap(token:_:)`.
  @_disfavoredOverload
  @inlinable public func flatMap<NewValue>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Value) -> Future<NewValue, Failure>
  ) -> Future<NewValue, Failure> {
    derive(on: context, token: token, .transforming(.fulfilled), Self.flatMapping(consume transform))
  }

  /// Calls the closure on the main actor. See `flatMap(token:_:)`.
  @inlinable public func flatMap<NewValue>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Value) -> Future<NewValue, Failure>
  ) -> Future<NewValue, Failure> {
    derive(on: main.place, token: token, .transforming(.fulfilled), Self.flatMapping(main.calling(consume transform)))
  }

  /// Returns a future of the same value. An error is replaced with `transform`'s result.
  @inlinable public func mapError<NewFailure>(
    token: InvalidationToken? = nil, _ transform: consuming @escaping (Failure) -> NewFailure
  ) -> Future<Value, NewFailure> {
    derive(on: .immediate, token: token, .transforming(.failed), Self.mappingError(consume transform))
  }

  /// Calls the closure in `context`. See `mapError(token:_:)`.
  @_disfavoredOverload
  @inlinable public func mapError<NewFailure>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Failure) -> NewFailure
  ) -> Future<Value, NewFailure> {
    derive(on: context, token: token, .transforming(.failed), Self.mappingError(consume transform))
  }

  /// Calls the closure on the main actor. See `mapError(token:_:)`.
  @inlinable public func mapError<NewFailure>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Failure) -> NewFailure
  ) -> Future<Value, NewFailure> {
    derive(on: main.place, token: token, .transforming(.failed), Self.mappingError(main.calling(consume transform)))
  }

  /// Returns a future of the same value. For an error, it follows the future that `transform` returns.
  @inlinable public func flatMapError<NewFailure>(
    token: InvalidationToken? = nil, _ transform: consuming @escaping (Failure) -> Future<Value, NewFailure>
  ) -> Future<Value, NewFailure> {
    derive(on: .immediate, token: token, .transforming(.failed), Self.flatMappingError(consume transform))
  }

  /// Calls the closure in `context`. See `flatMapError(token:_:)`.
  @_disfavoredOverload
  @inlinable public func flatMapError<NewFailure>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Failure) -> Future<Value, NewFailure>
  ) -> Future<Value, NewFailure> {
    derive(on: context, token: token, .transforming(.failed), Self.flatMappingError(consume transform))
  }

  /// Calls the closure on the main actor. See `flatMapError(token:_:)`.
  @inlinable public func flatMapError<NewFailure>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Failure) -> Future<Value, NewFailure>
  ) -> Future<Value, NewFailure> {
    derive(on: main.place, token: token, .transforming(.failed), Self.flatMappingError(main.calling(consume transform)))
  }

  /// Returns a future with the outcome that `transform` returns. `transform` is called for every outcome.
  @inlinable public func mapResult<NewValue, NewFailure>(
    token: InvalidationToken? = nil,
    _ transform: consuming @escaping (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(on: .immediate, token: token, .transforming(.all), Self.mappingResult(consume transform))
  }

  /// Calls the closure in `context`. See `mapResult(token:_:)`.
  @_disfavoredOverload
  @inlinable public func mapResult<NewValue, NewFailure>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(on: context, token: token, .transforming(.all), Self.mappingResult(consume transform))
  }

  /// Calls the closure on the main actor. See `mapResult(token:_:)`.
  @inlinable public func mapResult<NewValue, NewFailure>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (FutureResult<Value, Failure>) -> FutureResult<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(on: main.place, token: token, .transforming(.all), Self.mappingResult(main.calling(consume transform)))
  }

  /// Returns a future that follows the future `transform` returns. `transform` is called for every outcome.
  @inlinable public func flatMapResult<NewValue, NewFailure>(
    token: InvalidationToken? = nil,
    _ transform: consuming @escaping (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(on: .immediate, token: token, .transforming(.all), Self.flatMappingResult(consume transform))
  }

  /// Calls the closure in `context`. See `flatMapResult(token:_:)`.
  @_disfavoredOverload
  @inlinable public func flatMapResult<NewValue, NewFailure>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(on: context, token: token, .transforming(.all), Self.flatMappingResult(consume transform))
  }

  /// Calls the closure on the main actor. See `flatMapResult(token:_:)`.
  @inlinable public func flatMapResult<NewValue, NewFailure>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (FutureResult<Value, Failure>) -> Future<NewValue, NewFailure>
  ) -> Future<NewValue, NewFailure> {
    derive(on: main.place, token: token, .transforming(.all), Self.flatMappingResult(main.calling(consume transform)))
  }

  /// Returns a future in which `transform`'s result replaces an error. It cannot be rejected, but it can be cancelled.
  @inlinable
  public func replaceError(token: InvalidationToken? = nil, _ transform: consuming @escaping (Failure) -> Value)
    -> Future<Value, Never>
  {
    derive(on: .immediate, token: token, .transforming(.failed), Self.replacingError(consume transform))
  }

  /// Calls the closure in `context`. See `replaceError(token:_:)`.
  @_disfavoredOverload
  @inlinable public func replaceError(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Failure) -> Value
  ) -> Future<Value, Never> {
    derive(on: context, token: token, .transforming(.failed), Self.replacingError(consume transform))
  }

  /// Calls the closure on the main actor. See `replaceError(token:_:)`.
  @inlinable public func replaceError(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Failure) -> Value
  ) -> Future<Value, Never> {
    derive(on: main.place, token: token, .transforming(.failed), Self.replacingError(main.calling(consume transform)))
  }
}

extension Reactions {
  /// Stores `transform`'s result for a value.
  @inlinable @inline(__always)
  static func map<Value, NewValue, Failure>(
    _ value: CellValue, _ failure: Failure.Type, _ out: inout CellValue, _ transform: (Value) -> NewValue
  ) -> Verdict {
    guard let decoded = value.decoded(as: Value.self) else {
      out = .encoding(fault: value.mismatch(Value.self), as: Failure.self)
      return .reject
    }
    out = .encoding(transform(decoded))
    return .fulfill
  }
}
