infix operator ||| : AdditionPrecedence

/// Returns a promise of the value of the operand that is fulfilled first. If both are rejected, it is rejected with
/// both reasons, `(Any?, Any?)` in the order of the operands. A request to cancel it withdraws its interest in both
/// operands.
public func ||| <V1, V2>(left: Promise<V1>, right: Promise<V2>) -> Promise<Any> {
  let either = unsafe Combining(mode: .any) { entries, _, out in
    out = unsafe .encoding(reason: (entries[0].value.reason, entries[1].value.reason) as (Any?, Any?))
    return .rejected
  }
  let inputs = [left.then { erased($0) }, right.then { erased($0) }]
  return withExtendedLifetime(inputs) { Promise<Any>(cell: either.promise(of: inputs.map(\.cell))) }
}

/// Returns the value as an `Any`. A value that is an `Any` already is not wrapped again, because a cast would have to
/// unwrap each level.
private func erased<Value>(_ value: Value) -> Any {
  Value.self == Any.self ? CellValue.cast(value, to: Any.self) : value
}
