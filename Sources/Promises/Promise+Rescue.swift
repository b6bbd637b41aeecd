// A rescue handler is called for reasons that are of its argument's type by Swift's dynamic cast, `reason is R` (clause
// 2.3), `nil` included: it is an `Any?`, so a handler of an Optional, `Any` or `Any?` receives it.
//
// Where a promise is derived and this one is fulfilled, the specification is silent: the value passes on if it is an O
// by the same cast; otherwise the derived promise stays pending. The handler is released either way.
extension Promise {
  /// Calls `onError` with the reason once the promise is rejected with one of type `E` (clause 3.2.1).
  public final func rescue<E>(_ onError: @escaping (E) -> ()) {
    cell.observe(Reactions.rescue(onError))
  }

  /// The same, with a callback that runs in a context.
  public final func rescue<E>(on context: PromiseContext, _ onError: @escaping (E) -> ()) {
    cell.observe(context, for: .rejected, Reactions.rescue(onError))
  }

  /// A promise of what `onError` returns, called with this promise's reason if it is of type `E`; rejected with the
  /// error that it throws, or with this promise's reason if that is of another type (clause 3.2.2).
  public final func rescue<E, O>(_ onError: @escaping (E) throws -> O) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.rescue(onError)))
  }

  /// The same, with a callback that runs in a context.
  public final func rescue<E, O>(on context: PromiseContext, _ onError: @escaping (E) throws -> O) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, Reactions.rescue(onError)))
  }

  /// A promise that ends as the one does that `onError` returns, called with this promise's reason if it is of type
  /// `E`; rejected with the error that it throws, or with this promise's reason if that is of another type (clause
  /// 3.2.3).
  public final func rescue<E, O>(_ onError: @escaping (E) throws -> Promise<O>) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.rescue(async: onError)))
  }

  /// The same, under the label that `then(async:)` has.
  @_disfavoredOverload
  public final func rescue<E, O>(async onError: @escaping (E) throws -> Promise<O>) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.rescue(async: onError)))
  }

  /// The same, with a callback that runs in a context.
  public final func rescue<E, O>(
    on context: PromiseContext, _ onError: @escaping (E) throws -> Promise<O>
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, Reactions.rescue(async: onError)))
  }

  /// The same, under the label that `then(async:)` has.
  @_disfavoredOverload
  public final func rescue<E, O>(
    on context: PromiseContext, async onError: @escaping (E) throws -> Promise<O>
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, Reactions.rescue(async: onError)))
  }
}

extension Reactions {
  static func rescue<E>(_ onError: @escaping (E) -> ()) -> Closure {
    { isRejected, value, _ in
      if isRejected, case .some(let reason) = value.reason as? E { onError(reason) }
      return .leave
    }
  }

  static func rescue<E, O>(_ onError: @escaping (E) throws -> O) -> Closure {
    { isRejected, value, out in
      guard isRejected else { return forward(value, as: O.self, &out) }
      guard case .some(let reason) = value.reason as? E else { return .pass }
      return settle(&out) { try onError(reason) }
    }
  }

  static func rescue<E, O>(async onError: @escaping (E) throws -> Promise<O>) -> Closure {
    { isRejected, value, out in
      guard isRejected else { return forward(value, as: O.self, &out) }
      guard case .some(let reason) = value.reason as? E else { return .pass }
      return follow(&out) { try onError(reason) }
    }
  }

  /// Passes a fulfilled promise's value on, if it is an O.
  private static func forward<O>(_ value: CellValue, as type: O.Type, _ out: inout CellValue) -> Verdict {
    guard case .some(let forwarded) = value.any as? O else { return .leave }
    out = .encoding(forwarded)
    return .fulfill
  }
}
