import CPlatform

// Work that only the calling thread can do: the jobs queued behind the current one of a serial executor, and those of a
// loop that the thread runs or ran last. They cannot run while it sleeps, so waiting for a promise that one of them
// settles is a deadlock.

/// The list of all loops, linked through their memory. Guarded by PLATFORM_LOCK_LOOPS.
nonisolated(unsafe) private var loops: UnsafeMutableRawPointer?

extension EventLoop {
  func enlist() {
    platform_lock(Int32(PLATFORM_LOCK_LOOPS))
    defer { platform_unlock(Int32(PLATFORM_LOCK_LOOPS)) }
    unsafe guarded.locked { unsafe $0.pointee.next = loops }
    if let next = unsafe loops { unsafe EventLoop(address: next).link(previous: guarded.address) }
    unsafe loops = unsafe guarded.address
  }

  func withdraw() {
    platform_lock(Int32(PLATFORM_LOCK_LOOPS))
    defer { platform_unlock(Int32(PLATFORM_LOCK_LOOPS)) }
    let (previous, next) = unsafe guarded.locked { unsafe ($0.pointee.previous, $0.pointee.next) }
    if let next = unsafe next { unsafe EventLoop(address: next).link(previous: previous) }
    if let previous = unsafe previous {
      unsafe EventLoop(address: previous).guarded.locked { unsafe $0.pointee.next = next }
    } else {
      unsafe loops = unsafe next
    }
  }

  private func link(previous: UnsafeMutableRawPointer?) {
    unsafe guarded.locked { unsafe $0.pointee.previous = previous }
  }

  /// Calls `body` with each loop that the calling thread drives, until it returns true. Returns whether it did.
  fileprivate static func anyDriven(_ body: (EventLoop) -> Bool) -> Bool {
    platform_lock(Int32(PLATFORM_LOCK_LOOPS))
    defer { platform_unlock(Int32(PLATFORM_LOCK_LOOPS)) }
    guard unsafe loops != nil else { return false }
    let thread = platform_thread_id()
    var address = unsafe loops
    while let here = unsafe address {
      let loop = unsafe EventLoop(address: here)
      let owner = unsafe loop.guarded.locked { state in
        unsafe address = unsafe state.pointee.next
        return unsafe state.pointee.owner
      }
      let isDriven = owner == thread || (owner == 0 && loop.isMain && CellExecutor.isOnMainThread)
      if isDriven && body(loop) { return true }
    }
    return false
  }

  /// Calls `body` with each timer of each loop and its deadline, under the loops' locks.
  static func forEachTimer(_ body: (Job, Int64) -> Void) {
    platform_lock(Int32(PLATFORM_LOCK_LOOPS))
    defer { platform_unlock(Int32(PLATFORM_LOCK_LOOPS)) }
    var address = unsafe loops
    while let here = unsafe address {
      unsafe EventLoop(address: here).guarded.locked { state in
        unsafe state.pointee.timers.forEach(body)
        unsafe address = unsafe state.pointee.next
      }
    }
  }

  fileprivate func isSame(as other: EventLoop?) -> Bool { unsafe guarded.address == other?.guarded.address }

  /// Whether a promise can be settled only after a job queued here has run.
  func holdsUp(_ promise: CellRef) -> Bool {
    unsafe guarded.locked { state in
      let holds: (Job) -> Bool = { $0.holdsUp(promise) }
      return unsafe state.pointee.jobs.contains(where: holds) || state.pointee.timers.contains(where: holds)
    }
  }
}

extension Job {
  /// Whether a promise can be settled only after this job has run. Call with the lock of the job's queue held.
  func holdsUp(_ promise: CellRef) -> Bool {
    if isTask, let serial = CellTask(ref).serial {
      return unsafe SerialQueue(address: serial.context).holdsUpWithinAnother(promise)
    }
    return promiseIndex != 0 && promise.waits(for: self.promise)
  }
}

/// The work that only the calling thread can do, but for the work of a loop that it runs while it waits.
enum DrivenWork {
  /// Whether there is any such work.
  static func exists(outside loop: EventLoop?) -> Bool {
    any { _ in
      true
    } loop: {
      !$0.isSame(as: loop)
    }
  }

  /// Whether a promise can be settled only by such work.
  static func holdsUp(_ promise: CellRef, outside loop: EventLoop?) -> Bool {
    any {
      $0.holdsUp(promise)
    } loop: {
      !$0.isSame(as: loop) && $0.holdsUp(promise)
    }
  }

  private static func any(serial: (SerialQueue) -> Bool, loop: (EventLoop) -> Bool) -> Bool {
    var running = unsafe RunningExecutor.innermost
    while let here = unsafe running {
      let executor = unsafe here.pointee.executor
      if executor.kind == .serial, unsafe serial(SerialQueue(address: executor.context)) { return true }
      if let own = executor.ownLoop, loop(own) { return true }
      unsafe running = unsafe here.pointee.enclosing
    }
    return EventLoop.anyDriven(loop)
  }
}
