import Synchronization

/// The state that a `tallied` pending promise keeps of its list of reactions: the progress of a search for interest,
/// and how many are detached. Guarded by hold(), in the promise's `value`:
///
///   kind         box           bits
///   count |28|   order |28|    generation of the source |32| flags |28| end
///         newest       current
///
/// The search: from `newest` down to `current` nobody is interested, and `current` is to be looked at next, until `end` is
/// reached; below `end` there is none either.
///
/// Of the detached reactions one in 2^order is counted, by its index, for there is no room for more; 16 of those counted
/// stand for as many as waited when the list was last gone through. So going through it is paid for by those detached.
struct Tally {
  private var newest: UInt32 = 0
  private var current: UInt32 = 0
  private var end: UInt32 = 0
  private var count: UInt32 = 0
  private var order: UInt32 = 0
  /// Interest has gone that may have been the last.
  var isDeserted = false

  private static var indexMask: UInt32 { 0x0fff_ffff }
  private static var shift: UInt32 { 28 }
  private static var limit: UInt32 { 15 }

  init() {}

  init(_ value: CellValue) {
    let low = UInt32(truncatingIfNeeded: value.bits)
    newest = value.kind & Tally.indexMask
    count = value.kind >> Tally.shift
    current = value.box & Tally.indexMask
    end = low & Tally.indexMask
    order = value.box >> Tally.shift | (low >> Tally.shift & 1) << 4
    isDeserted = low >> Tally.shift & 2 != 0
  }

  func value(generation: UInt32) -> CellValue {
    let low = end | (order >> 4 | (isDeserted ? 2 : 0)) << Tally.shift
    return CellValue(
      kind: ValueKind(rawValue: newest | count << Tally.shift), bits: UInt64(generation) << 32 | UInt64(low),
      box: current | (order & 15) << Tally.shift)
  }

  /// Whether none of the reactions in a list is interested. Those found so are not looked at again, so that asking for a
  /// million of them one by one takes linear time whatever the order.
  mutating func isWithoutInterest(newest latest: UInt32) -> Bool {
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

  /// A detached reaction has been taken out of the list, before the one at `next`.
  mutating func skip(_ index: UInt32, to next: UInt32) {
    if newest == index { newest = next }
    if current == index { current = next }
    if end == index { end = next }
    if isCounted(index) && count > 0 { count -= 1 }
  }

  /// Notes a detached reaction that is in the list; true if it is time to go through that.
  mutating func add(_ index: UInt32) -> Bool {
    guard isCounted(index) else { return false }
    if count == Tally.limit { return true }
    count += 1
    return false
  }

  /// The list has been gone through: so many wait.
  mutating func restart(waiting: UInt32) {
    count = 0
    order = waiting < 32 ? 0 : UInt32(31 - 4 - waiting.leadingZeroBitCount)
  }

  private func isCounted(_ index: UInt32) -> Bool {
    order == 0 || (index &* 0x9e37_79b1) >> (32 - order) == 0
  }
}

extension CellRef {
  /// The tally of this promise, which is held; a new one if there was none.
  var tally: Tally {
    get {
      guard unsafe cell.pointee.state.load(ordering: .relaxed) & CellState.tallied != 0 else { return Tally() }
      return unsafe Tally(cell.pointee.value)
    }
    nonmutating set {
      unsafe cell.pointee.value = unsafe newValue.value(
        generation: UInt32(truncatingIfNeeded: cell.pointee.value.bits >> 32))
      unsafe cell.pointee.state.bitwiseOr(CellState.tallied, ordering: .relaxed)
    }
  }

  /// Takes detached reactions out at the beginning of the list, up to the first that waits, past so many handlers of
  /// requests. Whether it found one that waits. The promise is held; the list of what was taken out begins with `removed`.
  func trim(_ tally: inout Tally, past limit: Int, removed: inout UInt32) -> Bool {
    var next = popDetached(&tally, &removed)
    var last = CellRef(index: next)
    var passed = 0
    while next != 0 {
      let reaction = CellRef(index: next)
      if reaction.reactionKind == .detached {
        next = last.unlinkNext(&tally, &removed)
        continue
      }
      passed += 1
      if reaction.isWaiting || passed > limit { return true }
      last = reaction
      next = unsafe reaction.cell.pointee.next
    }
    return false
  }

  /// Goes through the list, and takes out all that are detached. The promise is held.
  func sweep(_ tally: inout Tally, removed: inout UInt32) {
    var waiting: UInt32 = 0
    var next = popDetached(&tally, &removed)
    var last = CellRef(index: next)
    while next != 0 {
      let reaction = CellRef(index: next)
      if reaction.reactionKind == .detached {
        next = last.unlinkNext(&tally, &removed)
      } else {
        waiting += 1
        last = reaction
        next = unsafe reaction.cell.pointee.next
      }
    }
    tally.restart(waiting: waiting)
  }

  /// Takes out detached reactions while they are the newest, and returns the newest other one. Others may be pushed on
  /// them meanwhile.
  private func popDetached(_ tally: inout Tally, _ removed: inout UInt32) -> UInt32 {
    var current = unsafe cell.pointee.state.load(ordering: .acquiring)
    while true {
      let head = CellState(current).head
      guard head != 0, CellRef(index: head).reactionKind == .detached else { return head }
      let reaction = CellRef(index: head)
      let next = unsafe reaction.cell.pointee.next
      let (exchanged, original) = unsafe cell.pointee.state.weakCompareExchange(
        expected: current, desired: current & ~CellState.headMask | UInt64(next) << CellState.headShift,
        successOrdering: .acquiringAndReleasing, failureOrdering: .acquiring)
      guard exchanged else {
        current = original
        continue
      }
      reaction.remove(before: next, &tally, &removed)
      current = unsafe cell.pointee.state.load(ordering: .acquiring)
    }
  }

  /// Takes out the reaction after this one, and returns the one after that.
  private func unlinkNext(_ tally: inout Tally, _ removed: inout UInt32) -> UInt32 {
    let reaction = unsafe CellRef(index: cell.pointee.next)
    let next = unsafe reaction.cell.pointee.next
    unsafe cell.pointee.next = next
    reaction.remove(before: next, &tally, &removed)
    return next
  }

  private func remove(before next: UInt32, _ tally: inout Tally, _ removed: inout UInt32) {
    tally.skip(index, to: next)
    unsafe cell.pointee.next = removed
    removed = index
  }

  /// Whether this entry of a list has anything to do with the outcome.
  private var isWaiting: Bool {
    switch reactionKind {
    case .cancelHandler, .detached: false
    case .observe: unsafe cell.pointee.function != nil || cell.pointee.value.bits != 0
    default: true
    }
  }

  /// Gives back the list's references to what was taken out of it.
  static func releaseRemoved(_ first: UInt32) {
    var next = first
    while next != 0 {
      let reaction = CellRef(index: next)
      next = unsafe reaction.cell.pointee.next
      reaction.release()
    }
  }
}
