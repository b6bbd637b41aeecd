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
  fileprivate var isInterested: Bool {
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
    }
    return isWithoutInterest()
  }

  /// Asks the promise to cancel if nobody is interested in it but the caller, whose reference is about to go: the other
  /// one is that of whoever will settle it.
  @inline(__always)
  func requestCancelIfAbandoned() {
    let life = unsafe cell.pointee.life.load(ordering: .relaxed)
    guard life & Life.kindMask == CellKind.promise.rawValue << Life.kindShift, state.isDeserted else { return }
    if isAbandoned { requestCancel() }
  }

  @inline(never)
  private var isAbandoned: Bool {
    guard hold() else { return false }
    defer { letGo() }
    return isWithoutInterest()
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
