infix operator &&& : MultiplicationPrecedence

/// A promise of both values; rejected with the reason of whichever promise is rejected first.
public func &&& <V1, V2>(left: Promise<V1>, right: Promise<V2>) -> Promise<(V1, V2)> {
  let both = Promise<(V1, V2)>()
  left.then({ first in right.then({ both.settle((first, $0)) }, nil) }, { both.settle(rejecting: $0) })
  right.then(nil, { both.settle(rejecting: $0) })
  return both
}

extension Promise {
  /// A promise of this one's value with another beside it.
  public static func &&& <O>(left: Promise<Value>, right: O) -> Promise<(Value, O)> {
    left.then { ($0, right) }
  }

  /// A promise of this one's value with another before it.
  public static func &&& <O>(left: O, right: Promise<Value>) -> Promise<(O, Value)> {
    right.then { (left, $0) }
  }
}
