import Synchronization

/// Lets at most so many calls run at once. The others begin in the order in which they came.
final class Slots: Sendable {
  typealias Job = @Sendable () -> Void

  private let state: Mutex<State>

  private struct State {
    var free: Int
    /// Those before `next` have begun.
    var waiting: [Job] = []
    var next = 0
  }

  init(limit: Int) {
    state = Mutex(State(free: limit))
  }

  /// Runs `job` now or when another leaves. It has to call `leave` once, at any time and on any thread.
  func enter(_ job: @escaping Job) {
    let isFree = state.withLock { state in
      guard state.free > 0 else {
        state.waiting.append(job)
        return false
      }
      state.free -= 1
      return true
    }
    if isFree { job() }
  }

  /// Ends a job; the next one that waits is run.
  func leave() {
    let job = state.withLock { state -> Job? in
      guard state.next < state.waiting.count else {
        state.free += 1
        return nil
      }
      let job = state.waiting[state.next]
      state.waiting[state.next] = {}
      state.next += 1
      // Removed in bulk: each job is moved a constant number of times.
      if state.next > 64, state.next * 2 > state.waiting.count {
        state.waiting.removeFirst(state.next)
        state.next = 0
      }
      return job
    }
    job?()
  }
}
