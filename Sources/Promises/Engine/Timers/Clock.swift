import CPlatform

/// The timer thread. It submits due timers to the timer pool, except for those of loops, which have heaps of their own.
/// While jobs are queued in the pools it also examines their workers. No user code runs on it.
///
/// The thread starts with the first timer, and exits after a while without work. Due timers that the pool refuses,
/// since no thread can be started, are submitted again.
@safe
struct Clock {
  private let guarded: Guarded<State>

  @unsafe
  private struct State {
    var timers = unsafe TimerHeap()
    /// Due timers that the pool does not have yet, and the time of the next attempt; `.max`: there are none.
    var due = JobQueue()
    var attempt = Int64.max
    /// The time of the next look at the pools; `.max`: none is needed.
    var check = Int64.max
    var hasThread = false
    /// Whether due timers are on their way to the pool, or wait for the next attempt.
    var isSubmitting = false
    /// The time until which the thread sleeps.
    var wakes = Int64.max
  }

  private static var checkInterval: Int64 { 5_000_000 }
  private static var patience: Int64 { 1_000_000_000 }

  /// The clock, created on first use; nil when memory has run out.
  static var shared: Clock? {
    unsafe clock.get {
      unsafe Guarded<State>.make(State(), inChild: { unsafe Clock(address: $0).forget() })?.address
    }.map { unsafe Clock(address: $0) }
  }

  /// The clock, if it has been made.
  static var made: Clock? { unsafe clock.made.map { unsafe Clock(address: $0) } }

  private init(address: UnsafeMutableRawPointer) { unsafe guarded = unsafe Guarded(address: address) }

  private var monitor: Monitor { unsafe guarded.monitor }
  private var state: UnsafeMutablePointer<State> { unsafe guarded.state }

  /// Adds a timer. False when memory or threads have run out.
  func add(_ timer: Job, _ deadline: Int64) -> Bool {
    unsafe guarded.locked { state in
      guard unsafe wake(by: deadline) else { return false }
      return unsafe state.pointee.timers.add(timer, deadline)
    }
  }

  /// Removes a timer. False if it is not in the heap any more.
  func remove(_ timer: Job) -> Bool {
    unsafe guarded.locked { unsafe $0.pointee.timers.remove(timer) }
  }

  /// Calls `body` with each pending timer and its deadline, under the lock.
  static func forEachTimer(_ body: (Job, Int64) -> Void) {
    guard let made = unsafe clock.made else { return }
    unsafe Clock(address: made).guarded.locked { unsafe $0.pointee.timers.forEach(body) }
  }

  /// Examines the pools periodically until they have no queued job.
  func watchPools() {
    unsafe guarded.locked { state in
      guard unsafe state.pointee.check == .max else { return }
      let check = platform_now() + Clock.checkInterval
      if unsafe wake(by: check) { unsafe state.pointee.check = check }
    }
  }

  /// Makes sure that the thread wakes up by that time. False if the thread cannot be started.
  @unsafe
  private func wake(by deadline: Int64) -> Bool {
    if unsafe !state.pointee.hasThread {
      unsafe state.pointee.hasThread = unsafe platform_start_thread(
        { unsafe Clock(address: $0).run() }, guarded.address,
        ("promise-clock" as StaticString).cString)
    } else if unsafe deadline < state.pointee.wakes {
      monitor.wakeOne()
    }
    return unsafe state.pointee.hasThread
  }

  private func run() {
    monitor.lock()
    repeat {
      while true {
        let now = platform_now()
        let isDue = unsafe min(state.pointee.timers.first, state.pointee.attempt) <= now
        let checks = unsafe state.pointee.check <= now
        guard isDue || checks else { break }
        if isDue { unsafe submitDue(now) }
        if checks { unsafe check() }
      }
    } while unsafe sleep()
    unsafe state.pointee.hasThread = false
    monitor.unlock()
  }

  /// Submits the due timers. Call with the monitor held; it is released during the submission.
  @unsafe
  private func submitDue(_ now: Int64) {
    while let timer = unsafe state.pointee.timers.popDue(now) { unsafe state.pointee.due.push(timer) }
    unsafe state.pointee.isSubmitting = true
    let due = unsafe state.pointee.due.take()
    monitor.unlock()
    let isTaken = Pool.timers?.submit(due) == true
    monitor.lock()
    if !isTaken { unsafe state.pointee.due = due }
    unsafe state.pointee.attempt = isTaken ? .max : platform_now() + Clock.checkInterval
    unsafe state.pointee.isSubmitting = !isTaken
  }

  @unsafe
  private func check() {
    unsafe state.pointee.check = .max
    monitor.unlock()
    Pool.relieveAll()
    monitor.lock()
  }

  /// Sleeps until the next deadline. False after a long time without one.
  @unsafe
  private func sleep() -> Bool {
    let next = unsafe min(state.pointee.timers.first, state.pointee.attempt, state.pointee.check)
    let patience = platform_now() + Clock.patience
    unsafe state.pointee.wakes = next
    let wasWoken = monitor.wait(until: min(next, patience))
    unsafe state.pointee.wakes = .min
    return unsafe wasWoken || min(state.pointee.timers.first, state.pointee.attempt, state.pointee.check) != .max
  }
}

extension Clock {
  /// Resets the clock in a child of fork(): its timers belong to the parent, and its thread does not exist.
  fileprivate func forget() {
    unsafe guarded.locked { state in
      unsafe state.pointee.timers.forget()
      unsafe state.pointee.due = JobQueue()
      unsafe state.pointee.attempt = .max
      unsafe state.pointee.check = .max
      unsafe state.pointee.hasThread = false
      unsafe state.pointee.isSubmitting = false
      unsafe state.pointee.wakes = .max
    }
  }

  /// Whether no timer is pending, or on its way to the pool.
  static var isIdle: Bool {
    guard let clock = made else { return true }
    return unsafe clock.guarded.locked { state in
      unsafe state.pointee.timers.count == 0 && !state.pointee.isSubmitting
    }
  }
}

private let clock = Single()
