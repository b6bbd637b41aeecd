import CPlatform

extension EventLoop {
  /// How a run ended.
  package enum End {
    case stopped, timedOut, closed
    /// A job of this very loop, on this thread, wanted to run it.
    case nested
    /// Another thread runs the loop.
    case busy
    /// There was no memory to note what it waits for.
    case noMemory
  }

  /// Runs jobs and timers, and waits for more, until the loop is stopped or the monotonic time has come (negative: for
  /// ever), or `isDone` holds; that is asked before each turn. Takes one turn at least. Without `hasOthers` it does not wait
  /// where nobody could make an end of that (`ForkedChild.isAlone`): that is `nested`.
  func run(until deadline: Int64, hasOthers: Bool = true, isDone: () -> Bool = { false }) -> End {
    unsafe guarded.monitor.lock()
    let state = unsafe guarded.state
    if let refusal = unsafe state.pointee.begin() {
      unsafe guarded.monitor.unlock()
      return refusal
    }
    let end = unsafe turns(until: deadline, hasOthers || !ForkedChild.isThisProcess, isDone)
    unsafe leave()
    return end
  }

  /// Runs the jobs that wait and the timers that are due, but not what they submit, and does not wait. The number of
  /// them, or why there is none: the loop is closed, by one of them too, or run by this or another thread.
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

  /// The monitor is held.
  @unsafe
  private func turns(until deadline: Int64, _ hasOthers: Bool, _ isDone: () -> Bool) -> End {
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
      // A turn may have ended early, or have made work for the next.
      let hasMore = unsafe !state.pointee.jobs.isEmpty || state.pointee.isStopped || state.pointee.isClosed || isDone()
      if hasMore { continue }
      unsafe state.pointee.tell()
      var signal = unsafe state.pointee.signal
      let hasTimers = unsafe state.pointee.timers.count > 0
      unsafe guarded.monitor.unlock()
      if !hasOthers && !hasTimers && ForkedChild.isAlone {
        unsafe guarded.monitor.lock()
        // What somebody did before it was idle is here now.
        let hasWork = unsafe !state.pointee.jobs.isEmpty || state.pointee.isStopped || state.pointee.isPoked
        if hasWork { continue }
        return .nested
      }
      let look = hasOthers ? .max : CellTimer.deadline(after: interval)
      interval = min(interval * 2, 256_000_000)
      unsafe platform_signal_wait(&signal, look == .max || (deadline >= 0 && deadline < look) ? deadline : look)
      unsafe guarded.monitor.lock()
    }
  }

  /// Runs what is there now, unless it is stopped meanwhile. The monitor is held, but not while a job runs.
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

  /// The thread is done with the loop. The monitor is held, and given up.
  @unsafe
  private func leave() {
    let state = unsafe guarded.state
    unsafe state.pointee.runner = 0
    unsafe state.pointee.isPoked = false
    if unsafe state.pointee.isClosed {
      unsafe platform_signal_close(&state.pointee.signal)
    } else {
      unsafe state.pointee.tell()
      unsafe state.pointee.rearm()
    }
    unsafe guarded.monitor.unlock()
  }
}

extension EventLoop.State {
  /// The calling thread is going to run the loop, unless it may not. The monitor is held.
  fileprivate mutating func begin() -> EventLoop.End? {
    if unsafe isClosed { return .closed }
    let thread = platform_thread_id()
    guard unsafe runner == 0 else { return unsafe runner == thread ? .nested : .busy }
    unsafe runner = thread
    unsafe owner = thread
    return nil
  }
}
