extension Promise {
  /// Returns a promise of `handler`'s result: `handler` is called with the value of a fulfilled promise and with `nil`
  /// for a rejected one.
  ///
  /// The returned promise is rejected only with an error that `handler` throws; this promise's rejection does not
  /// propagate.
  @inlinable public final func anyway<O>(_ handler: @escaping (Value?) throws -> O) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.anyway(handler)))
  }

  /// Returns a promise of `handler`'s result, as `anyway(_:)` does; `handler` runs in `context`.
  @_disfavoredOverload
  @inlinable public final func anyway<O>(
    on context: PromiseContext, _ handler: sending @escaping (Value?) throws -> O
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, Reactions.anyway(consume handler)))
  }

  /// Returns a promise of `handler`'s result, as `anyway(_:)` does; `handler` runs on the main actor.
  @inlinable public final func anyway<O>(
    on main: MainContext, _ handler: consuming @escaping @MainActor (Value?) throws -> O
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(main.place, Reactions.anyway(main.calling(consume handler))))
  }

  /// Returns a promise that follows the promise `handler` returns: `handler` is called with the value of a fulfilled
  /// promise and with `nil` for a rejected one.
  ///
  /// The returned promise is also rejected with an error that `handler` throws; this promise's rejection does not
  /// propagate.
  @inlinable public final func anyway<O>(async handler: @escaping (Value?) throws -> Promise<O>) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.anyway(async: handler)))
  }

  /// Returns a promise that follows the promise `handler` returns, as `anyway(async:)` does; `handler` runs in
  /// `context`.
  @_disfavoredOverload
  @inlinable public final func anyway<O>(
    on context: PromiseContext, async handler: sending @escaping (Value?) throws -> Promise<O>
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, Reactions.anyway(async: consume handler)))
  }

  /// Returns a promise that follows the promise `handler` returns, as `anyway(async:)` does; `handler` runs on the main
  /// actor.
  @inlinable public final func anyway<O>(
    on main: MainContext, async handler: consuming @escaping @MainActor (Value?) throws -> Promise<O>
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(main.place, Reactions.anyway(async: main.calling(consume handler))))
  }
}

extension Reactions {
  @inlinable static func anyway<T, O>(_ handler: @escaping (T?) throws -> O) -> Closure {
    { isRejected, value, out in
      settle(&out) { try handler(isRejected ? nil : try value.required(as: T.self)) }
    }
  }

  @inlinable static func anyway<T, O>(async handler: @escaping (T?) throws -> Promise<O>) -> Closure {
    { isRejected, value, out in
      follow(&out) { try handler(isRejected ? nil : try value.required(as: T.self)) }
    }
  }
}
