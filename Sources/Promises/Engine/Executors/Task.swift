import Synchronization

/// Work that settles nothing by itself, in a job's place: what a timer does, a turn of a serial executor, a function of
/// the user's that runs on an executor.
///
///         state                        value         next       meta        function     context   free
///   task  flags, the promise that it   what it       executor   next in a   the work     ctx       for when it is
///         settles if any, place among  settles that              queue      [ a closure        ]   dropped, or
///         timers                       with                                                        free_ctx
///
/// A task may have a second owner, who can cancel it while it waits for its time (CellTimer.swift).
extension Job {
  static var isTask: UInt64 { 128 }
  /// `free` follows the work, as a context's does. Without this flag it takes the work's place when a task is dropped.
  static var freesContext: UInt64 { 8 }

  /// A loop keeps the timer, not the clock.
  static var isOfLoop: UInt64 { 16 }
  /// It is a turn of a serial executor, which is its context.
  static var isTurn: UInt64 { 32 }
  /// What it settles is about to be followed (Delay.swift).
  static var awaitsFollower: UInt64 { 64 }

  /// The place among timers, plus one.
  static var placeShift: UInt64 { 36 }

  /// Work as Swift writes it.
  package typealias Work = () -> Void

  /// A closure as a cell keeps it.
  struct StoredWork {
    let body: Work
  }

  private var work: UnsafeMutablePointer<StoredWork> {
    unsafe (UnsafeMutableRawPointer(ref.cell) + Cell.closureOffset).assumingMemoryBound(to: StoredWork.self)
  }

  private static func makeTask(on executor: CellExecutor?, flags: UInt64, references: UInt64) -> Job? {
    if let executor, !executor.ref.retain() { return nil }
    guard let ref = CellRef.allocate(.job, references: references) else {
      executor?.ref.release()
      return nil
    }
    unsafe ref.cell.pointee.state.store(flags | isTask, ordering: .relaxed)
    unsafe ref.cell.pointee.value = .void
    unsafe ref.cell.pointee.next = executor?.ref.index ?? 0
    return Job(ref)
  }

  /// A task that calls `function` when it is run, and `dropped` instead when it is dropped. Nil when memory has run out:
  /// neither is called then.
  static func task(
    on executor: CellExecutor?, flags: UInt64 = 0, references: UInt64 = 1, _ function: FreeFunction,
    dropped: FreeFunction?, _ context: UnsafeMutableRawPointer?
  ) -> Job? {
    guard let task = makeTask(on: executor, flags: flags, references: references) else { return nil }
    unsafe task.ref.cell.pointee.function = unsafe unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
    unsafe task.ref.cell.pointee.context = unsafe context
    unsafe task.ref.cell.pointee.free = unsafe dropped
    return task
  }

  /// A task that calls `function`, then releases the context. Nil when memory has run out: the context is released.
  package static func task(on executor: CellExecutor?, _ function: FreeFunction, _ context: Context) -> Job? {
    guard let task = makeTask(on: executor, flags: freesContext, references: 1) else {
      context.release()
      return nil
    }
    unsafe task.ref.cell.pointee.function = unsafe unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
    unsafe task.ref.cell.pointee.context = unsafe context.pointer
    unsafe task.ref.cell.pointee.free = unsafe context.free
    return task
  }

  /// A task that calls the closure. Nil when memory has run out.
  package static func task(
    on executor: CellExecutor?, references: UInt64 = 1, _ closure: consuming @escaping Work
  ) -> Job? {
    guard let task = makeTask(on: executor, flags: isClosure, references: references) else { return nil }
    unsafe task.work.initialize(to: StoredWork(body: closure))
    return task
  }

  /// Whether it settles nothing.
  var isTask: Bool { has(Job.isTask) }

  func has(_ flag: UInt64) -> Bool { unsafe ref.cell.pointee.state.load(ordering: .relaxed) & flag != 0 }

  func performTask() {
    guard !hasClosure else {
      unsafe work.move().body()
      return
    }
    let context = ref.reactionContext
    unsafe unsafeBitCast(ref.cell.pointee.function, to: FreeFunction.self)(context.pointer)
    if has(Job.freesContext) { context.release() }
  }

  func dropTask() {
    if hasClosure { unsafe work.deinitialize(count: 1) } else { ref.reactionContext.release() }
  }
}

extension CellExecutor {
  /// Runs a function there, then releases the context. False when memory has run out: the function is not called.
  package func run(_ function: FreeFunction, _ context: Context) -> Bool {
    guard let task = unsafe Job.task(on: self, function, context) else { return false }
    submit(task)
    return true
  }

  /// Runs a closure there. False when memory has run out.
  package func run(_ closure: consuming @escaping Job.Work) -> Bool {
    guard let task = Job.task(on: self, closure) else { return false }
    submit(task)
    return true
  }
}
