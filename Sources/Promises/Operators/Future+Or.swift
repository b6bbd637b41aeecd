/// A future of the value of whichever of the two is fulfilled first. If neither is, it ends as the one that ended last. A
/// request to cancel is one of both.
public func ||| <Value, Failure>(
  left: Future<Value, Failure>, right: Future<Value, Failure>
) -> Future<Value, Failure> {
  .any([left, right])
}
