import Synchronization

/// A log that callbacks write, from any thread, and the test reads.
public final class Recorder<Event: Sendable>: Sendable {
  private let log = Mutex<[Event]>([])

  public init() {}

  public func record(_ event: Event) { log.withLock { $0.append(event) } }

  /// What was recorded so far, in order.
  public var events: [Event] { log.withLock { $0 } }

  public var count: Int { log.withLock { $0.count } }
}

extension Recorder where Event == Void {
  public func record() { record(()) }
}
