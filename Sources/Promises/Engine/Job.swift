import Synchronization

/// Work for an executor, in a cell of its own: the job of a reaction (ReactionJob.swift), or a task (CellTask.swift).
///
///         state    value, meta, context, free   next       meta, once submitted
///   job   below    of its kind                  executor   the next in a queue
///
///   63                        36 35      8      7   6             3         2          1       0
///   [ source (ReactionJob),     | promise | task | outcomes,       | closure | rejected | taken ]
///   [ place (CellTask)        ]                  [ or task's flags ]
///
///   submitted --(run() or drop(), whichever is first)--> freed
@usableFromInline
package struct Job: CellView, Sendable {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  private static var taken: UInt64 { 1 }
  /// The outcome that it handles, or settles its promise with, is a rejection.
  static var rejected: UInt64 { 2 }
  /// The work is a closure.
  static var isClosure: UInt64 { 4 }
  static var isTask: UInt64 { 128 }
  private static var promiseShift: UInt64 { 8 }
  /// The part of the state that names the promise.
  static func settling(_ promise: CellRef) -> UInt64 { UInt64(promise.index) << promiseShift }

  /// The state. Only one thread at a time changes it, except for `taken`.
  var state: UInt64 {
    get { unsafe ref.cell.pointee.state.load(ordering: .relaxed) }
    nonmutating set { unsafe ref.cell.pointee.state.store(newValue, ordering: .relaxed) }
  }

  func has(_ flag: UInt64) -> Bool { state & flag != 0 }

  var isTask: Bool { has(Job.isTask) }
  var hasClosure: Bool { has(Job.isClosure) }
  var promise: CellRef { CellRef(index: promiseIndex) }
  /// 0 for a task that settles nothing.
  var promiseIndex: UInt32 { Job.promiseIndex(state) }
  static func promiseIndex(_ state: UInt64) -> UInt32 {
    UInt32(truncatingIfNeeded: state >> promiseShift) & 0x0fff_ffff
  }

  /// The value or reason of `outcome`: of the source for the job of a reaction, of the promise that it settles for a
  /// task.
  var value: CellValue {
    get { ref.value }
    nonmutating set { ref.value = newValue }
  }
  var outcome: Outcome { has(Job.rejected) ? .rejected : .fulfilled }

  var executor: CellExecutor? {
    ref.next == 0 ? nil : CellExecutor(CellRef(index: ref.next))
  }

  /// Makes a job in this state, which retains the executor; nil when memory has run out. The caller sets the fields of
  /// the job's kind.
  @inline(__always)
  static func make(_ state: UInt64, on executor: CellExecutor?, references: UInt64 = 1) -> Job? {
    if let executor, !executor.ref.retain() { return nil }
    guard let ref = CellRef.allocate(.job, references: references) else {
      executor?.ref.release()
      return nil
    }
    let job = Job(ref)
    job.state = state
    ref.next = executor?.ref.index ?? 0
    return job
  }

  /// Ends the job: releases its executor and its cell.
  func finish() {
    executor?.ref.release()
    freeCell()
  }

  /// Frees the cell. Only a task may have a second owner, and then loses one reference.
  func freeCell() {
    if isTask { ref.release() } else { ref.deallocate() }
  }

  /// The result of running or dropping the job.
  package enum Take {
    case taken
    /// The job was run or dropped before.
    case stale
  }

  /// Runs the work, and the reactions to its promise.
  package func run() -> Take {
    guard take() == .taken else { return .stale }
    // The reactions downstream run as part of the executor's job, so the executor is kept until they have run.
    let executor = self.executor
    RunningExecutor.running(executor) {
      if isTask {
        CellTask(ref).perform()
        freeCell()
      } else {
        ReactionJob(ref).settlePromise()
      }
    }
    executor?.ref.release()
    return .taken
  }

  /// Rejects the promise instead of running the work.
  package func drop() -> Take {
    guard take() == .taken else { return .stale }
    if isTask {
      CellTask(ref).drop()
      finish()
    } else {
      ReactionJob(ref).rejectPromise()
    }
    return .taken
  }

  private func take() -> Take {
    let old = unsafe ref.cell.pointee.state.bitwiseOr(Job.taken, ordering: .acquiringAndReleasing).oldValue
    return old & Job.taken == 0 ? .taken : .stale
  }
}

extension Job {
  /// The outcomes that a closure handles. Any other outcome is propagated past it, without a submission to the
  /// executor.
  @usableFromInline
  package struct OutcomeSet: Equatable, Sendable {
    package let rawValue: UInt64
    private init(_ rawValue: UInt64) { self.rawValue = rawValue }

    @usableFromInline package static var fulfilled: OutcomeSet { OutcomeSet(1) }
    /// Every reason but DISCARDED.
    @usableFromInline package static var failed: OutcomeSet { OutcomeSet(2) }
    /// Discarded without a cause.
    @usableFromInline package static var discarded: OutcomeSet { OutcomeSet(4) }
    /// Discarded with a cause.
    @usableFromInline package static var discardedWithCause: OutcomeSet { OutcomeSet(8) }
    @usableFromInline package static var rejected: OutcomeSet { OutcomeSet(14) }
    @usableFromInline package static var all: OutcomeSet { OutcomeSet(15) }

    @usableFromInline package static func | (left: OutcomeSet, right: OutcomeSet) -> OutcomeSet {
      OutcomeSet(left.rawValue | right.rawValue)
    }

    /// Whether the set contains an outcome.
    package func contains(_ value: CellValue, _ outcome: Outcome) -> Bool {
      rawValue & OutcomeSet.of(value, outcome).rawValue != 0
    }

    /// Whether a callback for these outcomes handles rejections (Unhandled.swift).
    var handlesFailures: Bool { rawValue & OutcomeSet.failed.rawValue != 0 }

    /// The set of one outcome.
    static func of(_ value: CellValue, _ outcome: Outcome) -> OutcomeSet {
      if !outcome.isRejected { return .fulfilled }
      guard value.kind == ValueKind.discarded.rawValue else { return .failed }
      return value.box == 0 ? .discarded : .discardedWithCause
    }
  }

  /// The parameters of a reaction, except its context.
  @safe
  package struct Plan {
    package var executor: CellExecutor?
    package var onFulfilled: UnsafeMutableRawPointer?
    package var onRejected: UnsafeMutableRawPointer?
    /// The type of the reasons that `onRejected` handles; 0: any.
    package var type: UInt32 = 0
    /// Handles both outcomes, in place of the handlers and the context.
    package var closure: StoredClosure?
    package var outcomes = OutcomeSet.all
    /// Whether the handlers are the library's. If no one can observe the outcome, they need not run.
    var isOwn = false
    /// Whether a closure that settles nothing handles rejections. Its outcomes include those that it handles.
    var rejections = RejectionUse.handled
    package init() {}
  }
}
