import Promises

/// A clock that the test advances: its works run in `advance(by:)`, in the order of their times, on the calling thread.
package final class VirtualClock: StreamClock {
  private struct State {
    var now = Duration.zero
    var order = 0
    var works: [Work] = []
  }

  private struct Work {
    let time: Duration
    let order: Int
    let run: @Sendable () -> Void
  }

  private struct Timer: StreamTimer {
    let clock: VirtualClock
    let order: Int
    func cancel() {
      let works = clock.state.withLock { state in
        defer { state.works.removeAll { $0.order == order } }
        return state.works
      }
      // Released outside the lock.
      withExtendedLifetime(works) {}
    }
  }

  private let state = Monitor(State())

  package init() {}

  package var now: Duration { state.withLock { $0.now } }

  /// The number of works that wait.
  package var waiting: Int { state.withLock { $0.works.count } }

  package func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any StreamTimer {
    state.withLock { state in
      state.order += 1
      state.works.append(Work(time: state.now + max(delay, .zero), order: state.order, run: work))
      return Timer(clock: self, order: state.order)
    }
  }

  /// Runs the work that is due within the next `duration`, including work that is scheduled meanwhile.
  package func advance(by duration: Duration) {
    let end = state.withLock { $0.now } + duration
    while let work = next(until: end) { work.run() }
    state.withLock { $0.now = end }
  }

  private func next(until end: Duration) -> Work? {
    state.withLock { state in
      let due = state.works.indices.min {
        (state.works[$0].time, state.works[$0].order) < (state.works[$1].time, state.works[$1].order)
      }
      guard let due, state.works[due].time <= end else { return nil }
      state.now = max(state.now, state.works[due].time)
      return state.works.remove(at: due)
    }
  }
}
