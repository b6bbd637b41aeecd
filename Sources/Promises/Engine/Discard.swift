import Synchronization

/// The flags in `meta` of a promise with a discard block, which has no reaction.
enum DiscardBlock {
  /// `function`, `context` and `free` are the block.
  static var exists: UInt32 { 1 << 11 }
  /// The context is a `DemandBlock` (OnDemand.swift).
  static var onDemand: UInt32 { 1 << 14 }
  /// The context is the timer that would settle the promise.
  static var timed: UInt32 { 1 << 10 }
  /// The context is the event of a queue, whose taker settles the promise.
  static var answerable: UInt32 { 1 << 16 }
}

extension CellRef {
  /// Returns a pending promise with a discard block: `function` is called with the context when the promise is
  /// discarded (clause 3.3.3).
  package static func discardable(_ function: FreeFunction?, _ context: Context) -> CellRef? {
    guard let promise = CellRef.promise() else {
      context.release()
      return nil
    }
    promise.startState(CellState.Pending.slow)
    unsafe promise.setDiscardBlock(function, context)
    return promise
  }

  /// Gives a promise without a reaction a discard block. No other thread reads these fields.
  func setDiscardBlock(_ function: FreeFunction?, _ context: Context) {
    meta = ReactionKind.none.rawValue | DiscardBlock.exists
    unsafe self.function = unsafe unsafeBitCast(function, to: UnsafeMutableRawPointer?.self)
    reactionContext = context
  }

  /// Whether the promise has a discard block. `state`: its state while pending, from before a settlement if there was
  /// one.
  func isDiscardable(_ state: CellState) -> Bool {
    let kind = ReactionKind.mask | DiscardBlock.exists
    return state.isSlow && meta & kind == ReactionKind.none.rawValue | DiscardBlock.exists
  }

  /// Discards the promise, if it is pending. It is rejected first, then its block is called, then its reactions run, so
  /// the block cannot change the reason (clauses 2.4.2 and 3.5.1). Takes ownership of the reason, a DISCARDED.
  package func discard(_ reason: CellValue = CellValue(kind: .discarded)) -> SettleStatus {
    guard claim() == .won else {
      awaitPublication()
      reason.release()
      return .refused
    }
    let isKept = retain()
    let source = claimedSource()
    let before = publishInOrder(reason, .rejected)
    if Observation.isOn { noteSettlement(.rejected) }
    let life = lifeWord
    if before.isWaited { wake() }
    source?.detach(self, isTaken: false)
    let hasBlock = isDiscardable(before)
    // The block may release the promise, and with it the reason.
    let retained = hasBlock && reason.isOwning && reason.retain()
    if hasBlock {
      let context = reactionContext
      let function = unsafe self.function
      Settlement.running(nil, of: self, rest: before.head) {
        if let function = unsafe function { unsafe unsafeBitCast(function, to: FreeFunction.self)(context.pointer) }
        context.release()
      }
    }
    if before.head != 0 { runReactions(newest: before.head, reason, .rejected, life: life) }
    if retained { reason.release() }
    source?.releaseLeftSource()
    if isKept { release() }
    return .settled
  }
}
