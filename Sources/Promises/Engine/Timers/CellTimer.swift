import CPlatform
import Synchronization

/// A task that runs after some time. One of its two references is its maker's, for as long as it may want to cancel.
///
///             its time comes
///   waiting -----------------> submitted to its executor, or to the pool for timers ---> run, or dropped
///      |
///      +--- cancel() ---> dropped
package struct CellTimer {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  /// The time so many nanoseconds from now; what is beyond time itself never comes.
  static func deadline(after nanoseconds: Int64) -> Int64 { deadline(max(nanoseconds, 0), after: platform_now()) }

  /// The same from a time on.
  static func deadline(_ nanoseconds: Int64, after time: Int64) -> Int64 {
    let (deadline, overflows) = time.addingReportingOverflow(nanoseconds)
    return overflows ? .max : deadline
  }

  /// Calls the closure once the time is over, on the executor, or without one on a thread for timers: there, what timers
  /// do comes in the order of their times. What it captures is released when it has run, when it is cancelled, or when
  /// the executor drops it. Nil when memory has run out, or threads.
  package static func schedule(
    after nanoseconds: Int64, on executor: CellExecutor? = nil, _ work: consuming @escaping Job.Work
  ) -> CellTimer? {
    guard let task = Job.task(on: executor, references: 2, work) else { return nil }
    let timer = CellTimer(task.ref)
    if timer.start(after: nanoseconds) { return timer }
    timer.release()
    return nil
  }

  /// A timer that has not started. It will call `function`, or `dropped` in its place if it is cancelled or dropped.
  static func make(
    on executor: CellExecutor?, flags: UInt64 = 0, _ function: FreeFunction, dropped: FreeFunction,
    _ context: UnsafeMutableRawPointer?
  ) -> CellTimer? {
    unsafe Job.task(on: executor, flags: flags, references: 2, function, dropped: dropped, context)
      .map { CellTimer($0.ref) }
  }

  /// Starts the timer. False when memory has run out, or threads: what it was to do is dropped, as it is by a loop that
  /// is closed.
  func start(after nanoseconds: Int64) -> Bool { start(at: CellTimer.deadline(after: nanoseconds)) }

  /// The same for a monotonic time.
  func start(at deadline: Int64) -> Bool {
    let job = Job(ref)
    if let executor = job.executor, let loop = executor.ownLoop {
      // The loop is kept for whoever may cancel: the job gives its own reference back when it has run.
      guard executor.ref.retain() else {
        _ = job.drop()
        return false
      }
      job.isOfLoop = true
      let isMain = executor.kind == .main
      switch loop.add(job, deadline) {
      case .added:
        // The timer, and the loop unless it is the main one, may be gone by now: another thread runs the loop.
        // As for jobs (MainExecutor.swift).
        if isMain && executor.ownLoop == nil { loop.giveTimersAway() }
        return true
      case .closed: return job.drop()
      case .noMemory: break
      }
    } else if Clock.shared?.add(job, deadline) == true {
      return true
    }
    _ = job.drop()
    return false
  }

  /// Releases what the timer holds, at once, if its time has not come. False if it has: then it may be running.
  @discardableResult
  package func cancel() -> Bool { takeOut() && Job(ref).drop() }

  /// Takes the task from among the timers. False if it is not there any more; otherwise the caller runs or drops it.
  func takeOut() -> Bool {
    let job = Job(ref)
    return job.isOfLoop ? job.loop.remove(job) : Clock.made?.remove(job) == true
  }

  /// Gives the maker's reference back; the timer goes on.
  package func release() {
    let job = Job(ref)
    let executor = job.isOfLoop ? job.executor : nil
    ref.release()
    executor?.ref.release()
  }
}

extension Job {
  /// Whose timer this is.
  fileprivate var loop: EventLoop { unsafe EventLoop(address: executor?.loopAddress) }

  /// Whether a loop keeps the timer, and not the clock. Written when neither has it.
  var isOfLoop: Bool {
    get { has(Job.isOfLoop) }
    nonmutating set {
      let rest = unsafe ref.cell.pointee.state.load(ordering: .relaxed) & ~Job.isOfLoop
      unsafe ref.cell.pointee.state.store(rest | (newValue ? Job.isOfLoop : 0), ordering: .relaxed)
    }
  }

  /// Where the task is among the timers; negative if it is not one of them any more. Guarded as the timers are.
  var place: Int {
    get { unsafe Int(ref.cell.pointee.state.load(ordering: .relaxed) >> Job.placeShift) - 1 }
    nonmutating set {
      let rest = unsafe ref.cell.pointee.state.load(ordering: .relaxed) & (1 << Job.placeShift - 1)
      unsafe ref.cell.pointee.state.store(rest | UInt64(newValue + 1) << Job.placeShift, ordering: .relaxed)
    }
  }
}
