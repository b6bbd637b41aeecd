import CPlatform

// In a child of fork() a loop keeps what waits in it: whoever runs it there runs that too. Its descriptors are the
// parent's as well, so that one process would wake the other: they get new files, under the same numbers.
extension EventLoop {
  func resume() {
    let isLost = unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed else {
        // The thread that ran it was to close them.
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
      unsafe state.pointee.tell()
      return false
    }
    if isLost { withdraw() }
  }
}

extension EventLoop.State {
  /// The thread that forked has another number now, and another one that ran the loop is not there.
  fileprivate mutating func adoptThread() {
    let thread = platform_thread_id()
    unsafe runner = unsafe runner == platform_forker() ? thread : 0
    unsafe owner = unsafe owner == platform_forker() ? thread : 0
    if unsafe runner == 0 { unsafe isTurning = false }
  }

  /// Without descriptors the loop is closed.
  fileprivate mutating func forget() {
    unsafe jobs = JobQueue()
    unsafe timers.forget()
    unsafe isClosed = true
  }
}
