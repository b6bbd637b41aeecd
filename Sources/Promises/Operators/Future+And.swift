/// Returns a future of both values. It settles as soon as one operand is rejected or cancelled, with that outcome. A
/// request to cancel it withdraws its interest in both operands.
public func &&& <V1, V2, Failure>(
  left: Future<V1, Failure>, right: Future<V2, Failure>
) -> Future<(V1, V2), Failure> {
  when(fulfilled: left, right)
}
