import CPlatform

/// A task that runs at a deadline. One of its two references belongs to its maker, who may cancel it, and releases the
/// reference when that is no longer needed.
///
///             its deadline passes
///   waiting -----------------> submitted to its executor, or to the pool for timers ---> run, or dropped
///      |
///      +--- cancel() ---> dropped
package struct CellTimer {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  /// The time `nanoseconds` from now; `.max`, which is never reached, on overflow.
  static func deadline(after nanoseconds: Int64) -> Int64 { deadline(max(nanoseconds, 0), after: platform_now()) }

  /// The time `nanoseconds` after a given one; `.max` on overflow.
  static func deadline(_ nanoseconds: Int64, after time: Int64) -> Int64 {
    let (deadline, overflows) = time.addingReportingOverflow(nanoseconds)
    return overflows ? .max : deadline
  }

  /// Calls the closure after the time, on the executor, or without one on a thread for timers, in the order of the
  /// deadlines. Its captures are released when it has run, when it is cancelled, or when the executor drops it. Nil
  /// when memory or threads have run out.
  package static func schedule(
    after nanoseconds: Int64, on executor: CellExecutor? = nil, _ work: consuming @escaping Job.Work
  ) -> CellTimer? {
    guard let task = Job.task(on: executor, references: 2, work) else { return nil }
    let timer = CellTimer(task.ref)
    guard timer.keepLoop() else {
      _ = task.drop()
      timer.ref.release()
      return nil
    }
    if timer.start(after: nanoseconds) { return timer }
    timer.release()
    return nil
  }

  /// Makes a timer that is not started. It will call `function`, or `dropped` instead if it is cancelled or dropped.
  static func make(
    on executor: CellExecutor?, _ function: FreeFunction, dropped: FreeFunction, _ context: UnsafeMutableRawPointer?
  ) -> CellTimer? {
    let made = unsafe Job.task(on: executor, references: 2, function, dropped: dropped, context)
    guard let task = made else { return nil }
    let timer = CellTimer(task.ref)
    guard timer.keepLoop() else {
      unsafe task.ref.contextFree = nil
      _ = task.drop()
      timer.ref.release()
      return nil
    }
    return timer
  }

  /// Retains the executor of a timer on a loop for cancel() and release(): the job releases its own reference to the
  /// executor when it has run. Call before the timer is published, because another thread may then release it before it
  /// is started. False if there are too many references.
  private func keepLoop() -> Bool {
    guard let executor = Job(ref).executor, executor.ownLoop != nil else { return true }
    guard executor.ref.retain() else { return false }
    CellTask(ref).isOfLoop = true
    return true
  }

  /// Starts the timer. False when memory or threads have run out: then the task is dropped. A closed loop drops it,
  /// too.
  func start(after nanoseconds: Int64) -> Bool { start(at: CellTimer.deadline(after: nanoseconds)) }

  /// Starts the timer with a monotonic deadline. On failure, `onFailure` is called before the task is dropped.
  func start(at deadline: Int64, _ onFailure: () -> Void = {}) -> Bool {
    let job = Job(ref)
    if CellTask(ref).isOfLoop, let executor = job.executor {
      let loop = CellTask(ref).loop
      let isMain = executor.kind == .main
      switch loop.add(job, deadline) {
      case .added:
        // Another thread may run the loop: the timer, and the loop unless it is the main one, may be freed by now. A
        // substitute for the main loop may have been installed meanwhile, as for jobs (MainExecutor.swift).
        if isMain && executor.ownLoop == nil { loop.moveTimersToClock() }
        return true
      case .closed:
        _ = job.drop()
        return true
      case .noMemory: break
      }
    } else if Clock.shared?.add(job, deadline) == true {
      return true
    }
    onFailure()
    _ = job.drop()
    return false
  }

  /// Cancels the timer and releases its context at once. A no-op if the deadline has passed: then it may be running.
  package func cancel() {
    if takeOut() { _ = Job(ref).drop() }
  }

  /// Removes the task from its heap. False if it has left the heap; otherwise the caller must run or drop it.
  func takeOut() -> Bool {
    let job = Job(ref)
    guard CellTask(ref).isOfLoop else { return Clock.made?.remove(job) == true }
    if CellTask(ref).loop.remove(job) { return true }
    // A timer of the main loop may have moved to the clock, or be about to arrive there.
    guard job.executor?.kind == .main else { return false }
    platform_lock(Int32(PLATFORM_LOCK_LOOPS))
    defer { platform_unlock(Int32(PLATFORM_LOCK_LOOPS)) }
    return Clock.made?.remove(job) == true
  }

  /// Releases the maker's reference; the timer continues.
  package func release() {
    let executor = CellTask(ref).isOfLoop ? Job(ref).executor : nil
    ref.release()
    executor?.ref.release()
  }
}

extension CellTask {
  /// The loop that has the timer.
  fileprivate var loop: EventLoop { unsafe EventLoop(address: job.executor?.loopAddress) }
}
