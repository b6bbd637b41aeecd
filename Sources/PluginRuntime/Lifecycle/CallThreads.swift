import Dispatch
import Synchronization

/// Threads for functions of plugins, which run on the thread that calls them and may block it.
///
/// A job has a thread at once, up to `limit` of them: functions that wait for each other must all run. An idle thread
/// ends after a second.
///
/// The engine's pool cannot stand in for it. It runs one job for each processor, adds a thread for a blocked one only
/// after a while, and has at most 512, so functions that wait for each other would be slow, and with many of them stuck.
/// And they would take the threads on which callbacks of promises run.
public final class CallThreads: Sendable {
  /// A closure that runs once, on one of the threads.
  public typealias Job = @Sendable () -> Void

  private struct State {
    var threads = 0
    /// Threads that wait for a job.
    var sleeping = 0
    var waiting: [Job] = []
  }

  private let limit: Int
  private let idleTime: DispatchTimeInterval
  private let state = Mutex(State())
  /// Signalled for each job that a sleeping thread is to take.
  private let wakeup = DispatchSemaphore(value: 0)

  /// Creates an empty pool; threads start on demand.
  public convenience init(limit: Int) { self.init(limit: limit, idleTime: .seconds(1)) }

  init(limit: Int, idleTime: DispatchTimeInterval) {
    self.limit = limit
    self.idleTime = idleTime
  }

  /// The number of threads, with and without a job.
  var count: Int { state.withLock(\.threads) }

  private enum Place { case sleeper, newThread, queue }

  /// Runs a job on a thread of its own, or, if all `limit` threads are busy, on the first that becomes free. Releases it
  /// then.
  public func run(_ job: @escaping Job) {
    let place = state.withLock { state -> Place in
      defer { state.waiting.append(job) }
      if state.sleeping > state.waiting.count { return .sleeper }
      guard state.threads < limit else { return .queue }
      state.threads += 1
      return .newThread
    }
    switch place {
    case .queue: break
    case .sleeper: wakeup.signal()
    case .newThread:
      if ProcessGuard.startThread({ [self] in work() }) { return }
      // No thread could be started: a running thread takes the job when it is free; without one, the caller runs it.
      let left = state.withLock { state in
        state.threads -= 1
        return state.threads == 0 && !state.waiting.isEmpty ? state.waiting.removeFirst() : nil
      }
      left?()
    }
  }

  private func work() {
    // Release each job before waiting for the next.
    while let job = take() ?? sleep() { job() }
  }

  private func take() -> Job? {
    state.withLock { state in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.sleeping += 1
      return nil
    }
  }

  /// Waits for a job; `nil` if the thread is to end. The thread has been counted as sleeping.
  private func sleep() -> Job? {
    while true {
      let isOver = wakeup.wait(timeout: .now() + idleTime) == .timedOut
      let (job, ends) = state.withLock { state -> (Job?, Bool) in
        if !state.waiting.isEmpty {
          state.sleeping -= 1
          return (state.waiting.removeFirst(), false)
        }
        if isOver {
          state.sleeping -= 1
          state.threads -= 1
        }
        return (nil, isOver)
      }
      if job != nil || ends { return job }
    }
  }
}
