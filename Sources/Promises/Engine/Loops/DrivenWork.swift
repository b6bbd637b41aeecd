import CPlatform

// Work that only the calling thread can do: the jobs behind the one that it runs on a serial executor, and those of a
// loop that it runs, or ran last. While it sleeps they wait, so a promise that one of them settles is not to be waited
// for here.

/// The loops that there are, linked through their memory. Guarded by PLATFORM_LOCK_LOOPS.
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

  /// Calls `body` with each loop that the calling thread drives, until it is true. Whether it was for one.
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

  /// Calls `body` with each timer of each loop and its time, under the loops' locks.
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

  /// Whether a promise can only be settled once a job has run that waits here.
  func holdsUp(_ promise: CellRef) -> Bool {
    unsafe guarded.locked { state in
      let holds: (Job) -> Bool = { $0.holdsUp(promise) }
      return unsafe state.pointee.jobs.contains(where: holds) || state.pointee.timers.contains(where: holds)
    }
  }
}

extension Job {
  /// Whether a promise can only be settled once this job has run. Whoever keeps the job guards it.
  func holdsUp(_ promise: CellRef) -> Bool {
    if isTask && has(Job.isTurn) {
      return unsafe SerialQueue(address: CellExecutor(CellRef.from(ref.reactionContext.pointer)).context)
        .holdsUp(promise)
    }
    return promiseIndex != 0 && promise.waits(for: self.promise)
  }
}

/// What the calling thread drives.
enum DrivenWork {
  /// Whether there is any.
  static var isThere: Bool {
    any { _ in
      true
    } loop: { _ in
      true
    }
  }

  /// Whether a promise can only be settled by work that the calling thread would have to do.
  static func holdsUp(_ promise: CellRef) -> Bool {
    any {
      $0.holdsUp(promise)
    } loop: {
      $0.holdsUp(promise)
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
