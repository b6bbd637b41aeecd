import Synchronization

/// A reaction with all options: two handlers, a type of reasons, an executor. It has a cell of its own beside the
/// promise that it settles.
///
///         state             value                        next       meta              function     context   free
///   job   flags, promise,   the rejection handler,       executor   type of reasons   fulfilment   ctx       free_ctx
///         source if last    then the outcome to handle                                handler
///
///   attached --(source settles)--> submitted --(job_run or job_drop, whichever is first)--> freed
package struct Job: CellView {
  package let ref: CellRef
  package init(_ ref: CellRef) { self.ref = ref }

  private static var taken: UInt64 { 1 }
  static var rejected: UInt64 { 2 }
  static var isClosure: UInt64 { 4 }
  /// The first bit of the closure's outcomes.
  private static var outcomesShift: UInt64 { 3 }
  /// Valid without a closure: the handlers are the library's, and call no user code.
  private static var isOwn: UInt64 { 8 }
  static var promiseShift: UInt64 { 8 }
  private static var sourceShift: UInt64 { 36 }

  /// The outcomes that a closure handles. Any other outcome is propagated past it, without a submission to the executor.
  package struct OutcomeSet: Equatable, Sendable {
    package let rawValue: UInt64
    private init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static var fulfilled: OutcomeSet { OutcomeSet(1) }
    /// Every reason but DISCARDED.
    package static var failed: OutcomeSet { OutcomeSet(2) }
    /// Discarded without a cause.
    package static var discarded: OutcomeSet { OutcomeSet(4) }
    /// Discarded with a cause.
    package static var discardedWithCause: OutcomeSet { OutcomeSet(8) }
    package static var rejected: OutcomeSet { OutcomeSet(14) }
    package static var all: OutcomeSet { OutcomeSet(15) }

    package static func | (left: OutcomeSet, right: OutcomeSet) -> OutcomeSet {
      OutcomeSet(left.rawValue | right.rawValue)
    }

    /// Whether the set contains an outcome.
    package func contains(_ value: CellValue, _ outcome: Outcome) -> Bool {
      rawValue & OutcomeSet.of(value, outcome).rawValue != 0
    }

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
    package init() {}
  }

  var promise: CellRef { CellRef(index: promiseIndex) }
  /// 0 for a task, which settles nothing.
  var promiseIndex: UInt32 {
    unsafe UInt32(truncatingIfNeeded: ref.cell.pointee.state.load(ordering: .relaxed) >> Job.promiseShift) & 0x0fff_ffff
  }
  /// The source of the reaction, if this is the last known reaction that the settling thread has to submit
  /// (SubmissionOrder.swift); otherwise 0.
  var lastOfSource: UInt32 {
    get { unsafe UInt32(truncatingIfNeeded: ref.cell.pointee.state.load(ordering: .relaxed) >> Job.sourceShift) }
    nonmutating set {
      let rest = unsafe ref.cell.pointee.state.load(ordering: .relaxed) & ((1 << Job.sourceShift) - 1)
      unsafe ref.cell.pointee.state.store(UInt64(newValue) << Job.sourceShift | rest, ordering: .relaxed)
    }
  }
  var executor: CellExecutor? {
    unsafe ref.cell.pointee.next == 0 ? nil : CellExecutor(CellRef(index: ref.cell.pointee.next))
  }
  /// Whether the closure handles an outcome.
  private func isFor(_ value: CellValue, _ outcome: Outcome) -> Bool {
    let outcomes = unsafe ref.cell.pointee.state.load(ordering: .relaxed) >> Job.outcomesShift
    return outcomes & OutcomeSet.of(value, outcome).rawValue != 0
  }
  var hasClosure: Bool { unsafe ref.cell.pointee.state.load(ordering: .relaxed) & Job.isClosure != 0 }

  /// Whether the handlers are the library's.
  var isOwn: Bool {
    unsafe ref.cell.pointee.state.load(ordering: .relaxed) & (Job.isClosure | Job.isOwn) == Job.isOwn
  }

  fileprivate static func make(_ plan: inout Plan, _ context: Context, for promise: CellRef) -> Job? {
    if let executor = plan.executor, !executor.ref.retain() { return nil }
    guard let ref = CellRef.allocate(.job, references: 1) else {
      plan.executor?.ref.release()
      return nil
    }
    unsafe ref.cell.pointee.state.store(
      UInt64(promise.index) << promiseShift
        | (plan.closure == nil ? (plan.isOwn ? isOwn : 0) : isClosure | plan.outcomes.rawValue << outcomesShift),
      ordering: .relaxed)
    unsafe ref.cell.pointee.value = unsafe CellValue(kind: .pointer, bits: UInt64(UInt(bitPattern: plan.onRejected)))
    unsafe ref.cell.pointee.next = plan.executor?.ref.index ?? 0
    unsafe ref.cell.pointee.meta = plan.type
    unsafe ref.cell.pointee.function = unsafe plan.onFulfilled
    unsafe ref.cell.pointee.context = unsafe context.pointer
    unsafe ref.cell.pointee.free = unsafe context.free
    // Moved, so that the attaching call does not hold the closure while the job runs.
    if let closure = plan.closure.take() { unsafe ref.closure.initialize(to: closure) }
    return Job(ref)
  }

  /// The handler for an outcome; nil if the outcome is propagated unchanged.
  private func handler(_ value: CellValue, _ outcome: Outcome) -> UnsafeMutableRawPointer? {
    guard outcome.isRejected else { return unsafe ref.cell.pointee.function }
    guard unsafe TypeRegistry.matches(value, ref.cell.pointee.meta) else { return nil }
    return unsafe UnsafeMutableRawPointer(bitPattern: UInt(ref.cell.pointee.value.bits))
  }

  /// Whether an outcome runs a callback inline, without an executor.
  func runsAtOnce(_ value: CellValue, _ outcome: Outcome) -> Bool { executor == nil && calls(value, outcome) }

  /// Whether an outcome submits a callback to the executor.
  func isSubmitted(_ value: CellValue, _ outcome: Outcome) -> Bool { executor != nil && calls(value, outcome) }

  private func calls(_ value: CellValue, _ outcome: Outcome) -> Bool {
    hasClosure ? isFor(value, outcome) : unsafe handler(value, outcome) != nil
  }

  /// Calls the handler or closure, frees it, and applies its verdict.
  private func perform(
    _ handler: UnsafeMutableRawPointer?, _ value: UnsafePointer<CellValue>, _ outcome: Outcome,
    settling promise: CellRef
  ) -> ReactionResult {
    if hasClosure { return unsafe promise.call(ref.closure, value.pointee, outcome, shared: true) }
    var out = CellValue.void
    let context = ref.reactionContext
    let verdict = unsafe unsafeBitCast(handler, to: Handler.self)(context.pointer, value, &out)
    context.release()
    return promise.decide(Verdict(rawValue: verdict), out)
  }

  /// Releases the context or closure.
  private func releaseContext() {
    if hasClosure { unsafe ref.closure.deinitialize(count: 1) } else { ref.reactionContext.release() }
  }

  /// Ends the job: releases its executor and its cell.
  private func finish() {
    executor?.ref.release()
    freeCell()
  }

  /// A task may have a second owner; the job of a reaction has only one.
  private func freeCell() {
    if isTask { ref.release() } else { ref.deallocate() }
  }

  /// Frees the job of a reaction whose source was destroyed while pending, or which was detached.
  func abandon() {
    releaseContext()
    finish()
  }
}

// The promise's view of its job.
extension CellRef {
  /// Attaches a reaction with all options. The caller gets a reference to the returned promise, unless `references` is
  /// 1. Takes ownership of the context, and takes the closure out of the plan; nil when memory has run out.
  package func react(_ plan: inout Job.Plan, _ context: Context, interest: Interest = .counted, references: UInt64 = 2)
    -> CellRef?
  {
    guard
      let promise = unsafe CellRef.derived(
        from: self, .job, nil, Context(nil, nil), interest: interest, references: references)
    else {
      context.release()
      return nil
    }
    guard let job = Job.make(&plan, context, for: promise) else {
      promise.deallocate()
      context.release()
      return nil
    }
    unsafe promise.cell.pointee.context = unsafe UnsafeMutableRawPointer(job.ref.cell)
    if let executor = plan.executor, executor.kind != .immediate {
      deliverInOrder(to: promise, job)
    } else {
      deliver(to: promise)
    }
    noteReader()
    return promise
  }

  /// The job of this promise's reaction.
  var job: Job { unsafe Job(CellRef.from(cell.pointee.context)) }

  /// Starts the job of this promise's reaction: runs it inline, or submits it to its executor.
  func startJob(_ value: UnsafePointer<CellValue>, _ outcome: Outcome) -> ReactionResult {
    let source = job.lastOfSource
    let result = unsafe job.start(value, outcome, settling: self)
    if source != 0 { CellRef(index: source).continueSubmitting() }
    return result
  }
}

extension Job {
  fileprivate func start(_ value: UnsafePointer<CellValue>, _ outcome: Outcome, settling promise: CellRef)
    -> ReactionResult
  {
    var handler: UnsafeMutableRawPointer?
    if !hasClosure { unsafe handler = self.handler(value.pointee, outcome) }
    guard unsafe hasClosure ? isFor(value.pointee, outcome) : handler != nil else {
      abandon()
      return unsafe promise.pass(value.pointee, outcome)
    }
    guard let executor else {
      let result = unsafe perform(handler, value, outcome, settling: promise)
      finish()
      return result
    }
    guard unsafe value.pointee.retain() else {
      abandon()
      return promise.conclude(Fault.tooManyReferences.value, .rejected)
    }
    if !hasClosure { unsafe ref.cell.pointee.function = unsafe handler }
    unsafe ref.cell.pointee.value = value.pointee
    if outcome.isRejected { unsafe ref.cell.pointee.state.bitwiseOr(Job.rejected, ordering: .relaxed) }
    promise.setSource(0)
    return unsafe Submission.submit(self, to: executor)
  }

  /// Runs the handler, then the reactions downstream. False if the job was run or dropped before.
  package func run() -> Bool {
    guard take() else { return false }
    // The reactions downstream run as part of the executor's job, so the executor is kept until they have run.
    let executor = self.executor
    RunningExecutor.running(executor) {
      if isTask {
        performTask()
        freeCell()
      } else {
        settlePromise()
      }
    }
    executor?.ref.release()
    return true
  }

  /// Calls the handler, settles the promise, and runs the reactions attached to it.
  private func settlePromise() {
    let promise = self.promise
    var value = unsafe ref.cell.pointee.value
    let outcome = unsafe Outcome(
      flag: ref.cell.pointee.state.load(ordering: .relaxed) & Job.rejected == 0 ? 0 : CellState.rejected)
    let handler = unsafe ref.cell.pointee.function
    unsafe Submission.end(ref, settling: promise) {
      let id = promise.id
      if Observation.isOn { Trace.note(.began, id, executor: executor) }
      let result = Settlement.running(promise, of: promise) {
        unsafe perform(handler, &value, outcome, settling: promise)
      }
      if Observation.isOn { promise.noteEnd(id, result) }
      value.release()
      freeCell()
      return result
    }
  }

  /// Rejects the promise instead of running the handler. False if the job was run or dropped before.
  package func drop() -> Bool {
    guard take() else { return false }
    guard !isTask else {
      dropTask()
      finish()
      return true
    }
    let promise = self.promise
    unsafe Submission.end(ref, settling: promise) {
      Settlement.running(promise, of: promise) {
        unsafe ref.cell.pointee.value.release()
        abandon()
        let result = promise.conclude(Fault.closed.value, .rejected)
        if Observation.isOn, case .settled = result { promise.noteSettlement(.rejected) }
        return result
      }
    }
    return true
  }

  private func take() -> Bool {
    unsafe ref.cell.pointee.state.bitwiseOr(Job.taken, ordering: .acquiringAndReleasing).oldValue & Job.taken == 0
  }
}
