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
  private var interest: Interest {
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
  ///
  /// The reactions found without interest are not looked at again, so that asking for a million of them one by one
  /// takes linear time whatever the order: while the promise is pending, its `value` is free to hold how far the look
  /// has come.
  func desert() -> Bool {
    guard hold() else { return false }
    defer { letGo() }
    if unsafe cell.pointee.state.load(ordering: .relaxed) & CellState.deserted == 0 {
      unsafe cell.pointee.value = InterestSearch.start
      unsafe cell.pointee.state.bitwiseOr(CellState.deserted, ordering: .relaxed)
      // A release that is about to happen, and has seen no desertion, must notice: its exchange fails.
      unsafe cell.pointee.life.bitwiseOr(Life.weak, ordering: .releasing)
    }
    return isWithoutInterest()
  }

  /// Whether the cell is a promise that has been deserted, and not asked to cancel yet.
  func isDeserted(_ life: UInt64) -> Bool {
    life & (Life.kindMask | Life.weak) == CellKind.promise.rawValue << Life.kindShift | Life.weak && state.isDeserted
  }

  /// Gives back the last but one reference to a deserted promise, or asks the promise to cancel: nobody is interested
  /// in it but the caller, whose reference is about to go. False if the caller has to look anew.
  func releaseDeserted(_ life: inout UInt64) -> Bool {
    guard hold() else { return exchange(&life, for: life &- 1) }
    guard isWithoutInterest() else {
      // While it is held: interest that goes after this look finds the reference gone.
      let isReleased = exchange(&life, for: life &- 1)
      letGo()
      return isReleased
    }
    let reason = deserterReason()
    letGo()
    requestCancel(reason)
    reason.release()
    life = unsafe cell.pointee.life.load(ordering: .acquiring)
    return false
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

  /// Whether none of the reactions is interested. The promise is held and deserted.
  private func isWithoutInterest() -> Bool {
    var search = unsafe InterestSearch(cell.pointee.value)
    let isOver = search.isOver(newest: state.head)
    unsafe cell.pointee.value = search.value
    return isOver
  }
}

/// How far a look for interested reactions has come: from `newest` down to `current` there is none, and `current` is to
/// be looked at next, until `end` is reached; below `end` there is none either.
private struct InterestSearch {
  private var newest: UInt32
  private var current: UInt32
  private var end: UInt32

  static var start: CellValue { CellValue(kind: ValueKind(rawValue: 0)) }

  init(_ value: CellValue) {
    newest = value.kind
    current = value.box
    end = UInt32(truncatingIfNeeded: value.bits)
  }

  var value: CellValue { CellValue(kind: ValueKind(rawValue: newest), bits: UInt64(end), box: current) }

  mutating func isOver(newest latest: UInt32) -> Bool {
    while true {
      while current != end {
        let reaction = CellRef(index: current)
        if reaction.isInterested { return false }
        current = unsafe reaction.cell.pointee.next
      }
      if newest == latest { return true }
      end = newest
      newest = latest
      current = latest
    }
  }
}
