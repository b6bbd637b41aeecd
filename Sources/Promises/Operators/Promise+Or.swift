infix operator ||| : AdditionPrecedence

/// Returns a promise of the first value of the two. If both are rejected, it is rejected with both reasons,
/// `(Any?, Any?)` in the order of the operands.
public func ||| <V1, V2>(left: Promise<V1>, right: Promise<V2>) -> Promise<Any> {
  let either = Promise<Any>()
  left.then(
    { either.settle($0) }, { first in right.then(nil, { either.settle(rejecting: (first, $0) as (Any?, Any?)) }) })
  right.then({ either.settle($0) }, nil)
  return either
}
