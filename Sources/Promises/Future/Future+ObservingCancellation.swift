// Observers of cancellation. `Future+Observing.swift` describes their three forms. Each has a second overload for a
// closure without a parameter: a closure fits only one of the overloads, so the type checker rejects the other in
// constant time.
extension Future {
  /// Calls `callback` if the future is cancelled, with the indirect error if there is one. Does not count as interest
  /// in the future.
  @discardableResult
  @inlinable
  public func onCancel(token: InvalidationToken? = nil, _ callback: consuming @escaping ((any Error)?) -> Void)
    -> Future
  {
    derive(
      on: .immediate, token: token, .observing(.cancelled, interest: .quiet),
      Self.observingCancellation(consume callback))
  }

  /// Calls the closure in `context`. See `onCancel(token:_:)`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onCancel(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ callback: sending @escaping ((any Error)?) -> Void
  ) -> Future {
    derive(
      on: context, token: token, .observing(.cancelled, interest: .quiet), Self.observingCancellation(consume callback))
  }

  /// Calls the closure on the main actor. See `onCancel(token:_:)`.
  @discardableResult
  @inlinable public func onCancel(
    on main: MainContext, token: InvalidationToken? = nil,
    _ callback: consuming @escaping @MainActor ((any Error)?) -> Void
  ) -> Future {
    derive(
      on: main.place, token: token, .observing(.cancelled, interest: .quiet),
      Self.observingCancellation(main.calling(consume callback)))
  }

  /// Calls `callback` if the future is cancelled, with an indirect error or without. See `onCancel(token:_:)`.
  @discardableResult
  @inlinable
  public func onCancel(token: InvalidationToken? = nil, _ callback: consuming @escaping () -> Void) -> Future {
    derive(
      on: .immediate, token: token, .observing(.cancelled, interest: .quiet),
      Self.observingCancellation(ignoring: consume callback))
  }

  /// Calls the closure in `context`. See `onCancel(token:_:)`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func onCancel(
    on context: PromiseContext, token: InvalidationToken? = nil, _ callback: sending @escaping () -> Void
  ) -> Future {
    derive(
      on: context, token: token, .observing(.cancelled, interest: .quiet),
      Self.observingCancellation(ignoring: consume callback))
  }

  /// Calls the closure on the main actor. See `onCancel(token:_:)`.
  @discardableResult
  @inlinable public func onCancel(
    on main: MainContext, token: InvalidationToken? = nil, _ callback: consuming @escaping @MainActor () -> Void
  ) -> Future {
    derive(
      on: main.place, token: token, .observing(.cancelled, interest: .quiet),
      Self.observingCancellation(ignoring: main.calling(consume callback)))
  }

  @inlinable static func observingCancellation(ignoring callback: @escaping () -> Void) -> Closure {
    observingCancellation { _ in callback() }
  }
}
