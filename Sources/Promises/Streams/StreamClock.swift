import CPlatform

/// The time of operators that wait. Tests use a clock of their own, which they advance.
public protocol StreamClock: Sendable {
  /// The time since any moment, the same one in each call. It never decreases.
  var now: Duration { get }

  /// Runs `work` after `delay`, once, on any thread. Work scheduled on one clock runs in the order of the due times.
  /// While it runs, `now` is at least its due time.
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

  /// The monotonic time of the system.
  public var now: Duration { .nanoseconds(platform_now()) }

  /// Runs `work` after `delay`. Traps if memory or threads have run out.
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any StreamTimer {
    SystemStreamTimer(after: delay, work)
  }
}

private final class SystemStreamTimer: StreamTimer {
  private let timer: CellTimer

  init(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    guard let timer = CellTimer.schedule(after: delay.nanoseconds, work) else { fatalError("no memory for a timer") }
    self.timer = timer
  }

  deinit { timer.release() }

  func cancel() { timer.cancel() }
}

extension Duration {
  /// The whole nanoseconds; of a duration that is too long for an integer, `.max`, and 0 of one so far in the past.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isLarger) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isLarge || isLarger ? (seconds < 0 ? 0 : .max) : sum
  }
}

extension StreamNode {
  /// Returns a node for the states of this one at other times. Takes ownership of `silence`.
  func paced(
    _ kind: PacingKind, _ interval: Duration, on clock: any StreamClock, silence: StreamEvent? = nil
  ) -> StreamNode {
    let times = PacingClock.closures(
      now: { clock.now.nanoseconds },
      schedule: { delay, work in clock.schedule(after: .nanoseconds(delay), work).cancel })
    let paced = cell.paced(
      kind, nanoseconds: max(0, interval.nanoseconds), on: times, passesErrors: kind != .timeout, silence: silence,
      endOfSilence: .cancelled)
    return StreamNode(paced, upstream: [self])
  }
}
