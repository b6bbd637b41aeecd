import CPlatform

// An executor that runs its jobs in order, one at a time, on another executor, the target.
//
//             submit                    its turn starts
//   [ idle ] --------> [ scheduled ] ------------------> [ running ]
//      ^                    ^                               |    |
//      |                    | a turn's share is done        |    |
//      |                    +-------------------------------+    |
//      +---------------------------------------------------------+
//                            no job is left
//
// While it is scheduled or running, there is one task for it on the target, its turn, which has a reference to it.
@safe
struct SerialQueue {
  private let guarded: Guarded<State>

  private struct State {
    let target: CellExecutor
    /// The executor of this queue. A job's executor may be another one: the queue also gets the jobs of the main
    /// executor while it is the substitute for the main loop.
    var executor: CellExecutor?
    var jobs = JobQueue()
    var isIdle = true
    /// The cell of the latest turn. A child of fork() may have an earlier one, which does nothing (resume()).
    var turn: UInt32 = 0
    /// The thread that runs the turn, by the address of its state; 0 otherwise.
    var thread: UInt = 0
    /// The level of the target plus 1; an executor that is not serial has the level 0.
    let level: Int
  }

  /// The maximum number of serial executors in a chain of targets: each takes some hundred bytes of stack to submit and
  /// to run a job.
  fileprivate static var levels: Int { 128 }

  /// The number of jobs that a turn runs on a built-in executor before it yields to other jobs.
  private static var share: Int { 64 }

  fileprivate static func make(on target: CellExecutor) -> SerialQueue? {
    guard target.ref.retain() else { return nil }
    let guarded = unsafe Guarded.make(
      State(target: target, level: target.serialLevel + 1), inChild: { unsafe SerialQueue(address: $0).resume() })
    if let guarded { return SerialQueue(guarded: guarded) }
    target.ref.release()
    return nil
  }

  private init(guarded: Guarded<State>) { self.guarded = guarded }
  init(address: UnsafeMutableRawPointer?) { guarded = unsafe Guarded(address: address) }

  fileprivate var address: UnsafeMutableRawPointer { unsafe guarded.address }
  fileprivate var target: CellExecutor { unsafe guarded.locked { unsafe $0.pointee.target } }
  fileprivate var level: Int { unsafe guarded.locked { unsafe $0.pointee.level } }

  fileprivate func belong(to executor: CellExecutor) {
    unsafe guarded.locked { unsafe $0.pointee.executor = executor }
  }

  /// Frees the queue with the last reference to the executor: no job is left.
  fileprivate func free() {
    target.ref.release()
    guarded.free()
  }

  fileprivate func submit(_ job: Job) {
    let idle = unsafe guarded.locked { state in
      unsafe state.pointee.jobs.push(job)
      let idle = unsafe state.pointee.isIdle ? state.pointee.executor : nil
      unsafe state.pointee.isIdle = false
      // In a child of fork(), a turn of the parent may begin before the new one is scheduled.
      if idle != nil { unsafe state.pointee.turn = 0 }
      return idle
    }
    if let idle { schedule(idle) }
  }

  /// Submits a task for a turn to the target.
  private func schedule(_ executor: CellExecutor) {
    let target = unsafe guarded.locked { state in
      unsafe state.pointee.thread = 0
      return unsafe state.pointee.target
    }
    guard executor.ref.retain() else { return dropAll() }
    let turn = unsafe Job.task(
      on: target, { unsafe SerialQueue.turn($0) }, dropped: { unsafe SerialQueue.dropTurn($0) }, nil)
    guard let turn else {
      dropAll()
      return executor.ref.release()
    }
    CellTask(turn.ref).becomeTurn(of: executor)
    unsafe guarded.locked { unsafe $0.pointee.turn = turn.ref.index }
    target.submit(turn)
  }

  /// Runs jobs. `context` is the task's cell.
  private static func turn(_ context: UnsafeMutableRawPointer?) {
    let task = unsafe CellTask(CellRef.from(context))
    guard let executor = task.serial else { return }
    let queue = unsafe SerialQueue(address: executor.context)
    // An executor that runs the next turn inside `submit` would recurse without bound.
    var left = queue.target.runsAtOnce ? .max : share
    while let job = queue.next(task) {
      // A job of the main executor names another executor than the one it runs on.
      let isOwn = job.executor?.ref == executor.ref
      RunningExecutor.running(isOwn ? nil : executor) { _ = job.run() }
      left -= 1
      if left == 0 {
        queue.schedule(executor)
        break
      }
    }
    executor.ref.release()
  }

  /// Returns the next job of a turn; nil if it is not the latest one. If no job is left, the queue becomes idle.
  private func next(_ turn: CellTask) -> Job? {
    unsafe guarded.locked { state in
      guard unsafe state.pointee.turn == turn.ref.index else { return nil }
      let job = unsafe state.pointee.jobs.pop()
      // Also sets it to false: in a child of fork(), a turn of the parent begins while the queue is idle.
      unsafe state.pointee.isIdle = job == nil
      unsafe state.pointee.thread = unsafe job == nil ? 0 : UInt(bitPattern: platform_thread())
      return job
    }
  }

  /// Drops all jobs because the target has shut down.
  private static func dropTurn(_ context: UnsafeMutableRawPointer?) {
    let task = unsafe CellTask(CellRef.from(context))
    guard let executor = task.serial else { return }
    let queue = unsafe SerialQueue(address: executor.context)
    queue.dropAll(task)
    executor.ref.release()
  }

  /// Whether a promise can be settled only after a job queued here has run.
  func holdsUp(_ promise: CellRef) -> Bool {
    unsafe guarded.locked { state in unsafe state.pointee.jobs.contains { $0.holdsUp(promise) } }
  }

  /// Returns holdsUp() of a queue whose turn waits in another queue; the caller holds the lock of the other queue.
  /// Either queue may be the older one, if one substitutes for the main loop, so no lock order applies and this lock is
  /// only tried. If another thread holds it, the result is false: the caller looks again while it waits.
  func holdsUpWithinAnother(_ promise: CellRef) -> Bool {
    guard guarded.monitor.tryLock() else { return false }
    defer { guarded.monitor.unlock() }
    return unsafe guarded.state.pointee.jobs.contains { $0.holdsUp(promise) }
  }

  private func dropAll(_ turn: CellTask? = nil) {
    let jobs = unsafe guarded.locked { state in
      if let turn, unsafe state.pointee.turn != turn.ref.index { return JobQueue() }
      let jobs = unsafe state.pointee.jobs
      unsafe state.pointee.jobs = JobQueue()
      unsafe state.pointee.isIdle = true
      unsafe state.pointee.thread = 0
      return jobs
    }
    jobs.drop()
  }
}

// In a child of fork(), jobs whose turn was to run on a thread of the parent are dropped: they are the parent's. An
// executor of the user may still have the turn, or a thread of the parent may have taken it: so the jobs stay, and the
// first submission schedules another turn, which replaces that one.
extension SerialQueue {
  fileprivate func resume() {
    unsafe guarded.locked { state in
      let thread = unsafe UInt(bitPattern: platform_thread())
      guard unsafe !state.pointee.isIdle && state.pointee.thread != thread else { return }
      unsafe state.pointee.isIdle = true
      if unsafe state.pointee.thread == 0 && hasTurn(on: state.pointee.target) { return }
      unsafe state.pointee.jobs = JobQueue()
      unsafe state.pointee.thread = 0
    }
  }

  /// Whether the turn is queued on that executor. Assumed for executors of the user.
  private func hasTurn(on executor: CellExecutor) -> Bool {
    switch executor.kind {
    case .foreign: true
    case .serial: unsafe SerialQueue(address: executor.context).guarded.locked { unsafe hasTurn(in: $0.pointee.jobs) }
    case .loop, .main:
      if let loop = executor.ownLoop {
        unsafe loop.guarded.locked { unsafe hasTurn(in: $0.pointee.jobs) }
      } else {
        CellExecutor.mainSubstitute.map { hasTurn(on: $0) } ?? false
      }
    default: false
    }
  }

  private func hasTurn(in jobs: JobQueue) -> Bool {
    jobs.contains { job in
      guard job.isTask, let serial = CellTask(job.ref).serial else { return false }
      return unsafe serial.context == address
    }
  }
}

extension CellExecutor {
  /// Makes an executor that runs its jobs one by one on `target`, with one reference; nil when memory has run out.
  package static func serial(on target: CellExecutor) -> CellExecutor? {
    guard let queue = SerialQueue.make(on: target) else { return nil }
    let context = unsafe Context(queue.address) { unsafe SerialQueue(address: $0).free() }
    let submit: Submit = { unsafe SerialQueue(address: $0).submit(Job(submitted: $1)) }
    guard let executor = unsafe make(submit, context, kind: .serial) else { return nil }
    queue.belong(to: executor)
    return executor
  }

  /// The number of serial executors in the chain of targets that begins with this one; 0 if this is not a serial
  /// executor.
  fileprivate var serialLevel: Int { kind == .serial ? unsafe SerialQueue(address: context).level : 0 }

  /// Whether a serial executor may run its jobs on this one.
  package var canTakeSerial: Bool { serialLevel < SerialQueue.levels }

  /// Whether jobs run on the main executor in the end, through any number of serial ones.
  package var endsInMain: Bool {
    var here = self
    while here.kind == .serial { here = unsafe SerialQueue(address: here.context).target }
    return here.kind == .main
  }
}
