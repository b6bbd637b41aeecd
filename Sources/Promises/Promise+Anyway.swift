extension Promise {
  /// A promise of what `handler` returns, called with the value once this promise is fulfilled and with `nil` once it
  /// is rejected; rejected with the error that it throws. The rejection itself goes no further.
  public final func anyway<O>(_ handler: @escaping (Value?) throws -> O) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.anyway(handler)))
  }

  /// The same, with a callback that runs in a context.
  public final func anyway<O>(on context: PromiseContext, _ handler: @escaping (Value?) throws -> O) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, Reactions.anyway(handler)))
  }

  /// A promise that ends as the one does that `handler` returns, called as by `anyway(_:)`.
  public final func anyway<O>(async handler: @escaping (Value?) throws -> Promise<O>) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.anyway(async: handler)))
  }

  /// The same, with a callback that runs in a context.
  public final func anyway<O>(
    on context: PromiseContext, async handler: @escaping (Value?) throws -> Promise<O>
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, Reactions.anyway(async: handler)))
  }
}

extension Reactions {
  static func anyway<T, O>(_ handler: @escaping (T?) throws -> O) -> Closure {
    { isRejected, value, out in
      settle(&out) { try handler(isRejected ? nil : try value.required(as: T.self)) }
    }
  }

  static func anyway<T, O>(async handler: @escaping (T?) throws -> Promise<O>) -> Closure {
    { isRejected, value, out in
      follow(&out) { try handler(isRejected ? nil : try value.required(as: T.self)) }
    }
  }
}
