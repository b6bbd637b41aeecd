/// What waits for a pending promise, counted: for people who look for what holds it up.
package struct Census {
  /// Reactions to its settlement.
  package var callbacks = 0
  /// Handlers of a request to cancel it.
  package var cancelHandlers = 0
  /// The reactions whose interest keeps it from being asked to cancel.
  package var interested = 0
  /// Whether holding it is no interest in it.
  package var isSealed = false
}

extension CellRef {
  /// Nil if the promise is settled, or is being.
  package var census: Census? {
    guard hold() else { return nil }
    defer { letGo() }
    let state = self.state
    var census = Census()
    census.isSealed = state.bits & CellState.sealed != 0
    var next = state.head
    while next != 0 {
      let reaction = CellRef(index: next)
      next = unsafe reaction.cell.pointee.next
      if reaction.reactionKind == .detached { continue }
      if reaction.reactionKind != .cancelHandler {
        census.callbacks += 1
        if reaction.isInterested { census.interested += 1 }
      } else if !reaction.isCancelReason {
        census.cancelHandlers += 1
      }
    }
    return census
  }
}
