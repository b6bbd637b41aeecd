import Promises
import Testing

/// Runs jobs only when the test says so, on the test's thread.
package final class ManualExecutor: PromiseExecutor {
  private let jobs = Monitor<[PromiseJob]>([])
  private let depth = Monitor(0)

  package init() {}

  package func submit(_ job: PromiseJob) { jobs.withLock { $0.append(job) } }

  package var here: PromiseContext { .executor(self) }

  /// The number of waiting jobs.
  package var count: Int { jobs.withLock { $0.count } }

  /// Whether a job is running.
  package var isRunning: Bool { depth.withLock { $0 > 0 } }

  /// Removes and returns the waiting jobs without running them.
  package func take() -> [PromiseJob] {
    jobs.withLock { jobs in
      defer { jobs = [] }
      return jobs
    }
  }

  /// Runs the oldest waiting job; returns false if there is none.
  @discardableResult
  package func runNext() -> Bool {
    guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
    depth.withLock { $0 += 1 }
    defer { depth.withLock { $0 -= 1 } }
    #expect(job.run())
    return true
  }

  /// Waits until there is a job, and runs it.
  package func waitAndRunNext() {
    jobs.wait { $0.isEmpty ? nil : () }
    runNext()
  }

  /// Runs the waiting jobs, and those submitted meanwhile.
  package func runAll() {
    while runNext() {}
  }
}
