public import Promises
import Synchronization

/// Observers of the events of all promises in the process.
///
///     let observer = PromiseEvents.observe { event in ... }
///     ...
///     observer.stop()
///
/// The first observer starts a trace (`PromiseTrace`), the last one to stop ends it. `PromiseTrace.start` by other code
/// ends the reports until the next observer is added; the last observer to stop ends that trace, too. Without an
/// observer nothing is recorded.
public enum PromiseEvents {
  /// An observer, which observes until it is stopped or released.
  public final class Observer: Sendable {
    fileprivate let call: @Sendable (PromiseTrace.Event) -> Void

    fileprivate init(_ call: @escaping @Sendable (PromiseTrace.Event) -> Void) { self.call = call }

    /// Stops the reports. Calls on other threads may still be running when it returns. Idempotent.
    ///
    /// - Thread: any.
    public func stop() { PromiseEvents.remove(ObjectIdentifier(self)) }

    deinit { stop() }
  }

  private static let calls = Mutex<[(ObjectIdentifier, @Sendable (PromiseTrace.Event) -> Void)]>([])

  /// Adds an observer. A recording that `PromiseTrace.start` began ends, and its events are dropped: write them before.
  ///
  /// - Parameter call: called with each event, on its thread, with no lock held. Events within the call are not
  ///   reported. See `PromiseTrace.start(capacity:onEvent:)`.
  /// - Returns: the observer. Keep it: releasing it stops the reports.
  /// - Thread: any.
  public static func observe(_ call: @escaping @Sendable (PromiseTrace.Event) -> Void) -> Observer {
    let observer = Observer(call)
    calls.withLock { $0.append((ObjectIdentifier(observer), call)) }
    PromiseTrace.start(onEvent: report)
    return observer
  }

  private static func report(_ event: PromiseTrace.Event) {
    for (_, call) in calls.withLock({ $0 }) { call(event) }
  }

  private static func remove(_ identifier: ObjectIdentifier) {
    // Release the closure and stop the trace outside the lock: both may run deinitializers of other code.
    let (removed, isLast) = calls.withLock { calls -> ((@Sendable (PromiseTrace.Event) -> Void)?, Bool) in
      guard let index = calls.firstIndex(where: { $0.0 == identifier }) else { return (nil, false) }
      return (calls.remove(at: index).1, calls.isEmpty)
    }
    if isLast {
      PromiseTrace.stop()
      // An observer that was added meanwhile may have started the trace that has just ended.
      if !calls.withLock(\.isEmpty) { PromiseTrace.start(onEvent: report) }
    }
    withExtendedLifetime(removed) {}
  }
}
