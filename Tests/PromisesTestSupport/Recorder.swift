/// A log that callbacks write, from any thread, and the test reads.
package final class Recorder<Event: Sendable>: Sendable {
  private let log = Monitor<[Event]>([])

  package init() {}

  package func record(_ event: Event) { log.withLock { $0.append(event) } }

  /// The events that were recorded so far, in order.
  package var events: [Event] { log.withLock { $0 } }

  package var count: Int { log.withLock { $0.count } }

  /// Blocks until the last event is one for which `isLast` returns true. Returns the events.
  package func wait(forLast isLast: (Event) -> Bool) -> [Event] {
    log.wait { events in events.last.map(isLast) == true ? events : nil }
  }
}

extension Recorder where Event == Void {
  package func record() { record(()) }
}
