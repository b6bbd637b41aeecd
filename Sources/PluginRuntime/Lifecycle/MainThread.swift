import CPluginEdge
import Glibc
import Promises

/// The two loops that the main thread of a program with plugins runs: the engine's main loop, for plugins that use
/// `promise_executor_main()`, and one for the program's own jobs, which no plugin can stop or substitute.
package final class MainThread: Sendable {
  private let pluginLoop: CellLoop
  private let ownLoop: CellLoop

  /// Makes the two loops; `nil` if memory or descriptors have run out.
  package init?() {
    guard let pluginLoop = CellLoop.main, let ownLoop = CellLoop.make() else { return nil }
    (self.pluginLoop, self.ownLoop) = (pluginLoop, ownLoop)
  }

  deinit { ownLoop.releaseHandle() }

  /// Runs `job` on the main thread, after the jobs posted before it.
  ///
  /// - Thread: any.
  package func post(_ job: @escaping @Sendable () -> Void) {
    if !ownLoop.executor.run(job) { fatalError("no memory for a job of the main thread") }
  }

  /// Runs `work` on the main thread once a time has passed. The work is not cancelled with the last reference to the
  /// alarm.
  ///
  /// - Thread: any.
  package func after(_ delay: Duration, _ work: @escaping @Sendable () -> Void) -> Alarm {
    Alarm(after: delay / .seconds(1), on: ownLoop.executor, work)
  }

  /// Runs the waiting jobs and due timers of both loops.
  ///
  /// - Thread: the main thread, outside of such a job.
  package func runOnce() {
    _ = ownLoop.runOnce()
    _ = pluginLoop.runOnce()
  }

  /// Sleeps until there is work for `runOnce()`, a signal handler has run, one of `descriptors` can be read, or `limit`
  /// has passed. Returns for each of `descriptors` whether it can be read; a negative one cannot.
  @discardableResult
  package func wait(reading descriptors: [Int32] = [], atMost limit: Duration? = nil) -> [Bool] {
    let all = descriptors + [pluginLoop.descriptor, ownLoop.descriptor]
    var entries = all.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = plugin_poll(&entries, entries.count, limit.map { Int32(($0 / .milliseconds(1)).rounded(.up)) } ?? -1)
    return entries.prefix(descriptors.count).map { count > 0 && $0.revents != 0 }
  }

  /// Runs the engine's main loop until `promise` is settled, for at most `limit`. Returns whether it is settled.
  ///
  /// - Thread: the main thread.
  package static func wait(for promise: AnyPromise, atMost limit: Duration) -> Bool {
    let end = ContinuousClock.now + limit
    // A plugin may stop the loop.
    while promise.state == .pending, .now < end {
      let left = Int64((end - .now) / .nanoseconds(1))
      guard CellLoop.main?.run(until: promise.cell, nanoseconds: max(1, left)) == .stopped else { break }
    }
    return promise.state != .pending
  }
}
