import Synchronization

/// A job without a reaction: a timer's work, a turn of a serial executor, a user's function on an executor.
///
///          state                        value            next       meta        function     context   free
///   task   flags, the promise that it   the outcome of   executor   next in a   the work     ctx       for when it is
///          settles if any, place        that promise                queue      [ a closure        ]   dropped, or
///          among timers                                                                               free_ctx
///
/// A task may have a second owner, who can cancel it before its deadline (CellTimer.swift).
struct CellTask {
  let ref: CellRef
  init(_ ref: CellRef) { self.ref = ref }

  /// `free` is called with the context after the work. Without this flag `free` replaces the work when a task is
  /// dropped.
  fileprivate static var freesContext: UInt64 { 8 }
  /// The timer was made for a loop. While the main loop has a substitute, the clock has the timer instead.
  private static var isOfLoop: UInt64 { 16 }
  /// A turn of a serial executor. The task's value points to the executor.
  private static var isTurn: UInt64 { 32 }
  /// The first bit of the field that holds the place among timers plus one.
  private static var placeShift: UInt64 { 36 }

  /// A closure as a cell stores it.
  fileprivate struct StoredWork {
    let body: Job.Work
  }

  var job: Job { Job(ref) }

  /// The serial executor whose turn this is; nil for another task.
  var serial: CellExecutor? { unsafe job.has(CellTask.isTurn) ? CellExecutor(CellRef.from(job.value.pointer)) : nil }

  /// Makes this new task a turn of a serial executor. Its context is its own cell.
  func becomeTurn(of executor: CellExecutor) {
    job.state |= CellTask.isTurn
    job.value = unsafe CellValue(kind: .pointer, bits: UInt64(UInt(bitPattern: executor.ref.cell)))
    unsafe ref.contextPointer = UnsafeMutableRawPointer(ref.cell)
  }

  /// Makes this new task the settlement of a promise. Its context is its own cell. Takes ownership of the value.
  func becomeSettlement(of promise: CellRef, with value: CellValue, _ outcome: Outcome) {
    job.state |= Job.settling(promise) | (outcome.isRejected ? Job.rejected : 0)
    job.value = value
    unsafe ref.contextPointer = UnsafeMutableRawPointer(ref.cell)
  }

  var isOfLoop: Bool {
    get { job.has(CellTask.isOfLoop) }
    nonmutating set { job.state = job.state & ~CellTask.isOfLoop | (newValue ? CellTask.isOfLoop : 0) }
  }

  /// The position in a TimerHeap; -1 if it is in none.
  var place: Int {
    get { Int(job.state >> CellTask.placeShift) - 1 }
    nonmutating set {
      job.state = job.state & (1 << CellTask.placeShift - 1) | UInt64(newValue + 1) << CellTask.placeShift
    }
  }

  fileprivate var work: UnsafeMutablePointer<StoredWork> {
    unsafe (UnsafeMutableRawPointer(ref.cell) + Cell.closureOffset).assumingMemoryBound(to: StoredWork.self)
  }

  @inline(__always)
  func perform() {
    guard !job.hasClosure else {
      unsafe work.move().body()
      return
    }
    let context = ref.reactionContext
    unsafe unsafeBitCast(ref.function, to: FreeFunction.self)(context.pointer)
    if job.has(CellTask.freesContext) { context.release() }
  }

  @inline(__always)
  func drop() {
    if job.hasClosure { unsafe work.deinitialize(count: 1) } else { ref.reactionContext.release() }
  }
}

extension Job {
  /// The work of a task, as a Swift closure.
  package typealias Work = () -> Void

  private static func makeTask(_ flags: UInt64 = 0, on executor: CellExecutor?, references: UInt64 = 1) -> Job? {
    let job = make(flags | isTask, on: executor, references: references)
    job?.value = .void
    return job
  }

  /// Makes a task that calls `function` when it runs, and `dropped` if it is dropped instead. Nil when memory has run
  /// out: neither is called then.
  static func task(
    on executor: CellExecutor?, references: UInt64 = 1, _ function: FreeFunction, dropped: FreeFunction?,
    _ context: UnsafeMutableRawPointer?
  ) -> Job? {
    guard let task = makeTask(on: executor, references: references) else { return nil }
    unsafe task.ref.function = unsafe unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
    task.ref.reactionContext = unsafe Context(context, dropped)
    return task
  }

  /// Makes a task that calls `function`, then releases the context. Nil when memory has run out: the context is
  /// released then.
  package static func task(on executor: CellExecutor?, _ function: FreeFunction, _ context: Context) -> Job? {
    guard let task = makeTask(CellTask.freesContext, on: executor) else {
      context.release()
      return nil
    }
    unsafe task.ref.function = unsafe unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
    task.ref.reactionContext = context
    return task
  }

  /// Makes a task that calls the closure. Nil when memory has run out.
  package static func task(
    on executor: CellExecutor?, references: UInt64 = 1, _ closure: consuming @escaping Work
  ) -> Job? {
    guard let task = makeTask(isClosure, on: executor, references: references) else { return nil }
    unsafe CellTask(task.ref).work.initialize(to: CellTask.StoredWork(body: closure))
    return task
  }
}

extension CellExecutor {
  /// Runs a function on this executor, then releases the context. False when memory has run out: the function is not
  /// called.
  package func run(_ function: FreeFunction, _ context: Context) -> Bool {
    guard let task = unsafe Job.task(on: self, function, context) else { return false }
    submit(task)
    return true
  }

  /// Runs a closure on this executor. False when memory has run out.
  package func run(_ closure: consuming @escaping Job.Work) -> Bool {
    guard let task = Job.task(on: self, closure) else { return false }
    submit(task)
    return true
  }
}
