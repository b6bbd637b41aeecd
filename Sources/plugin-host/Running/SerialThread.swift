import Glibc
import PluginRuntime
import Synchronization

/// One thread for jobs that must all run on the same one, one after the other. It stays until the process ends.
///
/// Serial steps need a thread, not merely an order: handles of some libraries belong to the thread that made them. A
/// serial executor of the engine may run each job on another thread.
final class SerialThread: Sendable {
  typealias Job = @Sendable () -> Void

  private let state = Mutex(State())
  // Written before the object is shared. Never freed: the thread waits for it to the end.
  private nonisolated(unsafe) let ready: UnsafeMutablePointer<sem_t> = .allocate(capacity: 1)

  private struct State {
    var hasThread = false
    var waiting: [Job] = []
  }

  init() { sem_init(ready, 0, 0) }

  /// Runs `job` on the thread, after the jobs before it.
  func run(_ job: @escaping Job) {
    let mustStart = state.withLock { state in
      state.waiting.append(job)
      defer { state.hasThread = true }
      return !state.hasThread
    }
    sem_post(ready)
    guard mustStart else { return }
    let start = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        ProcessGuard.prepareThread()
        Unmanaged<SerialThread>.fromOpaque(argument).takeUnretainedValue().work()
        return nil
      }, start.toOpaque())
    if status == 0 {
      pthread_detach(thread)
    } else {
      // No more threads to be had: the next job tries again, and this one runs here.
      start.release()
      let jobs = state.withLock { state in
        defer { state = State() }
        return state.waiting
      }
      for job in jobs { job() }
    }
  }

  private func work() {
    while true {
      while sem_wait(ready) != 0 {}
      let job = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
      job?()
    }
  }
}
