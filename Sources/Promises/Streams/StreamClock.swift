/// The time of operators that wait. Tests use a clock of their own, which they advance.
public protocol StreamClock: Sendable {
  /// Runs `work` after `delay`, once, on any thread. Work scheduled on one clock runs in the order of the due times.
  func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any StreamTimer
}

/// Work that waits for its time.
public protocol StreamTimer: Sendable {
  /// Releases the work without a call, unless it has begun. Later calls are no-ops.
  func cancel()
}

/// The monotonic clock of the system. Work runs on the library's thread for timers.
public struct SystemStreamClock: StreamClock {
  /// Creates the clock.
  public init() {}

  /// Runs `work` after `delay`. Traps if memory or threads have run out.
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any StreamTimer {
    SystemStreamTimer(after: delay, work)
  }
}

private final class SystemStreamTimer: StreamTimer {
  private let timer: CellTimer

  init(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    let (seconds, attoseconds) = delay.components
    let (whole, isLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isLarger) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    let nanoseconds = isLarge || isLarger ? (seconds < 0 ? 0 : .max) : sum
    guard let timer = CellTimer.schedule(after: nanoseconds, work) else { fatalError("no memory for a timer") }
    self.timer = timer
  }

  deinit { timer.release() }

  func cancel() { _ = timer.cancel() }
}
