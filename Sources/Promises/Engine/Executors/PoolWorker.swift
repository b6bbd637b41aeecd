import CPlatform

/// A thread of a pool; the struct is on its stack. Guarded by the pool's monitor, except for the constant `pool`.
@unsafe
struct PoolWorker {
  /// Declared before `pool`, which is read without the monitor: ThreadSanitizer takes `+=` for a change of byte 0.
  var thread: Int32
  var previous: UnsafeMutablePointer<PoolWorker>?
  var next: UnsafeMutablePointer<PoolWorker>?
  /// The number of jobs begun.
  var begun: UInt64 = 0
  /// The number of jobs begun when the clock last found it changed.
  var seen: UInt64 = 0
  /// The number of times that the clock has examined the worker since then.
  var looks = 0
  var isBusy = false
  /// Whether the clock found the worker asleep within a job.
  var isStuck = false
  /// The depth of beginBlocking() calls.
  var blocks = 0
  let pool: Pool

  private init(of pool: Pool) {
    unsafe self.pool = pool
    unsafe thread = platform_thread_id()
  }

  var isAsleep: Bool { unsafe isStuck || blocks > 0 }

  /// The worker of the calling thread, if it is one of that pool.
  static func current(of pool: Pool) -> UnsafeMutablePointer<PoolWorker>? {
    guard let worker = unsafe platform_thread().pointee.worker?.assumingMemoryBound(to: PoolWorker.self),
      unsafe worker.pointee.pool.guarded.address == pool.guarded.address
    else { return nil }
    return unsafe worker
  }

  /// Adapts the worker to a child of fork(), where it is the only thread.
  mutating func becomeOnlyOne() {
    unsafe thread = platform_thread_id()
    unsafe previous = nil
    unsafe next = nil
    unsafe isStuck = false
  }

  /// Starts a worker, which the caller must count. False if no thread can be started. Call with the monitor held.
  static func start(_ pool: Pool) -> Bool {
    let name: StaticString = unsafe pool.state.pointee.isForTimers ? "promise-timers" : "promise-pool"
    return unsafe platform_start_thread(
      { pool in unsafe PoolWorker.main(Pool(address: pool)) }, pool.guarded.address, name.cString)
  }

  private static func main(_ pool: Pool) {
    let thread = unsafe platform_thread()
    var worker = unsafe PoolWorker(of: pool)
    // The hooks whose `start` the thread has called (ThreadHooks.swift).
    var hooks: UInt = 0
    unsafe withUnsafeMutablePointer(to: &worker) { worker in
      unsafe thread.pointee.worker = UnsafeMutableRawPointer(worker)
      pool.monitor.lock()
      unsafe pool.enter(worker)
      unsafe pool.state.pointee.coming -= 1
      repeat { unsafe pool.work(worker, &hooks) } while unsafe pool.rest()
      unsafe pool.leave(worker)
      pool.monitor.unlock()
      unsafe thread.pointee.worker = nil
      unsafe ThreadHooks.leave(&hooks)
    }
  }
}

// The loop of a worker. The monitor is held, except while a job runs.
extension Pool {
  @unsafe
  fileprivate func enter(_ worker: UnsafeMutablePointer<PoolWorker>) {
    unsafe worker.pointee.next = unsafe state.pointee.workers
    unsafe state.pointee.workers?.pointee.previous = unsafe worker
    unsafe state.pointee.workers = unsafe worker
  }

  @unsafe
  fileprivate func leave(_ worker: UnsafeMutablePointer<PoolWorker>) {
    if let previous = unsafe worker.pointee.previous {
      unsafe previous.pointee.next = unsafe worker.pointee.next
    } else {
      unsafe state.pointee.workers = unsafe worker.pointee.next
    }
    unsafe worker.pointee.next?.pointee.previous = unsafe worker.pointee.previous
    unsafe state.pointee.threads -= 1
  }

  /// Runs jobs until none is queued, or too many others run.
  @unsafe
  fileprivate func work(_ worker: UnsafeMutablePointer<PoolWorker>, _ hooks: inout UInt) {
    while let job = unsafe pick() {
      unsafe worker.pointee.begun += 1
      unsafe worker.pointee.isBusy = true
      unsafe balance()
      let setsOut = unsafe state.pointee.isForTimers
      monitor.unlock()
      unsafe ThreadHooks.follow(&hooks)
      // For a timer with an executor, this pool only submits the job to that executor.
      if setsOut, let executor = job.executor { executor.submit(job) } else { _ = job.run() }
      monitor.lock()
      unsafe worker.pointee.isBusy = false
      if unsafe worker.pointee.isStuck {
        unsafe worker.pointee.isStuck = false
        unsafe state.pointee.asleep -= 1
      }
    }
    // This worker was called because another one was asleep; that one has woken up, so enough workers run. They may get
    // stuck before any of them ends its job.
    if unsafe state.pointee.waiting > state.pointee.coming { Clock.made?.watchPools() }
  }

  /// Sleeps until the worker is called. False after the time limit: the thread should exit.
  @unsafe
  fileprivate func rest() -> Bool {
    let deadline = platform_now() + Pool.patience
    unsafe state.pointee.idle += 1
    while unsafe state.pointee.calls == 0 {
      if unsafe !monitor.wait(until: deadline) && state.pointee.calls == 0 {
        unsafe state.pointee.idle -= 1
        return false
      }
    }
    // `balance` has already counted the called worker as running.
    unsafe state.pointee.calls -= 1
    unsafe state.pointee.coming -= 1
    return true
  }
}

// Threads that sleep within a job.
extension Pool {
  /// Called before the engine makes the calling thread sleep: if it is a worker, another one may run meanwhile.
  @inline(__always)
  static func beginBlocking() {
    if unsafe platform_thread().pointee.worker != nil { changeBlocking(by: 1) }
  }

  @inline(__always)
  static func endBlocking() {
    if unsafe platform_thread().pointee.worker != nil { changeBlocking(by: -1) }
  }

  @inline(never)
  private static func changeBlocking(by change: Int) {
    let worker = unsafe platform_thread().pointee.worker.unsafelyUnwrapped.assumingMemoryBound(to: PoolWorker.self)
    let pool = unsafe worker.pointee.pool
    unsafe pool.guarded.locked { _ in
      let before = unsafe worker.pointee.isAsleep
      unsafe worker.pointee.blocks += change
      unsafe pool.state.pointee.asleep += (worker.pointee.isAsleep ? 1 : 0) - (before ? 1 : 0)
      unsafe pool.balance()
    }
  }

  /// The number of jobs ever submitted; nil if one is queued, or runs on a thread other than the calling one.
  var submittedToIdle: Int? {
    unsafe guarded.locked { state in
      let current = unsafe PoolWorker.current(of: self)
      var worker = unsafe state.pointee.workers
      while let here = unsafe worker {
        if unsafe here.pointee.isBusy && here != current { return nil }
        unsafe worker = unsafe here.pointee.next
      }
      return unsafe state.pointee.waiting == 0 ? state.pointee.submitted : nil
    }
  }

  /// The number of looks that find a worker with the same timer before another worker takes the next timer.
  private static var longTurn: Int { 20 }

  /// Detects stuck workers while jobs are queued, and calls others. `balance` and `work` ask for the next look.
  func relieve() {
    unsafe guarded.locked { _ in
      guard unsafe state.pointee.waiting > 0 else { return }
      var next = unsafe state.pointee.workers
      while let worker = unsafe next {
        unsafe next = unsafe worker.pointee.next
        guard unsafe worker.pointee.isBusy && !worker.pointee.isAsleep else { continue }
        if unsafe worker.pointee.seen != worker.pointee.begun {
          unsafe worker.pointee.seen = unsafe worker.pointee.begun
          unsafe worker.pointee.looks = 0
          continue
        }
        unsafe worker.pointee.looks += 1
        let isTooLong = unsafe state.pointee.isForTimers && worker.pointee.looks >= Pool.longTurn
        if unsafe isTooLong || !platform_thread_runs(worker.pointee.thread) {
          unsafe worker.pointee.isStuck = true
          unsafe state.pointee.asleep += 1
        }
      }
      unsafe balance()
    }
  }
}
