import Synchronization

// A derived promise is abandoned when its last reference but the settler's is released, nothing waits for it, and it
// has no handler or its cancellation was requested before. So is a promise made by a gather, a link or a timer, when
// the maker has the last reference. An abandoned promise is discarded, which no one can observe, and detached from its
// source, which may then be abandoned, too.
//
// A promise that can be abandoned is marked as weakly referenced, which makes its releases take the path below.
extension CellRef {
  /// Whether the cell is a pending promise whose releases are checked.
  func isWatched(_ life: UInt64) -> Bool {
    life & (Life.kindMask | Life.weak) == CellKind.promise.rawValue << Life.kindShift | Life.weak && !state.isClaimed
  }

  /// Releases the second-to-last reference to a promise whose releases are checked; the settler's reference remains.
  @inline(never)
  func releaseWatched(_ life: inout UInt64) -> Release { releaseWatched(&life, abandons: true) }

  private func releaseWatched(_ life: inout UInt64, abandons: Bool) -> Release {
    guard hold() == .held else { return releaseLastButOne(&life) }
    if isWithdrawnWhileHeld && isWithoutInterest() {
      unholdAndRequestCancel()
      life = acquiredLife
      return .retry
    }
    var removed: UInt32 = 0
    guard abandons && isUnwanted(&removed) else {
      // Released while it is held: a reaction that loses interest after this check finds the reference released.
      let exchange = exchange(&life, for: life &- 1)
      unhold()
      CellRef.releaseRemoved(removed)
      return exchange == .replaced ? .released : .retry
    }
    guard claimHeld() == .won else {
      CellRef.releaseRemoved(removed)
      return exchange(&life, for: life &- 1) == .replaced ? .released : .retry
    }
    // A loop instead of recursion, because chains are long.
    var left = leave(removed)
    while let source = left { left = source.releaseAndLeave() }
    return .released
  }

  /// Releases a reference to the source of an abandoned promise. If that abandons the source, returns the source's own
  /// source, with a reference for the caller.
  private func releaseAndLeave() -> CellRef? {
    propagateWaitingRequest()
    let life = acquiredLife
    if life & Life.referencesMask == 2 && isWatched(life) && hold() == .held {
      var removed: UInt32 = 0
      let isUnwanted = self.isUnwanted(&removed)
      if isUnwanted && claimHeld() == .won { return leave(removed) }
      if !isUnwanted { unhold() }
      CellRef.releaseRemoved(removed)
    }
    release()
    return nil
  }

  /// Releases a reference that was taken temporarily, without abandoning the promise.
  func releaseBorrowed() {
    var life = acquiredLife
    while life & Life.referencesMask == 2 && isWatched(life) {
      if releaseWatched(&life, abandons: false) == .released { return }
    }
    release()
  }

  /// Discards this promise, which the caller has claimed, and releases the caller's reference, and reactions that were
  /// removed from its list. Returns its source, with a reference for the caller.
  private func leave(_ removed: UInt32) -> CellRef? {
    let source = claimedSource()
    // A rejection that counts as handled here, after a time limit has passed, counts as handled upstream, too.
    let isTaken = detachState.isTaken
    // No thread waits for it: each one has a reference for the time of its wait.
    let before = publish(delayedReason ?? CellValue(kind: .discarded), .rejected)
    // User code runs only after the publication, for which a call that settles this promise waits.
    source?.detach(self, isTaken: isTaken)
    CellRef.releaseRemoved(removed)
    if isDiscardable(before) { releaseContextInTurn() }
    CellRef.orphan(Settlement.reversed(before.head))
    release()
    return source
  }

  /// Whether this promise is unwanted, given that only the caller and the settler have references. Call with the
  /// promise held.
  private func isUnwanted(_ removed: inout UInt32) -> Bool {
    let state = self.state
    let isAsked = state.isCancelRequested
    switch reactionKind {
    case .follow: guard state.source != 0, interest != .lasting else { return false }
    case .then, .rescue, .completion: guard state.source != 0, isAsked else { return false }
    case .job: guard state.source != 0, isOwn || !job.hasClosure && isAsked else { return false }
    case .closure: guard state.source != 0, isOwn else { return false }
    case .delay: guard state.source != 0 else { return false }
    case .none: guard !isOrphan else { return false }
    default: return false
    }
    var detachState = self.detachState
    let isWaitedFor = trim(&detachState, past: .max, removed: &removed)
    self.detachState = detachState
    return !isWaitedFor && (reactionKind != .none || hasMaker())
  }

  /// Whether this promise, which nothing waits for, still has its maker: a gather, a timer, or the link to its source.
  private func hasMaker() -> Bool {
    let state = self.state
    for reaction in ReactionList(state.head) {
      let handler = CancelHandler(reaction)
      if reaction.reactionKind == .cancelHandler, handler.isOfMaker {
        // A destroyed link has cleared the source.
        return state.source != 0 || !handler.propagates || handler.target.isGather
      }
    }
    return false
  }
}
