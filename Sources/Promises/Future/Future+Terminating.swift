// Observers at the end of a chain: they return no future. `Future+Observing.swift` describes their three forms.
extension Future {
  /// Calls `callback` with every outcome.
  @inlinable public func whenResolved(
    token: InvalidationToken? = nil, _ callback: consuming @escaping (FutureResult<Value, Failure>) -> Void
  ) {
    observe(on: .immediate, token: token, .observing(.all), Self.observingResult(consume callback, .leave))
  }

  /// Calls the closure in `context`. See `whenResolved(token:_:)`.
  @_disfavoredOverload
  @inlinable public func whenResolved(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping (FutureResult<Value, Failure>) -> Void
  ) {
    observe(on: context, token: token, .observing(.all), Self.observingResult(consume callback, .leave))
  }

  /// Calls the closure on the main actor. See `whenResolved(token:_:)`.
  @inlinable public func whenResolved(
    on main: MainContext, token: InvalidationToken? = nil,
    _ callback: consuming @escaping @MainActor (FutureResult<Value, Failure>) -> Void
  ) {
    observe(
      on: main.place, token: token, .observing(.all), Self.observingResult(main.calling(consume callback), .leave))
  }

  /// Calls `callback` with the value of a fulfilled future.
  @inlinable
  public func whenFulfilled(token: InvalidationToken? = nil, _ callback: consuming @escaping (Value) -> Void) {
    observe(on: .immediate, token: token, .observing(.fulfilled), Self.observingValue(consume callback, .leave))
  }

  /// Calls the closure in `context`. See `whenFulfilled(token:_:)`.
  @_disfavoredOverload
  @inlinable public func whenFulfilled(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping (Value) -> Void
  ) {
    observe(on: context, token: token, .observing(.fulfilled), Self.observingValue(consume callback, .leave))
  }

  /// Calls the closure on the main actor. See `whenFulfilled(token:_:)`.
  @inlinable public func whenFulfilled(
    on main: MainContext, token: InvalidationToken? = nil, _ callback: consuming @escaping @MainActor (Value) -> Void
  ) {
    observe(
      on: main.place, token: token, .observing(.fulfilled), Self.observingValue(main.calling(consume callback), .leave))
  }

  /// Calls `callback` with the error of a rejected future.
  @inlinable
  public func whenRejected(token: InvalidationToken? = nil, _ callback: consuming @escaping (Failure) -> Void) {
    observe(on: .immediate, token: token, .observing(.failed), Self.observingError(consume callback, .leave))
  }

  /// Calls the closure in `context`. See `whenRejected(token:_:)`.
  @_disfavoredOverload
  @inlinable public func whenRejected(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping (Failure) -> Void
  ) {
    observe(on: context, token: token, .observing(.failed), Self.observingError(consume callback, .leave))
  }

  /// Calls the closure on the main actor. See `whenRejected(token:_:)`.
  @inlinable public func whenRejected(
    on main: MainContext, token: InvalidationToken? = nil, _ callback: consuming @escaping @MainActor (Failure) -> Void
  ) {
    observe(
      on: main.place, token: token, .observing(.failed), Self.observingError(main.calling(consume callback), .leave))
  }

  /// Calls `callback` if the future is cancelled, with the indirect error if there is one. Does not count as interest
  /// in the future.
  @inlinable
  public func whenCancelled(token: InvalidationToken? = nil, _ callback: consuming @escaping ((any Error)?) -> Void) {
    observe(
      on: .immediate, token: token, .observing(.cancelled, interest: .none),
      Self.observingCancellation(consume callback))
  }

  /// Calls the closure in `context`. See `whenCancelled(token:_:)`.
  @_disfavoredOverload
  @inlinable public func whenCancelled(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping ((any Error)?) -> Void
  ) {
    observe(
      on: context, token: token, .observing(.cancelled, interest: .none), Self.observingCancellation(consume callback))
  }

  /// Calls the closure on the main actor. See `whenCancelled(token:_:)`.
  @inlinable public func whenCancelled(
    on main: MainContext, token: InvalidationToken? = nil,
    _ callback: consuming @escaping @MainActor ((any Error)?) -> Void
  ) {
    observe(
      on: main.place, token: token, .observing(.cancelled, interest: .none),
      Self.observingCancellation(main.calling(consume callback)))
  }
}

extension Future where Failure: Error {
  /// Calls `callback` with the error of a rejected future or the indirect error of a cancelled one. Not called for a
  /// cancellation without an indirect error.
  @inlinable
  public func whenAnyError(token: InvalidationToken? = nil, _ callback: consuming @escaping (any Error) -> Void) {
    observe(on: .immediate, token: token, .observing(.anyError(true)), Self.observingAnyError(true, consume callback))
  }

  /// Calls the closure in `context`. See `whenAnyError(token:_:)`.
  @_disfavoredOverload
  @inlinable public func whenAnyError(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping (any Error) -> Void
  ) {
    observe(on: context, token: token, .observing(.anyError(true)), Self.observingAnyError(true, consume callback))
  }

  /// Calls the closure on the main actor. See `whenAnyError(token:_:)`.
  @inlinable public func whenAnyError(
    on main: MainContext, token: InvalidationToken? = nil,
    _ callback: consuming @escaping @MainActor (any Error) -> Void
  ) {
    observe(
      on: main.place, token: token, .observing(.anyError(true)),
      Self.observingAnyError(true, main.calling(consume callback)))
  }
}
