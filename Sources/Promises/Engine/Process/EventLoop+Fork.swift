import CPlatform

// In a child of fork() a loop keeps its pending work, which runs when the child runs the loop. The open files behind
// its descriptors are shared with the parent, so each process would wake the other: the child replaces them under the
// same numbers.
extension EventLoop {
  func resume() {
    let isLost = unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed else {
        // The thread that ran the loop would have closed them.
        if unsafe state.pointee.runner != 0 && state.pointee.runner != platform_forker() {
          unsafe platform_signal_close(&state.pointee.signal)
        }
        unsafe state.pointee.adoptThread()
        return false
      }
      unsafe state.pointee.adoptThread()
      unsafe state.pointee.isSignalled = false
      unsafe state.pointee.armed = .max
      guard unsafe platform_signal_renew(&state.pointee.signal) else {
        unsafe state.pointee.forget()
        return true
      }
      unsafe state.pointee.updateSignal()
      return false
    }
    if isLost { withdraw() }
  }
}

extension EventLoop.State {
  /// Replaces the id of the forking thread, which is new in the child; any other thread that ran the loop does not
  /// exist.
  fileprivate mutating func adoptThread() {
    let thread = platform_thread_id()
    unsafe runner = unsafe runner == platform_forker() ? thread : 0
    unsafe owner = unsafe owner == platform_forker() ? thread : 0
    if unsafe runner == 0 { unsafe isTurning = false }
  }

  /// Closes a loop whose descriptors could not be replaced.
  fileprivate mutating func forget() {
    unsafe jobs = JobQueue()
    unsafe timers.forget()
    unsafe isClosed = true
  }
}
