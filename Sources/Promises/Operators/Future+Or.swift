import Synchronization

/// A future of the value of whichever of the two is fulfilled first. If neither is, it ends as the one that ended last. A
/// request to cancel is one of both.
public func ||| <Value, Failure>(
  left: Future<Value, Failure>, right: Future<Value, Failure>
) -> Future<Value, Failure> {
  let (either, resolver) = Future<Value, Failure>.makeWithResolver()
  let sides: [Future<Value, Failure>] = [left.following(), right.following()]
  resolver.onCancelRequest { _ in
    for side in sides { side.requestCancel() }
  }
  let failures = FailureCount()
  for side in sides {
    side.whenResolved { result in
      if result.value != nil || failures.next() == sides.count { resolver.settle(result) }
    }
  }
  return either
}

private final class FailureCount: Sendable {
  private let count = Atomic<Int>(0)
  func next() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }
}
