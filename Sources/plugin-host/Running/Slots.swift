import Dispatch
import PluginRuntime
import Synchronization

/// Limits the number of calls that run at once. Waiting calls begin in the order of their arrival.
final class Slots: Sendable {
  typealias Job = @Sendable () -> Void

  private let state: Mutex<State>

  private struct State {
    var free: Int
    var waiting = Fifo<Job>()
    /// Whether a thread is in the loop of `leave`.
    var isRunning = false

    /// Takes the next job, if a slot is free for it. Returns `nil` otherwise, and ends the loop of `leave`.
    mutating func take() -> Job? {
      guard free > 0, let job = waiting.popFirst() else {
        isRunning = false
        return nil
      }
      free -= 1
      return job
    }
  }

  init(limit: Int) {
    // Not .max: waiting calls free their slots, and `free` must not overflow.
    state = Mutex(State(free: min(limit, .max / 2)))
  }

  /// Runs `job` inline if a slot is free, otherwise once another job has left. The job calls `leave` exactly once, on
  /// any thread.
  func enter(_ job: @escaping Job) {
    let isFree = state.withLock { state in
      guard state.free > 0, state.waiting.isEmpty else {
        state.waiting.append(job)
        return false
      }
      state.free -= 1
      return true
    }
    if isFree { job() }
  }

  /// Runs `job` once each of the limits has a slot for it, taken in their order.
  static func enter(_ limits: some Collection<Slots> & Sendable, _ job: @escaping Job) {
    guard let first = limits.first else { return job() }
    let rest = Array(limits.dropFirst())
    first.enter { enter(rest, job) }
  }

  /// Waits for a slot, on a thread that may block.
  func enterWaiting() {
    let isFree = DispatchSemaphore(value: 0)
    enter { isFree.signal() }
    isFree.wait()
  }

  /// Ends a job, and runs the next waiting one: inline, or in the loop of another thread.
  func leave() {
    let mustRun = state.withLock { state in
      state.free += 1
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard mustRun else { return }
    // A loop, because a job that leaves inline must not recurse.
    while let job = state.withLock({ $0.take() }) { job() }
  }
}
