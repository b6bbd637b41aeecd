import Synchronization

// Rejections that nobody takes.
//
// While somebody wants to hear of them, a promise that is rejected is marked `unseen`, and loses the mark when anybody
// takes the rejection: a callback or derived promise that is attached, a call that tells the reason or that the promise
// is rejected. A promise that goes with the mark is reported. So an alarm is never false: it comes when nobody can take
// the rejection any more. A derived promise takes it by being rejected itself, and the mark is its own then.
//
// One that has a reaction which takes rejections when it is settled is not marked at all. Nor is one that is
// discarded: that is what somebody wanted.
extension CellState {
  /// Once settled, in place of `slow`: the promise is rejected and nobody has taken that.
  static var unseen: UInt64 { 32 }
  @inline(__always) var isUnseen: Bool {
    bits & (CellState.settled | CellState.unseen) == CellState.settled | CellState.unseen
  }
}

extension CellRef {
  /// The state, for somebody who learns from it whether the promise is rejected.
  package var seenState: CellState {
    let state = self.state
    if state.isUnseen { see() }
    return state
  }

  /// Somebody takes the rejection.
  @inline(never)
  func see() { unsafe cell.pointee.state.bitwiseAnd(~CellState.unseen, ordering: .relaxed) }

  /// publish() of a rejection while somebody looks on. The value is written.
  @inline(never)
  func publishRejection(_ value: CellValue, isPromise: Bool, flags: UInt64) -> CellState {
    let settled =
      CellState.claimed | CellState.settled | CellState.rejected | (value.isOwning ? CellState.owning : 0) | flags
    let counts =
      Observation.wants(.unhandledRejections) && isPromise && value.kind != ValueKind.discarded.rawValue
    var before = unsafe CellState(cell.pointee.state.load(ordering: .acquiring))
    while true {
      let desired = settled | (counts && !isRejectionTaken(newest: before.head) ? CellState.unseen : 0)
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: before.bits, desired: desired, successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
      if exchanged { return before }
      before = CellState(original)
    }
  }

  /// Whether one of the reactions is for rejections. The promise is claimed: they stay.
  private func isRejectionTaken(newest: UInt32) -> Bool {
    var next = newest
    while next != 0 {
      let reaction = CellRef(index: next)
      if reaction.takesRejections { return true }
      next = unsafe reaction.cell.pointee.next
    }
    return false
  }

  /// Whether this reaction is for rejections too.
  var takesRejections: Bool {
    switch reactionKind {
    case .cancelHandler, .detached: false
    case .observe: unsafe cell.pointee.value.bits != 0
    default: true
    }
  }
}
