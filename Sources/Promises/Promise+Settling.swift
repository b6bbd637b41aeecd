extension Promise {
  /// Fulfils a pending promise with `value` and runs its callbacks before it returns (clause 3.4.1). No-op if the
  /// promise is settled. A value that is itself a promise is stored, not followed.
  ///
  /// - Thread: any.
  @inlinable public final func resolve(_ value: Value) {
    _ = cell.settle(fulfilling: .encoding(value), reports: true)
  }

  /// Rejects a pending promise with `reason`, of any type or `nil`, and runs its callbacks before it returns (clause
  /// 3.4.2). No-op if the promise is settled.
  ///
  /// - Thread: any.
  public final func reject(_ reason: Any?) {
    _ = cell.settle(rejecting: .encoding(reason: reason), reports: true)
  }

  /// Calls `resolve(_:)` and returns true if this call settled the promise.
  @_disfavoredOverload
  @discardableResult
  @inlinable public final func resolve(_ value: Value) -> Bool {
    cell.settle(fulfilling: .encoding(value), reports: true)
  }

  /// Calls `reject(_:)` and returns true if this call settled the promise.
  @_disfavoredOverload
  @discardableResult
  public final func reject(_ reason: Any?) -> Bool {
    cell.settle(rejecting: .encoding(reason: reason), reports: true)
  }

  /// Calls `resolve(_:)` on a thread that must not run code of the program: callbacks run in a closure that `elsewhere`
  /// gets. For a promise that was made with a `DemandBlock`.
  @inlinable package final func resolve(_ value: Value, elsewhere: (@escaping @Sendable () -> Void) -> Void) {
    cell.settle(.encoding(value), .fulfilled, elsewhere: elsewhere)
  }

  /// Creates a promise that is already fulfilled. `Promise(fulfilled: 2)` needs no type; in Swift 6 mode the compiler
  /// infers none for `Promise.resolve(2)`.
  ///
  /// Disfavoured, so that a trailing closure selects an initializer that runs it.
  @_disfavoredOverload
  public convenience init(fulfilled value: Value) { self.init(cell: .settled(.encoding(value), .fulfilled)) }

  /// Returns a promise that is already fulfilled.
  @inlinable public final class func resolve(_ value: Value) -> Promise<Value> {
    let promise = Promise<Value>()
    promise.resolve(value)
    return promise
  }

  /// Returns a promise that is already rejected.
  public final class func reject(_ reason: Any?) -> Promise<Value> {
    let promise = Promise<Value>()
    promise.reject(reason)
    return promise
  }
}

extension CellRef {
  /// Settles the promise. If it is settled already and the user asked for this settlement (`reports`), reports it to
  /// the hook.
  @usableFromInline func settle(fulfilling value: CellValue, reports: Bool) -> Bool {
    settle(value, .fulfilled, reports: reports) == .settled
  }

  @usableFromInline func settle(rejecting reason: CellValue, reports: Bool) -> Bool {
    settle(reason, .rejected, reports: reports) == .settled
  }
}
