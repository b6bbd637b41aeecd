/// Returns a future of the value of the operand that is fulfilled first. If neither operand is fulfilled, it has the
/// outcome of the operand that settled last. A request to cancel it withdraws its interest in both operands.
public func ||| <Value, Failure>(
  left: Future<Value, Failure>, right: Future<Value, Failure>
) -> Future<Value, Failure> {
  .any([left, right])
}
