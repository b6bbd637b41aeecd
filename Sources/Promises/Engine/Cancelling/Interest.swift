import Synchronization

/// Whether a reaction shows interest in its source. A source that nobody is interested in any more is asked to cancel.
///
/// In bits 4 and 5 of `meta`; a `rescue`, whose type is there, is `counted`.
package struct Interest: Equatable {
  let rawValue: UInt32
  /// Until its promise is asked to cancel.
  package static var counted: Interest { Interest(rawValue: 0) }
  /// None of its own, so it keeps nobody's request back; but its promise can be asked to cancel, and then passes that on.
  package static var quiet: Interest { Interest(rawValue: 1) }
  /// None, and requests go no further.
  package static var none: Interest { Interest(rawValue: 2) }
  /// For good: requests go no further.
  package static var lasting: Interest { Interest(rawValue: 3) }
}

extension CellRef {
  /// The interest that this promise's reaction shows in its source.
  var interest: Interest {
    reactionKind == .rescue
      ? .counted : unsafe Interest(rawValue: cell.pointee.meta >> ReactionKind.typeShift & 3)
  }

  /// Whether requests for this promise to cancel concern its source.
  var passesRequestsOn: Bool { interest == .counted || interest == .quiet }

  /// Whether this reaction's interest keeps its source from being asked to cancel.
  var isInterested: Bool {
    if interest == .lasting { return true }
    guard interest == .counted && reactionKind != .cancelHandler else { return false }
    let gone = CellState.cancelRequested | CellState.claimed | CellState.settled
    return unsafe cell.pointee.state.load(ordering: .relaxed) & gone == 0
  }

  /// Notes that the interest of one of this promise's reactions is gone; true if that was the last, and the promise can
  /// be asked to cancel on that ground.
  func desert() -> Bool {
    guard hold() else { return false }
    defer { letGo() }
    if !isDesertedWhileHeld {
      var tally = self.tally
      tally.isDeserted = true
      self.tally = tally
      // A release that is about to happen, and has seen no desertion, must notice: its exchange fails.
      watch()
    }
    return isWithoutInterest()
  }

  /// Whether interest in this promise, which is held, has gone that may have been the last, and nobody has acted on that.
  var isDesertedWhileHeld: Bool {
    state.bits & CellState.cancelRequested == 0 && tally.isDeserted
  }

  /// Why one of the reactions' promises was asked to cancel, as a reference of the caller's; VOID if nobody said. The
  /// promise is held.
  func deserterReason() -> CellValue {
    var next = state.head
    while next != 0 {
      let reaction = CellRef(index: next)
      next = unsafe reaction.cell.pointee.next
      guard reaction.reactionKind != .cancelHandler, reaction.passesRequestsOn, reaction.isCancelRequested else {
        continue
      }
      let reason = reaction.cancelReason()
      if reason.kind != ValueKind.void.rawValue { return reason }
    }
    return .void
  }

  /// Whether none of the reactions is interested. The promise is held.
  func isWithoutInterest() -> Bool {
    var tally = self.tally
    let isOver = tally.isWithoutInterest(newest: state.head)
    self.tally = tally
    return isOver
  }
}
