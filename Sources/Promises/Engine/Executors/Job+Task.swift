import Synchronization

/// A job that is not a reaction: a timer's work, a turn of a serial executor, a user's function on an executor.
///
///         state                        value         next       meta        function     context   free
///   task  flags, the promise that it   the outcome   executor   next in a   the work     ctx       for when it is
///         settles if any, place among  of that                  queue      [ a closure        ]   dropped, or
///         timers                       promise                                                     free_ctx
///
/// A task may have a second owner, who can cancel it before its deadline (CellTimer.swift).
extension Job {
  static var isTask: UInt64 { 128 }
  /// `free` is called with the context after the work. Without this flag `free` replaces the work when a task is
  /// dropped.
  static var freesContext: UInt64 { 8 }

  /// The timer was made for a loop; in the main one's place the clock may have it meanwhile.
  static var isOfLoop: UInt64 { 16 }
  /// A turn of a serial executor, which is its context.
  static var isTurn: UInt64 { 32 }
  /// The promise that it settles is about to be followed (Delay.swift).
  static var awaitsFollower: UInt64 { 64 }

  /// The first bit of the place among timers, plus one.
  static var placeShift: UInt64 { 36 }

  /// The work of a task as Swift writes it.
  package typealias Work = () -> Void

  /// A closure as a cell stores it.
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

  /// Makes a task that calls `function` when it runs, and `dropped` if it is dropped instead. Nil when memory has run
  /// out: neither is called then.
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

  /// Makes a task that calls `function`, then releases the context. Nil when memory has run out: the context is
  /// released then.
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

  /// Makes a task that calls the closure. Nil when memory has run out.
  package static func task(
    on executor: CellExecutor?, references: UInt64 = 1, _ closure: consuming @escaping Work
  ) -> Job? {
    guard let task = makeTask(on: executor, flags: isClosure, references: references) else { return nil }
    unsafe task.work.initialize(to: StoredWork(body: closure))
    return task
  }

  /// Whether this is a task rather than a reaction's job.
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
