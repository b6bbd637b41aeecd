extension Promise {
  /// Calls `onSuccess` with the value once the promise is fulfilled, or `onFailure` with the reason once it is rejected
  /// (clause 3.1.1). `onFailure` also receives what `onSuccess` throws; without it, that is ignored.
  @inlinable public final func then(_ onSuccess: ((Value) throws -> ())?, _ onFailure: ((Any?) -> ())? = nil) {
    cell.observe(Reactions.untyped(onSuccess, onFailure))
  }

  /// The same, with callbacks that run in a context.
  public final func then(
    on context: PromiseContext, _ onSuccess: ((Value) throws -> ())?, _ onFailure: ((Any?) -> ())? = nil
  ) {
    let arms: Job.Arms? = onSuccess == nil ? onFailure == nil ? nil : .rejected : onFailure == nil ? .fulfilled : .all
    if let arms { cell.observe(context, for: arms, Reactions.untyped(onSuccess, onFailure)) }
  }

  /// A promise of what `onSuccess` returns, called with this promise's value; rejected with the error that it throws,
  /// or with this promise's reason (clause 3.1.2).
  @inlinable public final func then<O>(_ onSuccess: consuming @escaping (Value) throws -> O) -> Promise<O> {
    let caller: StoredCallback.Caller = { callback, isRejected, value, out in
      let onSuccess = unsafe callback.assumingMemoryBound(to: ((Value) throws -> O).self).move()
      if isRejected { return .pass }
      return Reactions.settle(&out) { try onSuccess(try value.required(as: Value.self)) }
    }
    guard unsafe StoredCallback.isBare(caller) else { return Promise<O>(cell: cell.derive(Reactions.then(onSuccess))) }
    return unsafe Promise<O>(cell: cell.derive(StoredCallback(consume onSuccess, caller: caller)))
  }

  /// The same, with a callback that runs in a context.
  public final func then<O>(on context: PromiseContext, _ onSuccess: @escaping (Value) throws -> O) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, for: .fulfilled, Reactions.then(onSuccess)))
  }

  /// A promise that ends as the one does that `onSuccess` returns, called with this promise's value; rejected with the
  /// error that it throws, or with this promise's reason (clause 3.1.3). If the returned promise waits for this very
  /// result, the result is rejected with a `PromiseError`.
  @inlinable public final func then<O>(async onSuccess: @escaping (Value) throws -> Promise<O>) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.then(async: onSuccess)))
  }

  /// The same without the label, where the context asks for a `Promise<O>`: the document's `promise2 =
  /// promise1.then(success)`.
  @_disfavoredOverload
  @inlinable public final func then<O>(_ onSuccess: @escaping (Value) throws -> Promise<O>) -> Promise<O> {
    then(async: onSuccess)
  }

  /// The same, with a callback that runs in a context.
  public final func then<O>(
    on context: PromiseContext, async onSuccess: @escaping (Value) throws -> Promise<O>
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, for: .fulfilled, Reactions.then(async: onSuccess)))
  }
}

/// The closures that the engine runs: each turns a callback on values into one on what cells store.
@usableFromInline
enum Reactions {
  @inlinable static func untyped<T>(_ onSuccess: ((T) throws -> ())?, _ onFailure: ((Any?) -> ())?) -> Closure {
    { isRejected, value, _ in
      if isRejected {
        onFailure?(value.reason)
      } else if let onSuccess {
        do { try onSuccess(try value.required(as: T.self)) } catch { onFailure?(error) }
      }
      return .leave
    }
  }

  @inlinable static func then<T, O>(_ onSuccess: @escaping (T) throws -> O) -> Closure {
    { isRejected, value, out in
      if isRejected { return .pass }
      return settle(&out) { try onSuccess(try value.required(as: T.self)) }
    }
  }

  @inlinable static func then<T, O>(async onSuccess: @escaping (T) throws -> Promise<O>) -> Closure {
    { isRejected, value, out in
      if isRejected { return .pass }
      return follow(&out) { try onSuccess(try value.required(as: T.self)) }
    }
  }

  /// Leaves what a callback returns or throws.
  @inlinable @inline(__always)
  static func settle<O>(_ out: inout CellValue, _ callback: () throws -> O) -> Verdict {
    do {
      out = .encoding(try callback())
      return .fulfill
    } catch {
      out = .encoding(reason: error)
      return .reject
    }
  }

  /// Leaves the promise that a callback returns, or what it throws.
  @inlinable
  static func follow<O>(_ out: inout CellValue, _ callback: () throws -> Promise<O>) -> Verdict {
    do {
      out = .promise(try callback())
      return .adopt
    } catch {
      out = .encoding(reason: error)
      return .reject
    }
  }
}

extension CellRef {
  /// A promise that the closure settles, as a reference of the caller's.
  @usableFromInline func derive(_ closure: @escaping Closure) -> CellRef {
    guard let derived = react(closure) else { fatalError("no memory for a promise") }
    return derived
  }

  /// A promise that the callback settles, as a reference of the caller's.
  @usableFromInline func derive(_ callback: StoredCallback) -> CellRef {
    guard let derived = react(callback) else { fatalError("no memory for a promise") }
    return derived
  }

  /// Runs the closure, which settles nothing.
  @usableFromInline func observe(_ closure: @escaping Closure) {
    if react(isHeld: false, closure) == nil { fatalError("no memory for a callback") }
  }
}
