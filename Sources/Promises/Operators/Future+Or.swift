/// Returns a future of the first value of the two. If neither is fulfilled, it has the outcome of the one that settled
/// last. A request to cancel it withdraws its interest in both.
public func ||| <Value, Failure>(
  left: Future<Value, Failure>, right: Future<Value, Failure>
) -> Future<Value, Failure> {
  .any([left, right])
}
