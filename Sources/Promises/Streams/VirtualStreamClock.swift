/// A clock whose time a test advances: operators on time run at once, in the order of their times.
///
///     let clock = VirtualStreamClock()
///     let shown = texts.debounce(for: .milliseconds(300), clock: clock).onNewData { show($0) }
///     publisher.publish("a")
///     clock.advance(by: .milliseconds(300))    // shows "a" before it returns
///
/// - Thread: everything may be called from any thread; calls of `advance(by:)` one at a time.
public final class VirtualStreamClock: StreamClock {
  private struct State {
    var now = Duration.zero
    var works = TimedWorks()
  }

  private struct Timer: StreamTimer {
    let clock: VirtualStreamClock
    let number: Int

    func cancel() {
      let work = clock.state.locked { $0.works.remove(number) }
      withExtendedLifetime(work) {}
    }
  }

  private let state = LockedState(State())

  /// Creates a clock at the time 0.
  public init() {}

  /// The sum of all advances; within work that `advance(by:)` runs, the time of that work.
  public var now: Duration { state.locked { $0.now } }

  /// The number of works that wait: 0 once every operator on this clock has ended or was released.
  public var waiting: Int { state.locked { $0.works.count } }

  /// Runs `work` in the call of `advance(by:)` that reaches the time `delay` from now. A negative delay counts as 0.
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any StreamTimer {
    let number = state.locked { $0.works.add(at: $0.now + max(delay, .zero), work) }
    return Timer(clock: self, number: number)
  }

  /// Runs the work that is due within the next `duration`, including work that is scheduled meanwhile, on the calling
  /// thread.
  public func advance(by duration: Duration) {
    let end = now + duration
    while let work = takeNext(until: end) { work() }
  }

  /// Returns the next work that is due by `end`. Without one, the time becomes `end`, if that is later.
  private func takeNext(until end: Duration) -> TimedWorks.Work? {
    state.locked { state in
      let next = state.works.takeFirst(dueAt: end)
      // Work may have advanced the clock beyond `end`.
      state.now = max(state.now, next?.time ?? end)
      return next?.run
    }
  }
}
