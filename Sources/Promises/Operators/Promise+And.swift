infix operator &&& : MultiplicationPrecedence

/// Returns a promise of both values; rejected with the reason of the first of the two that is rejected.
public func &&& <V1, V2>(left: Promise<V1>, right: Promise<V2>) -> Promise<(V1, V2)> {
  let both = Promise<(V1, V2)>()
  left.then({ first in right.then({ both.settle((first, $0)) }, nil) }, { both.settle(rejecting: $0) })
  right.then(nil, { both.settle(rejecting: $0) })
  return both
}

extension Promise {
  /// Returns a promise of this promise's value paired with `right`.
  public static func &&& <O>(left: Promise<Value>, right: O) -> Promise<(Value, O)> {
    left.then { ($0, right) }
  }

  /// Returns a promise of `left` paired with this promise's value.
  public static func &&& <O>(left: O, right: Promise<Value>) -> Promise<(O, Value)> {
    right.then { (left, $0) }
  }
}
