infix operator ||| : AdditionPrecedence

/// A promise of the value of whichever promise is fulfilled first; rejected with both reasons, `(Any?, Any?)` in the
/// order of the operands, if both are rejected.
public func ||| <V1, V2>(left: Promise<V1>, right: Promise<V2>) -> Promise<Any> {
  let either = Promise<Any>()
  left.then(
    { either.settle($0) }, { first in right.then(nil, { either.settle(rejecting: (first, $0) as (Any?, Any?)) }) })
  right.then({ either.settle($0) }, nil)
  return either
}
