import CPlatform

// An executor that runs its jobs in their order, never two at once, on another executor.
//
//             submit                    its turn comes
//   [ idle ] --------> [ scheduled ] ------------------> [ running ]
//      ^                    ^                               |    |
//      |                    | a turn's share is done        |    |
//      |                    +-------------------------------+    |
//      +---------------------------------------------------------+
//                            no job is left
//
// While it is scheduled or runs, there is one task for it on the other executor, which holds a reference to it.
@safe
struct SerialQueue {
  private let guarded: Guarded<State>

  private struct State {
    let target: CellExecutor
    /// The executor that the queue belongs to. It is not a job's: jobs of the main executor come here too, where this one
    /// takes the main loop's place.
    var executor: CellExecutor?
    var jobs = JobQueue()
    var isIdle = true
    /// The thread whose turn it is, by the address of its state; 0 while it waits for one.
    var thread: UInt = 0
  }

  /// How many jobs a turn takes from a pool's thread before others that wait for one come.
  private static var share: Int { 64 }

  fileprivate static func make(on target: CellExecutor) -> SerialQueue? {
    guard target.ref.retain() else { return nil }
    let guarded = unsafe Guarded.make(State(target: target), inChild: { unsafe SerialQueue(address: $0).resume() })
    if let guarded { return SerialQueue(guarded: guarded) }
    target.ref.release()
    return nil
  }

  private init(guarded: Guarded<State>) { self.guarded = guarded }
  init(address: UnsafeMutableRawPointer?) { guarded = unsafe Guarded(address: address) }

  fileprivate var address: UnsafeMutableRawPointer { unsafe guarded.address }
  fileprivate var target: CellExecutor { unsafe guarded.locked { unsafe $0.pointee.target } }

  fileprivate func belong(to executor: CellExecutor) {
    unsafe guarded.locked { unsafe $0.pointee.executor = executor }
  }

  /// The executor's last reference is gone, so no job is left.
  fileprivate func free() {
    target.ref.release()
    guarded.free()
  }

  fileprivate func submit(_ job: Job) {
    let idle = unsafe guarded.locked { state in
      unsafe state.pointee.jobs.push(job)
      let idle = unsafe state.pointee.isIdle ? state.pointee.executor : nil
      unsafe state.pointee.isIdle = false
      return idle
    }
    if let idle { schedule(idle) }
  }

  /// Asks the other executor for a turn.
  private func schedule(_ executor: CellExecutor) {
    let target = unsafe guarded.locked { state in
      unsafe state.pointee.thread = 0
      return unsafe state.pointee.target
    }
    guard executor.ref.retain() else { return dropAll() }
    let turn = unsafe Job.task(
      on: target, flags: Job.isTurn, { unsafe SerialQueue.turn($0) }, dropped: { unsafe SerialQueue.dropTurn($0) },
      UnsafeMutableRawPointer(executor.ref.cell))
    guard let turn else {
      dropAll()
      return executor.ref.release()
    }
    target.submit(turn)
  }

  /// Runs jobs. `context` is the executor's cell.
  private static func turn(_ context: UnsafeMutableRawPointer?) {
    let executor = unsafe CellExecutor(CellRef(context.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self)))
    let queue = unsafe SerialQueue(address: executor.context)
    // An executor of the user's may run a turn at once, so that one within another would take stack.
    var left = queue.target.kind == .pool ? share : .max
    while let job = queue.next() {
      // Other jobs name another executor, so this one is noted for them.
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

  /// The next job; without one, the queue is idle.
  private func next() -> Job? {
    unsafe guarded.locked { state in
      let job = unsafe state.pointee.jobs.pop()
      if job == nil { unsafe state.pointee.isIdle = true }
      unsafe state.pointee.thread = unsafe job == nil ? 0 : UInt(bitPattern: platform_thread())
      return job
    }
  }

  /// The other executor has shut down: so do the jobs.
  private static func dropTurn(_ context: UnsafeMutableRawPointer?) {
    let executor = unsafe CellExecutor(CellRef(context.unsafelyUnwrapped.assumingMemoryBound(to: Cell.self)))
    unsafe SerialQueue(address: executor.context).dropAll()
    executor.ref.release()
  }

  /// Whether a promise can only be settled once a job has run that waits here.
  func holdsUp(_ promise: CellRef) -> Bool {
    unsafe guarded.locked { state in unsafe state.pointee.jobs.contains { $0.holdsUp(promise) } }
  }

  private func dropAll() {
    let jobs = unsafe guarded.locked { state in
      let jobs = unsafe state.pointee.jobs
      unsafe state.pointee.jobs = JobQueue()
      unsafe state.pointee.isIdle = true
      unsafe state.pointee.thread = 0
      return jobs
    }
    jobs.drop()
  }
}

// In a child of fork(): what waits for a turn that will not come there is the parent's.
extension SerialQueue {
  fileprivate func resume() {
    unsafe guarded.locked { state in
      let thread = unsafe UInt(bitPattern: platform_thread())
      guard unsafe !state.pointee.isIdle && state.pointee.thread != thread else { return }
      if unsafe state.pointee.thread == 0 && hasTurn(on: state.pointee.target) { return }
      unsafe state.pointee.jobs = JobQueue()
      unsafe state.pointee.isIdle = true
      unsafe state.pointee.thread = 0
    }
  }

  /// Whether its turn waits there. Of an executor of the user's, that is taken for granted.
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
      guard job.isTask && job.has(Job.isTurn) else { return false }
      let executor = unsafe CellExecutor(CellRef.from(job.ref.reactionContext.pointer))
      return unsafe executor.context == address
    }
  }
}

extension CellExecutor {
  /// A new executor that runs its jobs one by one on `target`, with one reference; nil when memory has run out.
  package static func serial(on target: CellExecutor) -> CellExecutor? {
    guard let queue = SerialQueue.make(on: target) else { return nil }
    let context = unsafe Context(queue.address) { unsafe SerialQueue(address: $0).free() }
    let submit: Submit = { unsafe SerialQueue(address: $0).submit(Job(submitted: $1)) }
    guard let executor = unsafe make(submit, context, kind: .serial) else { return nil }
    queue.belong(to: executor)
    return executor
  }

  /// Whether jobs end up on the main executor, by way of however many serial ones.
  package var endsInMain: Bool {
    var here = self
    while here.kind == .serial { here = unsafe SerialQueue(address: here.context).target }
    return here.kind == .main
  }
}
