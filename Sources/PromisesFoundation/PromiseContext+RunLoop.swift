import Foundation
public import Promises

extension PromiseContext {
  /// On the thread of a run loop, in its common modes, while it runs. Callbacks wait as long as it does not.
  public static func runLoop(_ loop: RunLoop) -> PromiseContext { .executor(RunLoopExecutor(loop)) }
}

extension RunLoop {
  /// Runs this thread's loop until the promise is settled. Callbacks that wait for this loop run meanwhile.
  ///
  /// For programs without a loop of their own: a command-line tool that has to wait for one result, a test.
  public func run<Value>(until promise: Promise<Value>) {
    var isSettled = false
    _ = promise.anyway(on: .runLoop(self)) { _ in isSettled = true }
    // A loop that has nothing to wait for returns at once.
    let patience = Timer(fire: .distantFuture, interval: 0, repeats: false) { _ in }
    add(patience, forMode: .default)
    while !isSettled { _ = run(mode: .default, before: .distantFuture) }
    patience.invalidate()
  }

  /// Runs this thread's loop until the future is settled.
  public func run<Value, Failure>(until future: Future<Value, Failure>) { run(until: future.promise) }
}

/// Keeps jobs until its loop comes to them. A timer that is due wakes the loop; a block that is added to it does not.
private final class RunLoopExecutor: PromiseExecutor, @unchecked Sendable {
  private let loop: RunLoop
  private let lock = NSLock()
  private var jobs: [PromiseJob] = []

  init(_ loop: RunLoop) { self.loop = loop }

  var identity: AnyObject { loop }

  func submit(_ job: PromiseJob) {
    let isFirst = lock.withLock {
      jobs.append(job)
      return jobs.count == 1
    }
    guard isFirst else { return }
    loop.add(Timer(timeInterval: 0, repeats: false) { _ in self.runJobs() }, forMode: .common)
  }

  private func runJobs() {
    let due = lock.withLock {
      defer { jobs = [] }
      return jobs
    }
    for job in due { job.run() }
  }
}
