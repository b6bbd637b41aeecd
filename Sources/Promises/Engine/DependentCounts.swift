/// Counts of the dependents of a pending promise, for debugging a promise that stays pending.
package struct DependentCounts {
  /// The number of reactions to its settlement.
  package var callbacks = 0
  /// The number of cancel-request handlers.
  package var cancelHandlers = 0
  /// The number of reactions whose interest blocks cancel requests.
  package var interested = 0
  /// Whether a reference to it does not count as interest.
  package var isSealed = false
}

extension CellRef {
  /// The counts as of now; nil if the promise is settled, or being settled.
  package var dependentCounts: DependentCounts? {
    guard hold() == .held else { return nil }
    defer { unhold() }
    let state = self.state
    var dependentCounts = DependentCounts()
    dependentCounts.isSealed = state.isSealed
    for reaction in ReactionList(state.head) {
      if reaction.reactionKind == .detached { continue }
      if reaction.reactionKind != .cancelHandler {
        dependentCounts.callbacks += 1
        if reaction.isInterested { dependentCounts.interested += 1 }
      } else if !reaction.isCancelReason {
        dependentCounts.cancelHandlers += 1
      }
    }
    return dependentCounts
  }
}
