import Synchronization

// The trace points of the engine. Called only while observation is on.
extension CellRef {
  /// Records the creation of a promise without a source.
  @inline(never)
  func noteCreation() {
    guard Observation.wants(.trace) else { return }
    CreationTimes.note(self)
    Trace.note(.created, id)
  }

  @inline(never)
  func noteDerivation(from source: CellRef) {
    guard Observation.wants(.trace), reactionKind != .cancelHandler else { return }
    guard isPromise else { return Trace.note(.attached, tracedID, parent: source.id) }
    CreationTimes.note(self)
    Trace.note(.created, id, parent: source.id)
  }

  /// Records that the promise begins to follow another.
  @inline(never)
  func noteAttachment(to source: CellRef) { Trace.note(.attached, id, parent: source.id) }

  @inline(never)
  func noteSettlement(_ outcome: Outcome) { Trace.note(.settled, id, state: outcome.isRejected ? 3 : 2) }

  /// Records that the promise is destroyed while pending.
  func noteDrop() {
    if isPromise { Trace.note(.dropped, id) }
  }

  /// Records the return of the callback that settles this promise. The id is passed because the promise may be
  /// destroyed by now.
  @inline(never)
  func noteEnd(_ id: UInt64, _ result: ReactionResult) {
    if case .settled = result { Trace.note(.settled, id, state: outcome.isRejected ? 3 : 2) }
    Trace.note(.ended, id)
  }

  /// Calls react() and records trace events.
  @inline(never)
  func reactObserved(to value: UnsafePointer<CellValue>, _ outcome: Outcome, shared: Bool = true) -> ReactionResult {
    guard Observation.wants(.trace) else { return unsafe react(to: value, outcome, shared: shared) }
    let id = tracedID
    let runs = unsafe runsCallback(value.pointee, outcome)
    if runs { Trace.note(.began, id) }
    let result = unsafe react(to: value, outcome, shared: shared)
    if runs {
      noteEnd(id, result)
    } else if case .settled = result {
      Trace.note(.settled, id, state: self.outcome.isRejected ? 3 : 2)
    }
    return result
  }

  /// The id of the promise that this reaction settles, or of the reaction itself if it settles none. That one has no
  /// kind, so that it resolves to no object.
  private var tracedID: UInt64 {
    switch reactionKind {
    case .link: contextCell.id
    case .input: Gather(contextCell).result.id
    default: isPromise ? id : id & ~Life.kindMask
    }
  }

  /// Whether this reaction calls user code inline for this outcome.
  private func runsCallback(_ value: CellValue, _ outcome: Outcome) -> Bool {
    switch reactionKind {
    case .then: !outcome.isRejected
    case .rescue:
      outcome.isRejected && TypeRegistry.matches(value, reactionType)
    case .closure, .callback, .finally: true
    case .observe: unsafe outcome.isRejected ? rejectionObserver != nil : function != nil
    case .job: job.runsAtOnce(value, outcome)
    default: false
    }
  }
}
