import CPlatform

// A loop that a thread of the user runs, on its own initiative or whenever the loop's descriptor is readable.
//
//            submit, a timer is due                 run, runOnce
//   [ waits ] --------------------> [ has work ] ------------------> [ turns ]
//       ^                                                             |
//       +-------------------------------------------------------------+
//
// The descriptor is readable exactly while the loop has work or a stop is requested. During a turn it is not updated,
// because the turning thread looks for work anyway: so a job that submits the next one costs no system call.
//
// The loop's memory belongs to its executor, which may outlive the loop: jobs submitted to a closed loop are dropped.
@safe
package struct EventLoop {
  let guarded: Guarded<State>

  @unsafe
  struct State {
    var signal: platform_signal
    var jobs = JobQueue()
    var timers = unsafe TimerHeap()
    /// The state last written to the signal.
    var isSignalled = false
    var armed = Int64.max
    /// The thread that runs the loop, and the one that ran it last; 0: none.
    var runner: Int32 = 0
    var owner: Int32 = 0
    var isTurning = false
    var isStopped = false
    var isClosed = false
    /// Whether a promise that a run waits for may have been settled (WaitAny.swift).
    var isPoked = false
    /// The list of all loops, guarded by PLATFORM_LOCK_LOOPS (DrivenWork.swift).
    var previous: UnsafeMutableRawPointer?
    var next: UnsafeMutableRawPointer?
  }

  init(guarded: Guarded<State>) { unsafe self.guarded = unsafe guarded }
  init(address: UnsafeMutableRawPointer?) { unsafe guarded = unsafe Guarded(address: address) }

  var address: UnsafeMutableRawPointer { unsafe guarded.address }

  /// Makes a loop; nil when memory or descriptors have run out.
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

  /// Closes and frees the loop, with the last reference to the executor.
  func free() {
    close()
    unsafe guarded.free()
  }

  /// The descriptor, readable exactly while there is work; negative once the loop is closed.
  var descriptor: Int32 { unsafe guarded.locked { unsafe $0.pointee.isClosed ? -1 : $0.pointee.signal.poll } }

  /// Whether the calling thread runs the loop.
  var isCurrent: Bool { unsafe guarded.locked { unsafe $0.pointee.runner } == platform_thread_id() }

  func submit(_ job: Job) {
    let isTaken = unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed else { return false }
      unsafe state.pointee.jobs.push(job)
      unsafe state.pointee.updateSignal()
      return true
    }
    if !isTaken { _ = job.drop() }
  }

  func stop() {
    unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed else { return }
      unsafe state.pointee.isStopped = true
      unsafe state.pointee.updateSignal()
    }
  }

  /// Makes the current run check its condition again. A later run checks it anyway.
  func poke() {
    unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed, unsafe state.pointee.runner != 0 else { return }
      unsafe state.pointee.isPoked = true
      unsafe state.pointee.updateSignal()
    }
  }

  /// Removes and returns the queued jobs, in order.
  func takeJobs() -> JobQueue {
    unsafe guarded.locked { state in
      let jobs = unsafe state.pointee.jobs
      unsafe state.pointee.jobs = JobQueue()
      unsafe state.pointee.updateSignal()
      return jobs
    }
  }

  /// Moves the main loop's timers to the clock.
  ///
  /// PLATFORM_LOCK_LOOPS is held while a timer is in neither heap, so that CellTimer.takeOut() finds each timer in one
  /// of them.
  func moveTimersToClock() {
    let clock = Clock.shared
    var refused = JobQueue()
    platform_lock(Int32(PLATFORM_LOCK_LOOPS))
    while let (timer, deadline) = popTimer() {
      if clock?.add(timer, deadline) != true { refused.push(timer) }
    }
    platform_unlock(Int32(PLATFORM_LOCK_LOOPS))
    refused.drop()
  }

  private func popTimer() -> (Job, Int64)? {
    unsafe guarded.locked { state in
      let deadline = unsafe state.pointee.timers.first
      guard let timer = unsafe state.pointee.timers.pop() else { return nil }
      unsafe state.pointee.updateSignal()
      return (timer, deadline)
    }
  }

  /// Closes the loop: drops its jobs and timers, and all jobs submitted later. A thread that runs the loop stops.
  func close() {
    var timers = unsafe TimerHeap()
    let (jobs, wasOpen) = unsafe guarded.locked { state in
      var jobs = unsafe state.pointee.jobs
      let wasOpen = unsafe !state.pointee.isClosed
      unsafe timers = unsafe state.pointee.timers
      unsafe state.pointee.jobs = JobQueue()
      unsafe state.pointee.timers = unsafe TimerHeap()
      unsafe state.pointee.isClosed = true
      // The running thread still polls the descriptor, and closes it in leave().
      if unsafe wasOpen && state.pointee.runner == 0 { unsafe platform_signal_close(&state.pointee.signal) }
      if unsafe wasOpen && state.pointee.runner != 0 { unsafe state.pointee.updateSignal() }
      while let timer = unsafe timers.pop() { jobs.push(timer) }
      return (jobs, wasOpen)
    }
    if wasOpen { withdraw() }
    unsafe timers.free()
    jobs.drop()
  }
}

extension EventLoop.State {
  /// Updates the descriptor to the loop's work and next deadline. Call with the monitor held.
  mutating func updateSignal() {
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

  /// Signals remaining work once more, as a new edge for edge-triggered pollers. Call with the monitor held.
  mutating func rearm() {
    if unsafe isSignalled {
      unsafe platform_signal_set(&signal, true)
    } else if unsafe armed != .max && armed <= platform_now() {
      unsafe platform_signal_arm(&signal, armed)
    }
  }
}

// Timers whose jobs run on the loop: they need no other thread.
extension EventLoop {
  enum Added {
    case added, closed, noMemory
  }

  func add(_ timer: Job, _ deadline: Int64) -> Added {
    unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed else { return .closed }
      guard unsafe state.pointee.timers.add(timer, deadline) else { return .noMemory }
      unsafe state.pointee.updateSignal()
      return .added
    }
  }

  /// Removes a timer. False if it is not in this loop any more.
  func remove(_ timer: Job) -> Bool {
    unsafe guarded.locked { state in
      guard unsafe !state.pointee.isClosed, unsafe state.pointee.timers.remove(timer) else { return false }
      unsafe state.pointee.updateSignal()
      return true
    }
  }
}
