import CPlatform

extension EventLoop {
  /// The result of a run.
  package enum End {
    case stopped, timedOut, closed
    /// A job of this loop, on this thread, tried to run the loop again.
    case nested
    /// Another thread runs the loop.
    case busy
    /// Memory has run out, so the wait could not be registered with the promise.
    case noMemory
  }

  /// Runs jobs and timers, and waits for more, until the loop is stopped, the monotonic deadline has passed (negative:
  /// unlimited), or `isDone` returns true; that is checked before each turn. Takes at least one turn. Returns `nested`
  /// instead of waiting while the loop has no timer and `isStuck` returns true; nil: it cannot become stuck while this
  /// thread sleeps.
  func run(until deadline: Int64, isStuck: () -> Bool? = { nil }, isDone: () -> Bool = { false }) -> End {
    unsafe guarded.monitor.lock()
    let state = unsafe guarded.state
    if let refusal = unsafe state.pointee.begin() {
      unsafe guarded.monitor.unlock()
      return refusal
    }
    let end = unsafe turns(until: deadline, isStuck, isDone)
    unsafe leave()
    return end
  }

  /// Runs the queued jobs and the due timers, but not the jobs that these submit, and does not wait. Returns their
  /// number, or the reason why nothing ran: the loop is closed (possibly by one of the jobs), or is run by this or
  /// another thread.
  func runOnce() -> (count: Int, refusal: End?) {
    unsafe guarded.monitor.lock()
    let state = unsafe guarded.state
    if let refusal = unsafe state.pointee.begin() {
      unsafe guarded.monitor.unlock()
      return (0, refusal)
    }
    let count = unsafe turn()
    unsafe state.pointee.isStopped = false
    let isClosed = unsafe state.pointee.isClosed
    unsafe leave()
    return isClosed ? (0, .closed) : (count, nil)
  }

  /// Takes turns until the run ends. Call with the monitor held.
  @unsafe
  private func turns(until deadline: Int64, _ isStuck: () -> Bool?, _ isDone: () -> Bool) -> End {
    let state = unsafe guarded.state
    var isFirst = true
    var interval: Int64 = 1_000_000
    while true {
      if unsafe state.pointee.isClosed { return .closed }
      if unsafe state.pointee.isStopped {
        unsafe state.pointee.isStopped = false
        return .stopped
      }
      unsafe state.pointee.isPoked = false
      if isDone() { return .stopped }
      _ = unsafe turn()
      if unsafe state.pointee.isClosed { return .closed }
      let isOver = deadline >= 0 && platform_now() >= deadline
      if isOver && !isFirst || deadline == 0 { return isDone() ? .stopped : .timedOut }
      isFirst = false
      // The turn may have ended early, or may have submitted jobs for the next one.
      let hasMore = unsafe !state.pointee.jobs.isEmpty || state.pointee.isStopped || state.pointee.isClosed || isDone()
      if hasMore { continue }
      unsafe state.pointee.updateSignal()
      var signal = unsafe state.pointee.signal
      let hasTimers = unsafe state.pointee.timers.count > 0
      unsafe guarded.monitor.unlock()
      // Asked before each sleep: a job may have made this thread the one that drives another loop.
      let isStuck = isStuck()
      if isStuck == true && !hasTimers {
        unsafe guarded.monitor.lock()
        // Work that another thread submitted before it became idle is visible now.
        let hasWork = unsafe !state.pointee.jobs.isEmpty || state.pointee.isStopped || state.pointee.isPoked
        if hasWork { continue }
        return .nested
      }
      let look = isStuck != nil ? CellTimer.deadline(after: interval) : .max
      interval = min(interval * 2, 256_000_000)
      unsafe platform_signal_wait(&signal, look == .max || (deadline >= 0 && deadline < look) ? deadline : look)
      unsafe guarded.monitor.lock()
    }
  }

  /// Runs the queued jobs and due timers, unless the loop is stopped meanwhile. Call with the monitor held; it is
  /// released while a job runs.
  @unsafe
  private func turn() -> Int {
    let state = unsafe guarded.state
    let now = platform_now()
    while let timer = unsafe state.pointee.timers.popDue(now) { unsafe state.pointee.jobs.push(timer) }
    let limit = unsafe state.pointee.jobs.count
    var count = 0
    unsafe state.pointee.isTurning = true
    while unsafe count < limit && !state.pointee.isStopped && !state.pointee.isClosed {
      guard let job = unsafe state.pointee.jobs.pop() else { break }
      unsafe guarded.monitor.unlock()
      _ = job.run()
      unsafe guarded.monitor.lock()
      count += 1
    }
    unsafe state.pointee.isTurning = false
    return count
  }

  /// Ends the run on this thread. Call with the monitor held; this releases it.
  @unsafe
  private func leave() {
    let state = unsafe guarded.state
    unsafe state.pointee.runner = 0
    unsafe state.pointee.isPoked = false
    if unsafe state.pointee.isClosed {
      unsafe platform_signal_close(&state.pointee.signal)
    } else {
      unsafe state.pointee.updateSignal()
      unsafe state.pointee.rearm()
    }
    unsafe guarded.monitor.unlock()
  }
}

extension EventLoop.State {
  /// Claims the loop for the calling thread, or returns the reason why it cannot run. Call with the monitor held.
  fileprivate mutating func begin() -> EventLoop.End? {
    if unsafe isClosed { return .closed }
    let thread = platform_thread_id()
    guard unsafe runner == 0 else { return unsafe runner == thread ? .nested : .busy }
    unsafe runner = thread
    unsafe owner = thread
    return nil
  }
}
