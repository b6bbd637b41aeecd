import Synchronization

/// The state that a `detaching` pending promise keeps of its list of reactions: the progress of a search for interest,
/// and a count of the detached reactions. Guarded by hold(), in the promise's `value`:
///
///   kind         box           bits
///   count |28|   order |28|    generation of the source |32| flags |28| end
///         newest       current
///
/// The search: the reactions from `newest` down to `current` are not interested. `current` is examined next, and so on
/// down to `end`; the reactions from `end` on are not interested either.
///
/// There is no space to count all detached reactions, so one in 2^order is counted, selected by its index. The list is
/// swept when 16 are counted: then about as many are detached as were waiting after the last sweep. So the amortized
/// cost of sweeps is constant per detached reaction.
struct DetachState {
  private var newest: UInt32 = 0
  private var current: UInt32 = 0
  private var end: UInt32 = 0
  private var count: UInt32 = 0
  private var order: UInt32 = 0
  /// Whether a reaction lost interest, possibly the last interested one.
  var isWithdrawn = false
  /// Whether a rejection counts as handled by a reaction that was detached (Unhandled.swift).
  var isTaken = false

  private static var indexMask: UInt32 { 0x0fff_ffff }
  private static var shift: UInt32 { 28 }
  private static var limit: UInt32 { 15 }

  init() {}

  init(_ value: CellValue) {
    let low = UInt32(truncatingIfNeeded: value.bits)
    newest = value.kind & DetachState.indexMask
    count = value.kind >> DetachState.shift
    current = value.box & DetachState.indexMask
    end = low & DetachState.indexMask
    order = value.box >> DetachState.shift | (low >> DetachState.shift & 1) << 4
    isWithdrawn = low >> DetachState.shift & 2 != 0
    isTaken = low >> DetachState.shift & 4 != 0
  }

  func value(generation: UInt32) -> CellValue {
    let low = end | (order >> 4 | (isWithdrawn ? 2 : 0) | (isTaken ? 4 : 0)) << DetachState.shift
    return CellValue(
      kind: ValueKind(rawValue: newest | count << DetachState.shift), bits: UInt64(generation) << 32 | UInt64(low),
      box: current | (order & 15) << DetachState.shift)
  }

  /// Whether none of the reactions in a list is interested. Uninterested ones are not examined again, so requests for a
  /// million reactions, one by one and in any order, take linear time.
  mutating func isWithoutInterest(newest latest: UInt32) -> Bool {
    while true {
      while current != end {
        let reaction = CellRef(index: current)
        if reaction.isInterested { return false }
        current = reaction.next
      }
      if newest == latest { return true }
      end = newest
      newest = latest
      current = latest
    }
  }

  /// Adjusts to the removal of a detached reaction, whose successor is `next`.
  mutating func skip(_ index: UInt32, to next: UInt32) {
    if newest == index { newest = next }
    if current == index { current = next }
    if end == index { end = next }
    if isCounted(index) && count > 0 { count -= 1 }
  }

  /// Counts a detached reaction that stays in the list; true if a sweep is due.
  mutating func add(_ index: UInt32) -> Bool {
    guard isCounted(index) else { return false }
    if count == DetachState.limit { return true }
    count += 1
    return false
  }

  /// Restarts the count after a sweep that left `waiting` reactions.
  mutating func restart(waiting: UInt32) {
    count = 0
    order = waiting < 32 ? 0 : UInt32(31 - 4 - waiting.leadingZeroBitCount)
  }

  private func isCounted(_ index: UInt32) -> Bool {
    // A shift by all 32 bits, with order 0, yields 0.
    (index &* 0x9e37_79b1) >> (32 - order) == 0
  }
}

extension CellRef {
  /// The state of detaching of this promise, which is held; a new one if it has none yet.
  var detachState: DetachState {
    get {
      state.isDetaching ? DetachState(value) : DetachState()
    }
    nonmutating set {
      value = newValue.value(generation: UInt32(truncatingIfNeeded: value.bits >> 32))
      setFlags(CellState.Pending.detaching)
    }
  }

  /// Removes detached reactions from the front of the list, up to the first waiting one, passing at most `limit`
  /// cancel-request handlers. Returns true if it stopped before the end of the list. The promise is held; the removed
  /// reactions are pushed on `removed`.
  func trim(_ detachState: inout DetachState, past limit: Int, removed: inout UInt32) -> Bool {
    var next = popDetached(&detachState, &removed)
    var last = CellRef(index: next)
    var passed = 0
    while next != 0 {
      let reaction = CellRef(index: next)
      if reaction.reactionKind == .detached {
        next = last.unlinkNext(&detachState, &removed)
        continue
      }
      passed += 1
      if reaction.isWaiting || passed > limit { return true }
      last = reaction
      next = reaction.next
    }
    return false
  }

  /// Removes all detached reactions from the list. Call with the promise held.
  func sweep(_ detachState: inout DetachState, removed: inout UInt32) {
    var waiting: UInt32 = 0
    var next = popDetached(&detachState, &removed)
    var last = CellRef(index: next)
    while next != 0 {
      let reaction = CellRef(index: next)
      if reaction.reactionKind == .detached {
        next = last.unlinkNext(&detachState, &removed)
      } else {
        waiting += 1
        last = reaction
        next = reaction.next
      }
    }
    detachState.restart(waiting: waiting)
  }

  /// Pops detached reactions while they are the newest, and returns the newest other one. New reactions may be pushed
  /// concurrently.
  private func popDetached(_ detachState: inout DetachState, _ removed: inout UInt32) -> UInt32 {
    var state = self.state
    while true {
      let head = state.head
      guard head != 0, CellRef(index: head).reactionKind == .detached else { return head }
      let reaction = CellRef(index: head)
      let next = reaction.next
      let rest = state.bits & ~CellState.headMask | UInt64(next) << CellState.headShift
      guard exchange(&state, for: rest) == .replaced else { continue }
      reaction.remove(before: next, &detachState, &removed)
      state = self.state
    }
  }

  /// Removes the reaction after this one, and returns its successor.
  private func unlinkNext(_ detachState: inout DetachState, _ removed: inout UInt32) -> UInt32 {
    let reaction = CellRef(index: next)
    next = reaction.next
    reaction.remove(before: next, &detachState, &removed)
    return next
  }

  private func remove(before next: UInt32, _ detachState: inout DetachState, _ removed: inout UInt32) {
    detachState.skip(index, to: next)
    self.next = removed
    removed = index
  }

  /// Whether this entry of a list depends on the outcome.
  private var isWaiting: Bool {
    switch reactionKind {
    case .cancelHandler, .detached: false
    case .observe: unsafe function != nil || rejectionObserver != nil
    default: true
    }
  }

  /// Releases the list's references to removed reactions.
  static func releaseRemoved(_ first: UInt32) {
    for reaction in ReactionList(first) {
      reaction.leaveList()
      reaction.release()
    }
  }
}
