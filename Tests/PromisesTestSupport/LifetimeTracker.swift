import Synchronization
import Testing

/// Counts the instances that it made and that are still alive: what a callback captures, so that a test can tell when the
/// callback was released.
public final class LifetimeTracker: Sendable {
  private let count = Atomic<Int>(0)

  public init() {}

  /// How many of its instances are alive.
  public var live: Int { count.load(ordering: .sequentiallyConsistent) }

  /// Makes an instance that carries `payload`.
  public func track<Payload>(_ payload: Payload) -> Tracked<Payload> { Tracked(payload, self) }

  /// Makes an instance that carries nothing.
  public func track() -> Tracked<Void> { Tracked((), self) }

  fileprivate func born() { count.add(1, ordering: .sequentiallyConsistent) }
  fileprivate func died() { count.subtract(1, ordering: .sequentiallyConsistent) }
}

/// An object whose life its tracker follows.
public final class Tracked<Payload> {
  public let payload: Payload
  private let tracker: LifetimeTracker

  fileprivate init(_ payload: Payload, _ tracker: LifetimeTracker) {
    self.payload = payload
    self.tracker = tracker
    tracker.born()
  }

  deinit { tracker.died() }

  /// Does nothing: a closure that calls it holds the instance.
  public func touch() {}
}

extension Tracked: Sendable where Payload: Sendable {}

/// Runs `body` and fails the test if one of the tracker's instances outlives it.
public func withLifetimeTracking<Result>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: (LifetimeTracker) throws -> Result
) rethrows -> Result {
  let tracker = LifetimeTracker()
  let result = try body(tracker)
  #expect(tracker.live == 0, "\(tracker.live) tracked instances leaked", sourceLocation: sourceLocation)
  return result
}
