extension Promise {
  /// Calls `onSuccess` with the value of a fulfilled promise, or `onFailure` with the reason of a rejected one (clause
  /// 3.1.1).
  ///
  /// An error that `onSuccess` throws is passed to `onFailure`; without `onFailure` it is ignored.
  @inlinable public final func then(_ onSuccess: ((Value) throws -> ())?, _ onFailure: ((Any?) -> ())? = nil) {
    cell.observe(rejections: onFailure == nil ? .ignored : .handled, Reactions.untyped(onSuccess, onFailure))
  }

  /// Calls `onSuccess` or `onFailure`, as `then(_:_:)` does, in `context`.
  @_disfavoredOverload
  @inlinable public final func then(
    on context: PromiseContext, _ onSuccess: sending ((Value) throws -> ())?,
    _ onFailure: sending ((Any?) -> ())? = nil
  ) {
    if let outcomes = Job.OutcomeSet.handled((copy onSuccess) != nil, (copy onFailure) != nil) {
      cell.observe(context, for: outcomes, Reactions.untyped(consume onSuccess, consume onFailure))
    }
  }

  /// Calls `onSuccess` or `onFailure`, as `then(_:_:)` does, on the main actor.
  @inlinable public final func then(
    on main: MainContext, _ onSuccess: consuming (@MainActor (Value) throws -> ())?,
    _ onFailure: consuming (@MainActor (Any?) -> ())? = nil
  ) {
    if let outcomes = Job.OutcomeSet.handled((copy onSuccess) != nil, (copy onFailure) != nil) {
      cell.observe(
        main.place, for: outcomes,
        Reactions.untyped((consume onSuccess).map(main.calling), (consume onFailure).map(main.calling)))
    }
  }

  /// Returns a promise of `onSuccess`'s result for this promise's value (clause 3.1.2).
  ///
  /// The returned promise is rejected with an error that `onSuccess` throws, or with this promise's reason.
  @inlinable public final func then<O>(_ onSuccess: consuming @escaping (Value) throws -> O) -> Promise<O> {
    let caller: StoredCallback.Caller = { callback, isRejected, value, out in
      let onSuccess = unsafe callback.assumingMemoryBound(to: ((Value) throws -> O).self).move()
      if isRejected { return .pass }
      return Reactions.settle(&out) { try onSuccess(try value.required(as: Value.self)) }
    }
    guard unsafe StoredCallback.isBare(caller) else { return Promise<O>(cell: cell.derive(Reactions.then(onSuccess))) }
    return unsafe Promise<O>(cell: cell.derive(StoredCallback(consume onSuccess, caller: caller)))
  }

  /// Returns a promise of `onSuccess`'s result, as `then(_:)` does; `onSuccess` runs in `context`.
  @_disfavoredOverload
  @inlinable public final func then<O>(
    on context: PromiseContext, _ onSuccess: sending @escaping (Value) throws -> O
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, for: .fulfilled, Reactions.then(consume onSuccess)))
  }

  /// Returns a promise of `onSuccess`'s result, as `then(_:)` does; `onSuccess` runs on the main actor.
  @inlinable public final func then<O>(
    on main: MainContext, _ onSuccess: consuming @escaping @MainActor (Value) throws -> O
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(main.place, for: .fulfilled, Reactions.then(main.calling(consume onSuccess))))
  }

  /// Returns a promise that follows the promise `onSuccess` returns for this promise's value (clause 3.1.3).
  ///
  /// The returned promise is rejected with an error that `onSuccess` throws, or with this promise's reason. If the
  /// promise that `onSuccess` returns waits for the result itself, a cycle, the result is rejected with a
  /// `PromiseError`.
  @inlinable public final func then<O>(async onSuccess: @escaping (Value) throws -> Promise<O>) -> Promise<O> {
    Promise<O>(cell: cell.derive(Reactions.then(async: onSuccess)))
  }

  /// Calls `then(async:)`, for call sites whose type is a `Promise<O>`: the specification's
  /// `promise2 = promise1.then(success)`.
  @_disfavoredOverload
  @inlinable public final func then<O>(_ onSuccess: @escaping (Value) throws -> Promise<O>) -> Promise<O> {
    then(async: onSuccess)
  }

  /// Returns a promise that follows the promise `onSuccess` returns, as `then(async:)` does; `onSuccess` runs in
  /// `context`.
  @_disfavoredOverload
  @inlinable public final func then<O>(
    on context: PromiseContext, async onSuccess: sending @escaping (Value) throws -> Promise<O>
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(context, for: .fulfilled, Reactions.then(async: consume onSuccess)))
  }

  /// Returns a promise that follows the promise `onSuccess` returns, as `then(async:)` does; `onSuccess` runs on the
  /// main actor.
  @inlinable public final func then<O>(
    on main: MainContext, async onSuccess: consuming @escaping @MainActor (Value) throws -> Promise<O>
  ) -> Promise<O> {
    Promise<O>(cell: cell.derive(main.place, for: .fulfilled, Reactions.then(async: main.calling(consume onSuccess))))
  }
}

extension Job.OutcomeSet {
  /// The outcomes that two optional handlers handle; nil if both are nil.
  @inlinable static func handled(_ hasSuccess: Bool, _ hasFailure: Bool) -> Job.OutcomeSet? {
    hasSuccess ? hasFailure ? .all : .fulfilled : hasFailure ? .rejected : nil
  }
}

/// Adapters from the user's callbacks to the closures that the engine runs, which take stored values.
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

  /// Stores a callback's result, or the error that it throws.
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

  /// Stores the promise that a callback returns, or the error that it throws.
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
  /// Returns a promise that the closure settles. The caller owns the reference.
  @usableFromInline func derive(_ closure: consuming @escaping Closure) -> CellRef {
    guard let derived = react(consume closure) else { fatalError("no memory for a promise") }
    return derived
  }

  /// Returns a promise that the callback settles. The caller owns the reference.
  @usableFromInline func derive(_ callback: StoredCallback) -> CellRef {
    guard let derived = react(callback) else { fatalError("no memory for a promise") }
    return derived
  }

  /// Attaches a closure that settles no promise.
  @usableFromInline func observe(rejections: RejectionUse = .handled, _ closure: consuming @escaping Closure) {
    if react(returnsPromise: false, rejections: rejections, consume closure) == nil {
      fatalError("no memory for a callback")
    }
  }
}
