import Synchronization
import Testing

/// Counts its instances that are still alive. A callback captures one, so that a test sees when the callback was
/// released.
package final class LifetimeTracker: Sendable {
  private let count = Atomic<Int>(0)

  package init() {}

  /// The number of its instances that are alive.
  package var live: Int { count.load(ordering: .sequentiallyConsistent) }

  /// Makes an instance that carries `payload`.
  package func track<Payload>(_ payload: Payload) -> Tracked<Payload> { Tracked(payload, self) }

  /// Makes an instance that carries nothing.
  package func track() -> Tracked<Void> { Tracked((), self) }

  fileprivate func born() { count.add(1, ordering: .sequentiallyConsistent) }
  fileprivate func died() { count.subtract(1, ordering: .sequentiallyConsistent) }
}

/// An object whose life its tracker follows.
package final class Tracked<Payload> {
  package let payload: Payload
  private let tracker: LifetimeTracker

  fileprivate init(_ payload: Payload, _ tracker: LifetimeTracker) {
    self.payload = payload
    self.tracker = tracker
    tracker.born()
  }

  deinit { tracker.died() }

  /// Does nothing. A closure that calls it captures the instance.
  package func touch() {}
}

extension Tracked: Sendable where Payload: Sendable {}

/// Runs `body` and fails the test if one of the tracker's instances outlives it.
package func withLifetimeTracking<Result>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: (LifetimeTracker) throws -> Result
) rethrows -> Result {
  let tracker = LifetimeTracker()
  let result = try body(tracker)
  #expect(tracker.live == 0, "\(tracker.live) tracked instances leaked", sourceLocation: sourceLocation)
  return result
}
