/// A future of both values. It ends as whichever of the two is rejected or cancelled first. A request to cancel is one of
/// both.
public func &&& <V1, V2, Failure>(
  left: Future<V1, Failure>, right: Future<V2, Failure>
) -> Future<(V1, V2), Failure> {
  when(fulfilled: left, right)
}
