import Synchronization

// A derived promise is abandoned when its last holder lets go of it, nothing waits for it, and either it has no handler or
// it was asked to cancel before. So is one that a gather, a link or a timer makes, of which its maker has the last
// reference. It ends, discarded, with nobody to see that, and leaves its source, which may be abandoned thereby.
//
// A promise that this can happen to is marked as one with weak references, so that no release passes it by unseen.
extension CellRef {
  /// Has its releases looked at.
  func watch() { unsafe cell.pointee.life.bitwiseOr(Life.weak, ordering: .releasing) }

  /// Whether the cell is a pending promise whose releases are looked at.
  func isWatched(_ life: UInt64) -> Bool {
    life & (Life.kindMask | Life.weak) == CellKind.promise.rawValue << Life.kindShift | Life.weak && !state.isClaimed
  }

  /// Gives back the last but one reference to a promise whose releases are looked at. What remains is that of whoever
  /// will settle it. False if the caller has to look anew.
  @inline(never)
  func releaseWatched(_ life: inout UInt64) -> Bool { releaseWatched(&life, abandons: true) }

  private func releaseWatched(_ life: inout UInt64, abandons: Bool) -> Bool {
    guard hold() else { return releaseLastButOne(&life) }
    if isDesertedWhileHeld && isWithoutInterest() {
      letGoAndAsk()
      life = unsafe cell.pointee.life.load(ordering: .acquiring)
      return false
    }
    var removed: UInt32 = 0
    guard abandons && isUnwanted(&removed) else {
      // While it is held: interest that goes after this look finds the reference gone.
      let isReleased = exchange(&life, for: life &- 1)
      letGo()
      CellRef.releaseRemoved(removed)
      return isReleased
    }
    let isMine = claimHeld()
    CellRef.releaseRemoved(removed)
    guard isMine else { return exchange(&life, for: life &- 1) }
    // No recursion, however long the chain.
    var left = leave()
    while let source = left { left = source.releaseAndLeave() }
    return true
  }

  /// Gives back a reference to the source of what has left it. If it is abandoned thereby, returns its own source with a
  /// reference for the caller.
  private func releaseAndLeave() -> CellRef? {
    passWaitingRequestOn()
    let life = unsafe cell.pointee.life.load(ordering: .acquiring)
    if life & Life.referencesMask == 2 && isWatched(life) && hold() {
      var removed: UInt32 = 0
      let isUnwanted = self.isUnwanted(&removed)
      let isMine = isUnwanted && claimHeld()
      if !isUnwanted { letGo() }
      CellRef.releaseRemoved(removed)
      if isMine { return leave() }
    }
    release()
    return nil
  }

  /// Gives back a reference that was taken for a look: that is no reason to abandon the promise.
  func releaseBorrowed() {
    var life = unsafe cell.pointee.life.load(ordering: .acquiring)
    while life & Life.referencesMask == 2 && isWatched(life) {
      if releaseWatched(&life, abandons: false) { return }
    }
    release()
  }

  /// Ends this promise, which the caller has claimed and has a reference to give back. Returns its source with a reference
  /// for the caller.
  private func leave() -> CellRef? {
    let source = claimedSource()
    unsafe cell.pointee.value = CellValue(kind: .discarded)
    let settled = CellState.claimed | CellState.settled | CellState.rejected
    let before = unsafe CellState(cell.pointee.state.exchange(settled, ordering: .acquiringAndReleasing))
    if before.isWaited { wake() }
    source?.detach(self)
    if isDiscardable(before) { reactionContext.releaseInTurn() }
    CellRef.orphan(Settlement.reversed(before.head))
    release()
    return source
  }

  /// Whether nobody wants this promise, of which whoever will settle it has the last reference but the caller's. It is
  /// held.
  private func isUnwanted(_ removed: inout UInt32) -> Bool {
    let state = self.state
    let isAsked = state.bits & CellState.cancelRequested != 0
    switch reactionKind {
    case .follow: guard state.source != 0, interest != .lasting else { return false }
    case .then, .rescue, .completion: guard state.source != 0, isAsked else { return false }
    case .job:
      guard state.source != 0, !job.hasClosure, isAsked || job.isOwn else { return false }
    case .none: guard !isOrphan else { return false }
    default: return false
    }
    var tally = self.tally
    let isWaitedFor = trim(&tally, past: .max, removed: &removed)
    self.tally = tally
    return !isWaitedFor && (reactionKind != .none || hasMaker())
  }

  /// Whether what makes this promise, for which nothing waits, is there: a gather, a timer, or the link to its source.
  private func hasMaker() -> Bool {
    let state = self.state
    var next = state.head
    while next != 0 {
      let reaction = CellRef(index: next)
      if reaction.reactionKind == .cancelHandler, unsafe reaction.cell.pointee.meta & ReactionKind.ofMaker != 0 {
        // A link that has gone has taken the source along.
        return unsafe state.source != 0 || !reaction.passesOn || CellRef.from(reaction.cell.pointee.context).isGather
      }
      next = unsafe reaction.cell.pointee.next
    }
    return false
  }
}
