import Synchronization

// Unhandled rejections.
//
// While there is an observer for them, a rejected promise is marked `unseen`. The mark is cleared when the rejection is
// handled: by a callback or derived promise that is attached, or by a call that returns the reason or the rejected
// state. A promise destroyed with the mark is reported. So there are no false alarms: the report is made when nothing
// can handle the rejection any more. A derived promise handles the rejection by being rejected itself; then it has the
// mark.
//
// A promise that has a reaction for rejections when it is settled is not marked. Neither is a promise from which such a
// reaction was detached because another input or a timer settled the reaction's own promise earlier: the losers of a
// race, the source of a time-out that has passed. Otherwise timing would decide whether such promises are reported. A
// promise that the program settles before its source does not handle the rejection. A discarded promise is not marked,
// because a discard is intended.
//
// The follower of a promise's publisher handles the rejection when a subscriber gets the end. An abandoned promise that
// a timer would have rejected is rejected at once.
extension CellState {
  @inline(__always) var isUnseen: Bool {
    bits & (CellState.settled | CellState.Settled.unseen) == CellState.settled | CellState.Settled.unseen
  }
}

extension CellRef {
  /// The state, for a caller that learns from it whether the promise is rejected: counts as handling the rejection.
  package var seenState: CellState {
    let state = self.state
    if state.isUnseen { see() }
    return state
  }

  /// Marks the rejection as handled.
  @inline(never)
  func see() { clearFlags(CellState.Settled.unseen) }

  /// Publishes a rejection while an observer is installed.
  @inline(never)
  func publishRejection(_ value: CellValue, isPromise: Bool, flags: UInt64) -> CellState {
    let settled =
      CellState.claimed | CellState.settled | CellState.Settled.rejected
      | (value.isOwning ? CellState.Settled.owning : 0) | flags
    let counts =
      Observation.wants(.unhandledRejections) && isPromise && value.kind != ValueKind.discarded.rawValue
      && !detachState.isTaken
    self.value = value
    var before = state
    while true {
      let desired = settled | (counts && !isTaken(value, newest: before.head) ? CellState.Settled.unseen : 0)
      if exchange(&before, for: desired) == .replaced { return before }
    }
  }

  /// Whether a reaction handles a rejection. The promise is claimed, so its reactions stay.
  private func isTaken(_ reason: CellValue, newest: UInt32) -> Bool {
    for reaction in ReactionList(newest) {
      if reaction.takesRejection(reason) { return true }
    }
    return false
  }

  /// Whether this reaction handles a rejection with the reason.
  func takesRejection(_ reason: CellValue) -> Bool {
    switch reactionKind {
    case .cancelHandler, .detached: return false
    case .observe where unsafe rejectionObserver == nil: return false
    // The bits of its type are where others have their use.
    case .rescue: return true
    default: break
    }
    switch RejectionUse(rawValue: meta & ReactionKind.rejectionUse) {
    case .ignored: return false
    #if !hasFeature(Embedded)
    case .chosen:
      let closure = unsafe reactionKind == .job ? job.ref.closure : closure
      var question = CellValue.question
      return unsafe closure.pointee.body(true, reason, &question) == .leave
    #endif
    default: return true
    }
  }
}

extension CellValue {
  /// No value: see `RejectionUse.chosen`.
  static var question: CellValue { CellValue(kind: .void, bits: .max) }
  @usableFromInline var isQuestion: Bool { kind == ValueKind.void.rawValue && bits == .max }
}
