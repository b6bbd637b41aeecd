import CPlatform

/// A thread of a pool, on its own stack. Guarded by the pool's monitor.
@unsafe
struct PoolWorker {
  let pool: Pool
  var thread: Int32
  var previous: UnsafeMutablePointer<PoolWorker>?
  var next: UnsafeMutablePointer<PoolWorker>?
  /// How many jobs it has begun, how many it had when the clock's thread last looked, and how often it looked since.
  var begun: UInt64 = 0
  var seen: UInt64 = 0
  var looks = 0
  var isBusy = false
  /// It was found asleep within a job.
  var isStuck = false
  /// How often it sleeps by the engine's doing.
  var blocks = 0
  /// The hooks that it has called (ThreadHooks.swift). The thread's own: not guarded.
  var hooks: UInt = 0

  var isAsleep: Bool { unsafe isStuck || blocks > 0 }

  /// The calling thread, if it is a worker of that pool.
  static func current(of pool: Pool) -> UnsafeMutablePointer<PoolWorker>? {
    guard let worker = unsafe platform_thread().pointee.worker?.assumingMemoryBound(to: PoolWorker.self),
      unsafe worker.pointee.pool.guarded.address == pool.guarded.address
    else { return nil }
    return unsafe worker
  }

  /// In a child of fork(), whose only thread it is.
  mutating func becomeOnlyOne() {
    unsafe thread = platform_thread_id()
    unsafe previous = nil
    unsafe next = nil
    unsafe isStuck = false
  }

  /// Starts a worker, which counts as coming. The monitor is held.
  static func start(_ pool: Pool) -> Bool {
    let name: StaticString = unsafe pool.state.pointee.isForTimers ? "promise-timers" : "promise-pool"
    return unsafe platform_start_thread(
      { pool in unsafe PoolWorker.main(Pool(address: pool)) }, pool.guarded.address, name.cString)
  }

  private static func main(_ pool: Pool) {
    let thread = unsafe platform_thread()
    var worker = unsafe PoolWorker(pool: pool, thread: platform_thread_id())
    unsafe withUnsafeMutablePointer(to: &worker) { worker in
      unsafe thread.pointee.worker = UnsafeMutableRawPointer(worker)
      pool.monitor.lock()
      unsafe pool.enter(worker)
      unsafe pool.state.pointee.coming -= 1
      repeat { unsafe pool.work(worker) } while unsafe pool.rest()
      unsafe pool.leave(worker)
      pool.monitor.unlock()
      unsafe thread.pointee.worker = nil
      unsafe ThreadHooks.leave(&worker.pointee.hooks)
    }
  }
}

// What a worker does. The monitor is held, but not while a job runs.
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

  /// Runs jobs, as long as there are any and not too many others run.
  @unsafe
  fileprivate func work(_ worker: UnsafeMutablePointer<PoolWorker>) {
    while let job = unsafe pick() {
      unsafe worker.pointee.begun += 1
      unsafe worker.pointee.isBusy = true
      unsafe balance()
      let setsOut = unsafe state.pointee.isForTimers
      monitor.unlock()
      unsafe ThreadHooks.follow(&worker.pointee.hooks)
      // A timer's job that is for another executor only sets out here.
      if setsOut, let executor = job.executor { executor.submit(job) } else { _ = job.run() }
      monitor.lock()
      unsafe worker.pointee.isBusy = false
      if unsafe worker.pointee.isStuck {
        unsafe worker.pointee.isStuck = false
        unsafe state.pointee.asleep -= 1
      }
    }
  }

  /// Sleeps until it is called. False if that took too long: the thread should end.
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
    // Whoever called has counted it among the running ones.
    unsafe state.pointee.calls -= 1
    unsafe state.pointee.coming -= 1
    return true
  }
}

// Threads that sleep within a job.
extension Pool {
  /// The calling thread is about to sleep by the engine's doing: if it is a pool's, another may run meanwhile.
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

  /// How many jobs there have been; nil if one waits, or runs on another thread than the calling one.
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

  /// How often a worker may be found with one timer before another worker takes the next.
  private static var longTurn: Int { 20 }

  /// Looks for workers that are stuck while jobs wait, and calls others. False if there is nothing to look for.
  func relieve() -> Bool {
    unsafe guarded.locked { _ in
      guard unsafe state.pointee.waiting > 0 else { return false }
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
      return true
    }
  }
}
