// A rescue handler is called if the reason matches the type of its argument by Swift's dynamic cast, `reason is R`
// (clause 2.3). A `nil` reason is an `Any?`, so a handler of an Optional, `Any` or `Any?` receives it.
//
// The specification is silent on a derived promise whose source is fulfilled. Here the value is forwarded if the same
// cast makes it an O; otherwise the derived promise stays pending. The handler is released either way. If O is the type
// of the value, the value is forwarded without a hop; otherwise it is cast in the handler's context.
extension Promise {
  /// Calls `onError` with the reason if the promise is rejected with one of type `E` (clause 3.2.1).
  @inlinable public final func rescue<E>(_ onError: @escaping (E) -> ()) {
    cell.observe(rejections: .chosen, Reactions.rescue(onError))
  }

  /// Calls `onError` with the reason, as `rescue(_:)` does, in `context`.
  @_disfavoredOverload
  @inlinable public final func rescue<E>(on context: PromiseContext, _ onError: sending @escaping (E) -> ()) {
    cell.observe(context, for: .rejected, rejections: .chosen, Reactions.rescue(consume onError))
  }

  /// Calls `onError` with the reason, as `rescue(_:)` does, on the main actor.
  @inlinable public final func rescue<E>(on main: MainContext, _ onError: consuming @escaping @MainActor (E) -> ()) {
    cell.observe(
      main.place, for: .rejected, rejections: .chosen, Reactions.rescue(main.calling(consume onError)))
  }

  /// Returns a promise of `onError`'s result for a reason of type `E` (clause 3.2.2).
  ///
  /// The returned promise is rejected with an error that `onError` throws, or with this promise's reason if that is not
  /// an `E`.
  @inlinable public final func rescue<E, O>(_ onError: @escaping (E) throws -> O) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.rescue(of: Value.self, onError)))
  }

  /// Returns a promise of `onError`'s result, as `rescue(_:)` does; `onError` runs in `context`.
  @_disfavoredOverload
  @inlinable public final func rescue<E, O>(
    on context: PromiseContext, _ onError: sending @escaping (E) throws -> O
  ) -> Promise<O> {
    rescued(on: context, Reactions.rescue(of: Value.self, consume onError))
  }

  /// Returns a promise of `onError`'s result, as `rescue(_:)` does; `onError` runs on the main actor.
  @inlinable public final func rescue<E, O>(
    on main: MainContext, _ onError: consuming @escaping @MainActor (E) throws -> O
  ) -> Promise<O> {
    rescued(on: main.place, Reactions.rescue(of: Value.self, main.calling(consume onError)))
  }

  /// Returns a promise that follows the promise `onError` returns for a reason of type `E` (clause 3.2.3).
  ///
  /// The returned promise is rejected with an error that `onError` throws, or with this promise's reason if that is not
  /// an `E`.
  @inlinable public final func rescue<E, O>(_ onError: @escaping (E) throws -> Promise<O>) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.rescue(of: Value.self, async: onError)))
  }

  /// Returns a promise that follows the promise `onError` returns, as `rescue(_:)` does; the label is that of
  /// `then(async:)`.
  @_disfavoredOverload
  @inlinable public final func rescue<E, O>(async onError: @escaping (E) throws -> Promise<O>) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.rescue(of: Value.self, async: onError)))
  }

  /// Returns a promise that follows the promise `onError` returns, as `rescue(_:)` does; `onError` runs in `context`.
  @inlinable public final func rescue<E, O>(
    on context: PromiseContext, _ onError: sending @escaping (E) throws -> Promise<O>
  ) -> Promise<O> {
    rescued(on: context, Reactions.rescue(of: Value.self, async: consume onError))
  }

  /// Returns a promise that follows the promise `onError` returns, as `rescue(_:)` does; `onError` runs on the main
  /// actor.
  @inlinable public final func rescue<E, O>(
    on main: MainContext, _ onError: consuming @escaping @MainActor (E) throws -> Promise<O>
  ) -> Promise<O> {
    rescued(on: main.place, Reactions.rescue(of: Value.self, async: main.calling(consume onError)))
  }

  /// Returns a promise that follows the promise `onError` returns, as `rescue(on:_:)` does, on the main actor.
  @_disfavoredOverload
  @inlinable public final func rescue<E, O>(
    on main: MainContext, async onError: consuming @escaping @MainActor (E) throws -> Promise<O>
  ) -> Promise<O> {
    rescued(on: main.place, Reactions.rescue(of: Value.self, async: main.calling(consume onError)))
  }

  /// Returns a promise that follows the promise `onError` returns, as `rescue(on:_:)` does; the label is that of
  /// `then(async:)`.
  @_disfavoredOverload
  @inlinable public final func rescue<E, O>(
    on context: PromiseContext, async onError: sending @escaping (E) throws -> Promise<O>
  ) -> Promise<O> {
    rescued(on: context, Reactions.rescue(of: Value.self, async: consume onError))
  }

  /// Derives a promise of an `O`. If that is the type of the value, a value is forwarded without a hop.
  @inlinable final func rescued<O>(on context: PromiseContext, _ closure: consuming @escaping Closure) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, for: Value.self == O.self ? .rejected : .all, consume closure))
  }
}

extension Reactions {
  @inlinable static func rescue<E>(_ onError: @escaping (E) -> ()) -> Closure {
    { isRejected, value, out in
      guard isRejected, case .some(let reason) = value.reason as? E else { return .pass }
      if !out.isQuestion { onError(reason) }
      return .leave
    }
  }

  @inlinable static func rescue<V, E, O>(of type: V.Type, _ onError: @escaping (E) throws -> O) -> Closure {
    { isRejected, value, out in
      guard isRejected else { return forward(value, of: V.self, as: O.self, &out) }
      guard case .some(let reason) = value.reason as? E else { return .pass }
      return settle(&out) { try onError(reason) }
    }
  }

  @inlinable static func rescue<V, E, O>(
    of type: V.Type, async onError: @escaping (E) throws -> Promise<O>
  ) -> Closure {
    { isRejected, value, out in
      guard isRejected else { return forward(value, of: V.self, as: O.self, &out) }
      guard case .some(let reason) = value.reason as? E else { return .pass }
      return follow(&out) { try onError(reason) }
    }
  }

  /// Forwards the value of a fulfilled `Promise<V>` if it is an O.
  @inlinable static func forward<V, O>(
    _ value: CellValue, of type: V.Type, as other: O.Type, _ out: inout CellValue
  ) -> Verdict {
    // C may have settled the promise with a value of another type.
    let own: Any = (try? value.required(as: V.self)).map { $0 as Any } ?? value.any
    guard case .some(let forwarded) = own as? O else { return .leave }
    out = .encoding(forwarded)
    return .fulfill
  }
}
