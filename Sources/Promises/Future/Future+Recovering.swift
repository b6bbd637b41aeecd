// Values in place of errors, and errors as cancellations. `Future+Observing.swift` describes their three forms.
extension Future where Failure: Error {
  /// Returns a future of the value that `transform` returns for the error. If `transform` returns `nil`, the future has
  /// this one's outcome.
  ///
  /// - Parameters:
  ///   - token: once it is invalidated, `transform` is not called, and the future is cancelled.
  ///   - includingIndirectErrors: whether `transform` is also called with the indirect error of a cancelled future.
  ///   - transform: called with the error.
  @inlinable public func recover(
    token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    _ transform: consuming @escaping (any Error) -> Value?
  ) -> Future {
    derive(
      on: .immediate, token: token, .transforming(.anyError(includingIndirectErrors)),
      Self.recovering(includingIndirectErrors, consume transform))
  }

  /// Calls the closure in `context`. See `recover(token:includingIndirectErrors:_:)`.
  @_disfavoredOverload
  @inlinable public func recover(
    on context: PromiseContext, token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    _ transform: sending @escaping (any Error) -> Value?
  ) -> Future {
    derive(
      on: context, token: token, .transforming(.anyError(includingIndirectErrors)),
      Self.recovering(includingIndirectErrors, consume transform))
  }

  /// Calls the closure on the main actor. See `recover(token:includingIndirectErrors:_:)`.
  @inlinable public func recover(
    on main: MainContext, token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    _ transform: consuming @escaping @MainActor (any Error) -> Value?
  ) -> Future {
    derive(
      on: main.place, token: token, .transforming(.anyError(includingIndirectErrors)),
      Self.recovering(includingIndirectErrors, main.calling(consume transform)))
  }

  /// Returns a future in which `value` replaces an error. The expression is evaluated at most once, and only for an
  /// error.
  @_disfavoredOverload
  @inlinable public func recover(
    token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    with value: @escaping @autoclosure () -> Value
  ) -> Future {
    recover(token: token, includingIndirectErrors: includingIndirectErrors) { _ in .some(value()) }
  }

  /// Calls the closure in `context`. See `recover(token:includingIndirectErrors:with:)`.
  @_disfavoredOverload
  @inlinable public func recover(
    on context: PromiseContext, token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    with value: consuming @escaping @autoclosure @Sendable () -> Value
  ) -> Future {
    derive(
      on: context, token: token, .transforming(.anyError(includingIndirectErrors)),
      Self.recovering(includingIndirectErrors, with: consume value))
  }

  /// Calls the closure on the main actor. See `recover(token:includingIndirectErrors:with:)`.
  @inlinable public func recover(
    on main: MainContext, token: InvalidationToken? = nil, includingIndirectErrors: Bool = true,
    with value: consuming @escaping @autoclosure @MainActor () -> Value
  ) -> Future {
    derive(
      on: main.place, token: token, .transforming(.anyError(includingIndirectErrors)),
      Self.recovering(includingIndirectErrors, with: main.calling(consume value)))
  }

  /// Returns a future of `transform`'s result for the value, as `tryMap` does, except that an error of this future
  /// cancels the new one, with the error as indirect error. So only the failing link of a chain is rejected, and the
  /// links after it are cancelled.
  @inlinable public func mapOrCancel<NewValue>(
    token: InvalidationToken? = nil, _ transform: consuming @escaping (Value) throws -> NewValue
  ) -> Future<NewValue, any Error> {
    cancelledByErrors().derive(on: .immediate, token: token, .transforming(.fulfilled), Self.mapping(consume transform))
  }

  /// Calls the closure in `context`. See `mapOrCancel(token:_:)`.
  @_disfavoredOverload
  @inlinable public func mapOrCancel<NewValue>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Value) throws -> NewValue
  ) -> Future<NewValue, any Error> {
    cancelledByErrors().derive(on: context, token: token, .transforming(.fulfilled), Self.mapping(consume transform))
  }

  /// Calls the closure on the main actor. See `mapOrCancel(token:_:)`.
  @inlinable public func mapOrCancel<NewValue>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Value) throws -> NewValue
  ) -> Future<NewValue, any Error> {
    cancelledByErrors().derive(
      on: main.place, token: token, .transforming(.fulfilled), Self.mapping(main.calling(consume transform)))
  }

  /// Returns a future that follows the future `transform` returns, as `tryFlatMap` does, with this future's errors
  /// handled as in `mapOrCancel`.
  @inlinable public func flatMapOrCancel<NewValue, E: Error>(
    token: InvalidationToken? = nil, _ transform: consuming @escaping (Value) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    cancelledByErrors().derive(
      on: .immediate, token: token, .transforming(.fulfilled), Self.flatMapping(consume transform))
  }

  /// Calls the closure in `context`. See `flatMapOrCancel(token:_:)`.
  @_disfavoredOverload
  @inlinable public func flatMapOrCancel<NewValue, E: Error>(
    on context: PromiseContext, token: InvalidationToken? = nil,
    _ transform: sending @escaping (Value) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    cancelledByErrors().derive(
      on: context, token: token, .transforming(.fulfilled), Self.flatMapping(consume transform))
  }

  /// Calls the closure on the main actor. See `flatMapOrCancel(token:_:)`.
  @inlinable public func flatMapOrCancel<NewValue, E: Error>(
    on main: MainContext, token: InvalidationToken? = nil,
    _ transform: consuming @escaping @MainActor (Value) throws -> Future<NewValue, E>
  ) -> Future<NewValue, any Error> {
    cancelledByErrors().derive(
      on: main.place, token: token, .transforming(.fulfilled), Self.flatMapping(main.calling(consume transform)))
  }

  /// Returns a future that is fulfilled after `callback` has run. `callback` is called for every outcome.
  @discardableResult
  @inlinable
  public func always(token: InvalidationToken? = nil, _ callback: consuming @escaping () -> Void) -> Future<Void, Never>
  {
    derive(on: .immediate, token: token, .transforming(.all), Self.ending(consume callback))
  }

  /// Calls the closure in `context`. See `always(token:_:)`.
  @_disfavoredOverload
  @discardableResult
  @inlinable public func always(
    on context: PromiseContext, token: InvalidationToken? = nil, _ callback: sending @escaping () -> Void
  ) -> Future<Void, Never> {
    derive(on: context, token: token, .transforming(.all), Self.ending(consume callback))
  }

  /// Calls the closure on the main actor. See `always(token:_:)`.
  @discardableResult
  @inlinable public func always(
    on main: MainContext, token: InvalidationToken? = nil, _ callback: consuming @escaping @MainActor () -> Void
  ) -> Future<Void, Never> {
    derive(on: main.place, token: token, .transforming(.all), Self.ending(main.calling(consume callback)))
  }

  @inlinable static func recovering(
    _ includingIndirectErrors: Bool, _ transform: @escaping (any Error) -> Value?
  ) -> Closure {
    Reactions.onAnyError(of: Future.self, includingIndirectErrors: includingIndirectErrors) { error, out in
      transform(error).map { out.leave($0) } ?? .pass
    }
  }

  @inlinable static func recovering(
    _ includingIndirectErrors: Bool, with value: @escaping () -> Value
  ) -> Closure {
    recovering(includingIndirectErrors) { _ in .some(value()) }
  }

  @inlinable static func ending(_ callback: @escaping () -> Void) -> Closure {
    { _, _, out in
      callback()
      return out.leave(())
    }
  }

  /// Returns this future with errors as cancellations.
  @usableFromInline func cancelledByErrors() -> Future<Value, any Error> {
    derive(
      on: .immediate, token: nil, .transforming(.failed),
      Reactions.onError(of: Future.self) { error, out in out.leave(cancelledBecause: error) })
  }
}
