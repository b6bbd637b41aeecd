infix operator &&& : MultiplicationPrecedence

/// Returns a promise of both values; rejected with the reason of the operand that is rejected first. A request to
/// cancel it withdraws its interest in both operands.
public func &&& <V1, V2>(left: Promise<V1>, right: Promise<V2>) -> Promise<(V1, V2)> {
  when(fulfilled: left, right)
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
