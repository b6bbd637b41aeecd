import CPlatform

// A loop that the user's thread turns, by itself or whenever its descriptor is readable.
//
//            submit, a timer is due                 run, runOnce
//   [ waits ] --------------------> [ has work ] ------------------> [ turns ]
//       ^                                                             |
//       +-------------------------------------------------------------+
//
// The descriptor is readable exactly while the loop has work or has been told to stop. While a turn runs that is put
// off until its end, for the thread that turns looks by itself: so a job that submits the next takes no system call.
//
// The loop's memory belongs to its executor, which may outlive it: what is submitted to a closed loop is dropped.
@safe
package struct EventLoop {
  let guarded: Guarded<State>

  @unsafe
  struct State {
    var signal: platform_signal
    var jobs = JobQueue()
    var timers = unsafe TimerHeap()
    /// What the signal was told.
    var isSignalled = false
    var armed = Int64.max
    /// The thread that runs the loop, and the one that ran it last; 0: none.
    var runner: Int32 = 0
    var owner: Int32 = 0
    var isTurning = false
    var isStopped = false
    var isClosed = false
    /// Something that a run waits for has happened (WaitAny.swift).
    var isPoked = false
    /// The other loops, guarded by PLATFORM_LOCK_LOOPS (DrivenWork.swift).
    var previous: UnsafeMutableRawPointer?
    var next: UnsafeMutableRawPointer?
  }

  init(guarded: Guarded<State>) { unsafe self.guarded = unsafe guarded }
  init(address: UnsafeMutableRawPointer?) { unsafe guarded = unsafe Guarded(address: address) }

  var address: UnsafeMutableRawPointer { unsafe guarded.address }

  /// Nil without memory, or descriptors.
  static func make() -> EventLoop? {
    var signal = platform_signal()
    guard unsafe platform_signal_open(&signal) else { return nil }
    let made = unsafe Guarded<State>.make(State(signal: signal), inChild: { unsafe EventLoop(address: $0).resume() })
    guard let guarded = unsafe made else {
      unsafe platform_signal_close(&signal)
      return nil
    }
    let loop = unsafe EventLoop(guarded: guarded)
    loop.enlist()
    return loop
  }

  /// The executor's last reference is gone.
  func free() {
    close()
    unsafe guarded.free()
  }

  /// Readable exactly when there is work; negative once the loop is closed.
  var descriptor: Int32 { unsafe guarded.locked { unsafe $0.pointee.isClosed ? -1 : $0.pointee.signal.poll } }

  /// Whether the calling thread runs it.
  var isCurrent: Bool { unsafe guarded.locked { unsafe $0.pointee.runner } == platform_thread_id() }

  func submit(_ job: Job) {
    let isTaken = unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed else { return false }
      unsafe state.pointee.jobs.push(job)
      unsafe state.pointee.tell()
      return true
    }
    if !isTaken { _ = job.drop() }
  }

  func stop() {
    unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed else { return }
      unsafe state.pointee.isStopped = true
      unsafe state.pointee.tell()
    }
  }

  /// Has the run that is under way look again at what it waits for. One that begins later looks by itself.
  func poke() {
    unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed, unsafe state.pointee.runner != 0 else { return }
      unsafe state.pointee.isPoked = true
      unsafe state.pointee.tell()
    }
  }

  /// The jobs that wait, in order.
  func takeJobs() -> JobQueue {
    unsafe guarded.locked { state in
      let jobs = unsafe state.pointee.jobs
      unsafe state.pointee.jobs = JobQueue()
      unsafe state.pointee.tell()
      return jobs
    }
  }

  /// Hands its timers over to the clock.
  func giveTimersAway() {
    while let (timer, deadline) = popTimer() {
      timer.isOfLoop = false
      if Clock.shared?.add(timer, deadline) != true { _ = timer.drop() }
    }
  }

  private func popTimer() -> (Job, Int64)? {
    unsafe guarded.locked { state in
      let deadline = unsafe state.pointee.timers.first
      guard let timer = unsafe state.pointee.timers.pop() else { return nil }
      unsafe state.pointee.tell()
      return (timer, deadline)
    }
  }

  /// Drops what waits, and whatever comes. A thread that runs the loop stops.
  func close() {
    var timers = unsafe TimerHeap()
    let (jobs, wasOpen) = unsafe guarded.locked { state in
      var jobs = unsafe state.pointee.jobs
      let wasOpen = unsafe !state.pointee.isClosed
      unsafe timers = unsafe state.pointee.timers
      unsafe state.pointee.jobs = JobQueue()
      unsafe state.pointee.timers = unsafe TimerHeap()
      unsafe state.pointee.isClosed = true
      // Whoever runs the loop is still looking at the descriptor.
      if unsafe wasOpen && state.pointee.runner == 0 { unsafe platform_signal_close(&state.pointee.signal) }
      if unsafe wasOpen && state.pointee.runner != 0 { unsafe state.pointee.tell() }
      while let timer = unsafe timers.pop() { jobs.push(timer) }
      return (jobs, wasOpen)
    }
    if wasOpen { withdraw() }
    unsafe timers.free()
    jobs.drop()
  }
}

extension EventLoop.State {
  /// Tells the descriptor what there is. The monitor is held.
  mutating func tell() {
    guard unsafe !isTurning else { return }
    let hasWork = unsafe !jobs.isEmpty || isStopped || isClosed || isPoked
    if unsafe hasWork != isSignalled {
      unsafe isSignalled = hasWork
      unsafe platform_signal_set(&signal, hasWork)
    }
    if unsafe timers.first != armed {
      unsafe armed = unsafe timers.first
      unsafe platform_signal_arm(&signal, armed)
    }
  }

  /// Tells the descriptor of work that is left once more, for pollers that only see changes: an edge. The monitor is held.
  mutating func rearm() {
    if unsafe isSignalled {
      unsafe platform_signal_set(&signal, true)
    } else if unsafe armed != .max && armed <= platform_now() {
      unsafe platform_signal_arm(&signal, armed)
    }
  }
}

// Timers that jobs of the loop wait for: they need no other thread.
extension EventLoop {
  enum Added {
    case added, closed, noMemory
  }

  func add(_ timer: Job, _ deadline: Int64) -> Added {
    unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed else { return .closed }
      guard unsafe state.pointee.timers.add(timer, deadline) else { return .noMemory }
      unsafe state.pointee.tell()
      return .added
    }
  }

  /// Takes a timer out. False if it is not in here any more.
  func remove(_ timer: Job) -> Bool {
    unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed, unsafe state.pointee.timers.remove(timer) else { return false }
      unsafe state.pointee.tell()
      return true
    }
  }
}
