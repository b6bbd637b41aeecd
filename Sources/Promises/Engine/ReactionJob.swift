import Synchronization

/// The job of a reaction with all options: two handlers, a type of reasons, an executor. It has a cell of its own
/// beside the promise that it settles.
///
///         state                       value                   next       meta          function     context   free
///   job   flags, outcomes, promise,   the rejection handler   executor   type of the   fulfilment   ctx       free_ctx
///         source if last              or the outcome                     reasons       handler
///
///   attached --(source settles)--> submitted, as a Job
package struct ReactionJob {
  let ref: CellRef
  init(_ ref: CellRef) { self.ref = ref }

  /// The first bit of the outcomes that a closure handles.
  private static var outcomesShift: UInt64 { 3 }
  private static var sourceShift: UInt64 { 36 }

  var job: Job { Job(ref) }
  private var executor: CellExecutor? { job.executor }
  var hasClosure: Bool { job.hasClosure }

  /// The source of the reaction, if this is the last known reaction that the settling thread has to submit
  /// (SubmissionOrder.swift); otherwise 0.
  var lastOfSource: UInt32 {
    get { UInt32(truncatingIfNeeded: job.state >> ReactionJob.sourceShift) }
    nonmutating set {
      job.state = UInt64(newValue) << ReactionJob.sourceShift | job.state & ((1 << ReactionJob.sourceShift) - 1)
    }
  }

  /// Whether the closure handles an outcome.
  private func isFor(_ value: CellValue, _ outcome: Outcome) -> Bool {
    job.state >> ReactionJob.outcomesShift & Job.OutcomeSet.of(value, outcome).rawValue != 0
  }

  /// The handler of fulfilments; once submitted, that of the outcome.
  private var handler: UnsafeMutableRawPointer? {
    get { unsafe ref.function }
    nonmutating set { unsafe ref.function = unsafe newValue }
  }

  fileprivate static func make(_ plan: inout Job.Plan, _ context: Context, for promise: CellRef) -> ReactionJob? {
    let flags = plan.closure == nil ? 0 : Job.isClosure | plan.outcomes.rawValue << outcomesShift
    guard let job = Job.make(Job.settling(promise) | flags, on: plan.executor) else { return nil }
    job.value = unsafe CellValue(kind: .pointer, bits: UInt64(UInt(bitPattern: plan.onRejected)))
    job.ref.meta = plan.type
    let reaction = ReactionJob(job.ref)
    unsafe reaction.handler = unsafe plan.onFulfilled
    job.ref.reactionContext = context
    // Moved, so that the attaching call does not hold the closure while the job runs.
    if let closure = plan.closure.take() { unsafe job.ref.closure.initialize(to: closure) }
    return reaction
  }

  /// The handler for an outcome; nil if the outcome is propagated unchanged.
  private func handler(_ value: CellValue, _ outcome: Outcome) -> UnsafeMutableRawPointer? {
    guard outcome.isRejected else { return unsafe handler }
    guard TypeRegistry.matches(value, ref.meta) else { return nil }
    return unsafe job.value.pointer
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

  /// Frees the job of a reaction whose source was destroyed while pending, or which was detached.
  func abandon() {
    releaseContext()
    job.finish()
  }
}

// Operations of a promise on the job of its reaction.
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
    guard let job = ReactionJob.make(&plan, context, for: promise) else {
      promise.deallocate()
      context.release()
      return nil
    }
    if plan.isOwn { promise.mark(CallbackReaction.own) }
    if references == 1 { promise.mark(plan.rejections.rawValue) }
    unsafe promise.contextPointer = unsafe UnsafeMutableRawPointer(job.ref.cell)
    if let executor = plan.executor, executor.kind != .immediate {
      deliverInOrder(to: promise, job)
    } else {
      deliver(to: promise)
    }
    noteReader()
    return promise
  }

  /// The job of this promise's reaction.
  var job: ReactionJob { ReactionJob(contextCell) }

  /// Frees the job of this reaction as releaseContextInTurn() releases a context.
  func abandonJobInTurn() {
    unsafe contextFree = { job in unsafe ReactionJob(CellRef.from(job)).abandon() }
    releaseContextInTurn()
  }

  /// Starts the job of this promise's reaction: runs it inline, or submits it to its executor.
  func startJob(_ value: UnsafePointer<CellValue>, _ outcome: Outcome) -> ReactionResult {
    let source = job.lastOfSource
    let result = unsafe job.start(value, outcome, settling: self)
    if source != 0 { CellRef(index: source).continueSubmitting() }
    return result
  }
}

extension ReactionJob {
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
      job.finish()
      return result
    }
    guard unsafe value.pointee.retain() else {
      abandon()
      return promise.conclude(Fault.tooManyReferences.value, .rejected)
    }
    if !hasClosure { unsafe self.handler = unsafe handler }
    job.value = unsafe value.pointee
    if outcome.isRejected { job.state |= Job.rejected }
    promise.clearSource()
    return unsafe Submission.submit(job, to: executor)
  }

  /// Calls the handler, settles the promise, and runs the reactions attached to it.
  func settlePromise() {
    let promise = job.promise
    var value = job.value
    let outcome = job.outcome
    let handler = unsafe self.handler
    unsafe Submission.end(ref, settling: promise) {
      let id = promise.id
      if Observation.isOn { Trace.note(.began, id, executor: executor) }
      let result = Settlement.running(promise, of: promise) {
        unsafe perform(handler, &value, outcome, settling: promise)
      }
      if Observation.isOn { promise.noteEnd(id, result) }
      value.release()
      job.freeCell()
      return result
    }
  }

  /// Rejects the promise, and runs the reactions attached to it.
  func rejectPromise() {
    let promise = job.promise
    unsafe Submission.end(ref, settling: promise) {
      Settlement.running(promise, of: promise) {
        job.value.release()
        abandon()
        let result = promise.conclude(Fault.closed.value, .rejected)
        if Observation.isOn, case .settled = result { promise.noteSettlement(.rejected) }
        return result
      }
    }
  }
}
