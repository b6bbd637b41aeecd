import Glibc
import PluginRuntime
import Synchronization

/// Threads for what may block: a plugin's function runs on the thread that calls it, and may take its time.
///
/// A job has a thread at once, up to `limit` of them: functions that wait for each other must all run.
final class Workers: Sendable {
  typealias Job = @Sendable () -> Void

  private let limit: Int
  private let state = Mutex(State())

  private struct State {
    var threads = 0
    var waiting: [Job] = []
  }

  init(limit: Int) {
    self.limit = limit
  }

  /// Runs `job` on a thread of its own, as soon as there is one.
  func run(_ job: @escaping Job) {
    let hasRoom = state.withLock { state in
      guard state.threads < limit else {
        state.waiting.append(job)
        return false
      }
      state.threads += 1
      return true
    }
    if hasRoom && !startThread(with: job) {
      // No more threads to be had: one that runs takes the job when it is done, or else the caller does it.
      let mustRunHere = state.withLock { state in
        state.threads -= 1
        if state.threads > 0 { state.waiting.append(job) }
        return state.threads == 0
      }
      if mustRunHere { job() }
    }
  }

  private func startThread(with job: @escaping Job) -> Bool {
    let start = Unmanaged.passRetained(Start(workers: self, job: job))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        ProcessGuard.prepareThread()
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        start.workers.work(startingWith: start.job)
        return nil
      }, start.toOpaque())
    if status == 0 { pthread_detach(thread) } else { start.release() }
    return status == 0
  }

  private func work(startingWith first: @escaping Job) {
    var next: Job? = first
    while let job = next {
      job()
      next = state.withLock { state in
        if state.waiting.isEmpty {
          state.threads -= 1
          return nil
        }
        return state.waiting.removeFirst()
      }
    }
  }

  private final class Start: Sendable {
    let workers: Workers
    let job: Job

    init(workers: Workers, job: @escaping Job) {
      self.workers = workers
      self.job = job
    }
  }
}
