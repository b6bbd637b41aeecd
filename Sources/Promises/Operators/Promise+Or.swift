infix operator ||| : AdditionPrecedence

/// Returns a promise of the first value of the two. If both are rejected, it is rejected with both reasons,
/// `(Any?, Any?)` in the order of the operands. A request to cancel it withdraws its interest in both.
public func ||| <V1, V2>(left: Promise<V1>, right: Promise<V2>) -> Promise<Any> {
  let either = unsafe Combining(mode: .any) { entries, _, out in
    out = unsafe .encoding(reason: (entries[0].value.reason, entries[1].value.reason) as (Any?, Any?))
    return .rejected
  }
  let inputs = [left.then { $0 as Any }, right.then { $0 as Any }]
  return withExtendedLifetime(inputs) { Promise<Any>(cell: either.promise(of: inputs.map(\.cell))) }
}
