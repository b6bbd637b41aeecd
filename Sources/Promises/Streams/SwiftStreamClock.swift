/// A `Clock` of Swift as the clock of streams and of timeouts of futures, such as `ContinuousClock`, which counts the
/// time while the system sleeps, or a clock of a test.
///
///     let searches = texts.debounce(for: .milliseconds(300), clock: SwiftStreamClock(ContinuousClock()))
///
/// One task at a time sleeps, until the first work is due, and runs the work. Keep the clock while work waits, as
/// operators do: its release releases the work without a call.
///
/// - Thread: work runs on the threads of Swift's tasks, one after the other.
public final class SwiftStreamClock: StreamClock {
  private struct State {
    var works = TimedWorks()
    var sleeper: Task<Void, Never>?
    /// The time until which the latest task sleeps, and its number; no time if it runs work, or if there is none.
    var wakesAt: Duration?
    var number = 0
    var isRunning = false
  }

  private struct Timer: StreamTimer {
    let clock: SwiftStreamClock
    let number: Int

    func cancel() {
      let work = clock.state.locked { $0.works.remove(number) }
      withExtendedLifetime(work) {}
    }
  }

  private let time: @Sendable () -> Duration
  private let pause: @Sendable (_ until: Duration) async throws -> Void
  private let state = LockedState(State())

  /// Makes a clock of another one. Times are counted from this call.
  public init<Base: _Concurrency.Clock>(_ clock: Base) where Base.Duration == Duration {
    let begin = clock.now
    time = { begin.duration(to: clock.now) }
    pause = { try await clock.sleep(until: begin.advanced(by: $0), tolerance: nil) }
  }

  deinit { state.locked { $0.sleeper }?.cancel() }

  /// The time since the clock was made.
  public var now: Duration { time() }

  /// Runs `work` after `delay`, in a task.
  public func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any StreamTimer {
    let due = now + max(delay, .zero)
    let (number, older) = state.locked { state -> (Int, Task<Void, Never>?) in
      let number = state.works.add(at: due, work)
      return (number, sleep(&state))
    }
    older?.cancel()
    return Timer(clock: self, number: number)
  }

  /// Starts a task that sleeps until the first work is due, unless the latest one wakes by then. Returns the task that
  /// it replaces, to be cancelled without the lock: the clock may have a handler for that. Call with the lock held.
  private func sleep(_ state: inout State) -> Task<Void, Never>? {
    guard !state.isRunning, let next = state.works.nextTime else { return nil }
    if let wakesAt = state.wakesAt, wakesAt <= next { return nil }
    let older = state.sleeper
    state.number += 1
    state.wakesAt = next
    state.sleeper = Task { [weak self, pause, number = state.number] in
      try? await pause(next)
      if !Task.isCancelled { self?.wake(number) }
    }
    return older
  }

  /// Runs the work that is due, if the task with that number is the latest one.
  private func wake(_ number: Int) {
    let isLatest = state.locked { state in
      guard state.number == number else { return false }
      (state.isRunning, state.wakesAt, state.sleeper) = (true, nil, nil)
      return true
    }
    guard isLatest else { return }
    while let work = takeNext(dueAt: time()) { work() }
  }

  /// Returns the next work that is due. Without one, starts the next sleep.
  private func takeNext(dueAt now: Duration) -> TimedWorks.Work? {
    state.locked { state in
      if let (_, work) = state.works.takeFirst(dueAt: now) { return work }
      state.isRunning = false
      _ = sleep(&state)
      return nil
    }
  }
}
