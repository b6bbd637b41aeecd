extension Promise {
  /// Fulfils the promise with `value` if it is pending, and runs its callbacks before it returns; otherwise does
  /// nothing (clause 3.4.1). A promise as value is stored as it is, not followed.
  ///
  /// - Thread: any.
  @inlinable public final func resolve(_ value: Value) {
    _ = cell.settle(fulfilling: .encoding(value), reports: true)
  }

  /// Rejects the promise with `reason`, of any type or `nil`, if it is pending, and runs its callbacks before it
  /// returns; otherwise does nothing (clause 3.4.2).
  ///
  /// - Thread: any.
  public final func reject(_ reason: Any?) {
    _ = cell.settle(rejecting: .encoding(reason: reason), reports: true)
  }

  /// `resolve(_:)`, telling whether it was this call that settled the promise.
  @_disfavoredOverload
  @discardableResult
  @inlinable public final func resolve(_ value: Value) -> Bool {
    cell.settle(fulfilling: .encoding(value), reports: true)
  }

  /// `reject(_:)`, telling whether it was this call that settled the promise.
  @_disfavoredOverload
  @discardableResult
  public final func reject(_ reason: Any?) -> Bool {
    cell.settle(rejecting: .encoding(reason: reason), reports: true)
  }

  /// A promise that is fulfilled already.
  @inlinable public final class func resolve(_ value: Value) -> Promise<Value> {
    let promise = Promise<Value>()
    promise.resolve(value)
    return promise
  }

  /// A promise that is rejected already.
  public final class func reject(_ reason: Any?) -> Promise<Value> {
    let promise = Promise<Value>()
    promise.reject(reason)
    return promise
  }
}

extension CellRef {
  /// Settles the promise; if it is settled already, and this was asked for by the user, the hook is told.
  @usableFromInline func settle(fulfilling value: CellValue, reports: Bool) -> Bool {
    settle(value, .fulfilled, reports: reports)
  }

  @usableFromInline func settle(rejecting reason: CellValue, reports: Bool) -> Bool {
    settle(reason, .rejected, reports: reports)
  }
}
