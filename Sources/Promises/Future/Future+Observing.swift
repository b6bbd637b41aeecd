// Observers. The returned future has the same outcome as this one, and settles after the callback has returned.
//
// Each method with a callback has three forms: inline, with the caller's isolation (no `on:`); in a context, with a
// `sending` closure; on the main actor, with a `@MainActor` closure. The second form is disfavoured, because `.main`
// alone fits it too: the type checker then tries no second overload, so it checks a chain in linear time.
extension Future {
  /// Calls `callback` with the value of a fulfilled future.
  @discardableResult
  @inlinable
  public func onSuccess(token: InvalidationToken? = nil, _ callback: consuming @escaping (Value) -> Void) -> Future {
    derive(on: .immediate, token: token, .observing(.fulfilled), Self.observingValue(consume callback))
  }

  /// Calls the closure in `context`. See `onSuccess(token:_:)`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onSuccess(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping (Value) -> Void
  ) -> Future {
    derive(on: context, token: token, .observing(.fulfilled), Self.observingValue(consume callback))
  }

  /// Calls the closure on the main actor. See `onSuccess(token:_:)`.
  @discardableResult
  @inlinable public func onSuccess(
    on main: MainContext, token: InvalidationToken? = nil, _ callback: consuming @escaping @MainActor (Value) -> Void
  ) -> Future {
    derive(on: main.place, token: token, .observing(.fulfilled), Self.observingValue(main.calling(consume callback)))
  }

  /// Calls `callback` with the error of a rejected future.
  @discardableResult
  @inlinable
  public func onError(token: InvalidationToken? = nil, _ callback: consuming @escaping (Failure) -> Void) -> Future {
    derive(on: .immediate, token: token, .observing(.failed), Self.observingError(consume callback))
  }

  /// Calls the closure in `context`. See `onError(token:_:)`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onError(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping (Failure) -> Void
  ) -> Future {
    derive(on: context, token: token, .observing(.failed), Self.observingError(consume callback))
  }

  /// Calls the closure on the main actor. See `onError(token:_:)`.
  @discardableResult
  @inlinable public func onError(
    on main: MainContext, token: InvalidationToken? = nil, _ callback: consuming @escaping @MainActor (Failure) -> Void
  ) -> Future {
    derive(on: main.place, token: token, .observing(.failed), Self.observingError(main.calling(consume callback)))
  }

  /// Calls `callback` with the error of a rejected future, if it is of type `E`.
  @discardableResult
  @inlinable
  public func onError<E>(of type: E.Type, token: InvalidationToken? = nil, _ callback: consuming @escaping (E) -> Void)
    -> Future
  {
    derive(on: .immediate, token: token, .observing(.failed), Self.observingError(of: type, consume callback))
  }

  /// Calls the closure in `context`. See `onError(of:token:_:)`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onError<E>(
    of type: E.Type, on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping (E) -> Void
  ) -> Future {
    derive(on: context, token: token, .observing(.failed), Self.observingError(of: type, consume callback))
  }

  /// Calls the closure on the main actor. See `onError(of:token:_:)`.
  @discardableResult
  @inlinable public func onError<E>(
    of type: E.Type, on main: MainContext, token: InvalidationToken? = nil,
    _ callback: consuming @escaping @MainActor (E) -> Void
  ) -> Future {
    derive(
      on: main.place, token: token, .observing(.failed), Self.observingError(of: type, main.calling(consume callback)))
  }

  /// Calls `callback` with every outcome.
  @discardableResult
  @inlinable public func onComplete(
    token: InvalidationToken? = nil, _ callback: consuming @escaping (FutureResult<Value, Failure>) -> Void
  ) -> Future {
    derive(on: .immediate, token: token, .observing(.all), Self.observingResult(consume callback))
  }

  /// Calls the closure in `context`. See `onComplete(token:_:)`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onComplete(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping (FutureResult<Value, Failure>) -> Void
  ) -> Future {
    derive(on: context, token: token, .observing(.all), Self.observingResult(consume callback))
  }

  /// Calls the closure on the main actor. See `onComplete(token:_:)`.
  @discardableResult
  @inlinable public func onComplete(
    on main: MainContext, token: InvalidationToken? = nil,
    _ callback: consuming @escaping @MainActor (FutureResult<Value, Failure>) -> Void
  ) -> Future {
    derive(on: main.place, token: token, .observing(.all), Self.observingResult(main.calling(consume callback)))
  }

  /// Calls `callback` with every outcome. Does not count as interest in the future.
  ///
  /// - Returns: this future, so later callbacks do not wait for `callback`.
  @discardableResult
  @inlinable public func tap(
    token: InvalidationToken? = nil, _ callback: consuming @escaping (FutureResult<Value, Failure>) -> Void
  ) -> Future {
    observe(
      on: .immediate, token: token, .observing(.all, interest: .none), Self.observingResult(consume callback, .leave))
    return self
  }

  /// Calls the closure in `context`. See `tap(token:_:)`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func tap(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping (FutureResult<Value, Failure>) -> Void
  ) -> Future {
    observe(
      on: context, token: token, .observing(.all, interest: .none), Self.observingResult(consume callback, .leave))
    return self
  }

  /// Calls the closure on the main actor. See `tap(token:_:)`.
  @discardableResult
  @inlinable public func tap(
    on main: MainContext, token: InvalidationToken? = nil,
    _ callback: consuming @escaping @MainActor (FutureResult<Value, Failure>) -> Void
  ) -> Future {
    observe(
      on: main.place, token: token, .observing(.all, interest: .none),
      Self.observingResult(main.calling(consume callback), .leave))
    return self
  }

  /// Calls `body` with this future, inline: attaches a branch in the middle of a chain.
  ///
  /// - Returns: this future.
  @discardableResult
  @inlinable public func fork(_ body: (Future) throws -> Void) rethrows -> Future {
    try body(self)
    return self
  }
}

extension Future where Failure: Error {
  /// Calls `callback` with the error of a rejected future and, if `includingIndirectErrors` is true, with the indirect
  /// error of a cancelled one. Does not count as interest in the future.
  ///
  /// - Returns: this future, so later callbacks do not wait for `callback`.
  @discardableResult
  @inlinable public func `catch`(
    token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    _ callback: consuming @escaping (any Error) -> Void
  ) -> Future {
    observe(
      on: .immediate, token: token, .observing(.anyError(includingIndirectErrors), interest: .none),
      Self.observingAnyError(includingIndirectErrors, consume callback))
    return self
  }

  /// Calls the closure in `context`. See `catch(token:includingIndirectErrors:_:)`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func `catch`(
    on context: PromiseContext, token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    _ callback: sending @escaping (any Error) -> Void
  ) -> Future {
    observe(
      on: context, token: token, .observing(.anyError(includingIndirectErrors), interest: .none),
      Self.observingAnyError(includingIndirectErrors, consume callback))
    return self
  }

  /// Calls the closure on the main actor. See `catch(token:includingIndirectErrors:_:)`.
  @discardableResult
  @inlinable public func `catch`(
    on main: MainContext, token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    _ callback: consuming @escaping @MainActor (any Error) -> Void
  ) -> Future {
    observe(
      on: main.place, token: token, .observing(.anyError(includingIndirectErrors), interest: .none),
      Self.observingAnyError(includingIndirectErrors, main.calling(consume callback)))
    return self
  }
}
