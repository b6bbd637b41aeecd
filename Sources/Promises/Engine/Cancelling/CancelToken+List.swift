/// The lists of a token: weak references, the newest first.
extension CancelToken {
  package enum List { case promises, tokens }

  /// Adds an entry, and removes the dead entries after it, up to the first whose cell is alive; sweeps the whole list
  /// from time to time. So a token that outlives many promises does not grow. False when memory has run out.
  func add(_ cell: WeakCell, flags: UInt32 = 0, to list: List) -> Bool {
    guard let entry = TokenEntry(cell.bits, flags: flags) else { return false }
    var swept: UInt32 = 0
    let dead = locked {
      let left = addsLeft(of: list)
      var next = first(of: list)
      let dead = next
      while next != 0, !TokenEntry(CellRef(index: next)).weak.isAlive { next = TokenEntry(CellRef(index: next)).next }
      entry.next = next
      setList(of: list, entry.ref.index, addsLeft: left &- 1)
      if left == 0 { swept = sweep(list, behind: entry) }
      return (first: dead, end: next)
    }
    TokenEntry.free(dead.first, upTo: dead.end)
    TokenEntry.free(swept, upTo: 0)
    return true
  }

  /// Removes all dead entries behind the newest one and returns them. The next sweep follows after as many adds as
  /// entries are left, so the amortized cost of an add is constant. Call with the token locked.
  private func sweep(_ list: List, behind newest: TokenEntry) -> UInt32 {
    var dead: UInt32 = 0
    var last = newest
    var alive: UInt32 = 1
    while last.next != 0 {
      let entry = TokenEntry(CellRef(index: last.next))
      if entry.weak.isAlive {
        last = entry
        alive += 1
        continue
      }
      last.next = entry.next
      entry.next = dead
      dead = entry.ref.index
    }
    setList(of: list, newest.ref.index, addsLeft: max(alive, 32))
    return dead
  }

  /// The number of entries of a list, including those of destroyed cells.
  package func count(of list: List) -> Int {
    locked {
      var count = 0
      var next = first(of: list)
      while next != 0 {
        count += 1
        next = TokenEntry(CellRef(index: next)).next
      }
      return count
    }
  }

  func freeList(of list: List) { TokenEntry.free(first(of: list), upTo: 0) }

  func first(of list: List) -> UInt32 { UInt32(truncatingIfNeeded: word(of: list)) }

  /// The number of adds until the next sweep of the list.
  private func addsLeft(of list: List) -> UInt32 { UInt32(truncatingIfNeeded: word(of: list) >> 32) }

  private func word(of list: List) -> UInt {
    switch list {
    case .promises: unsafe UInt(bitPattern: ref.function)
    case .tokens: unsafe UInt(bitPattern: ref.contextPointer)
    }
  }

  func setList(of list: List, _ first: UInt32, addsLeft: UInt32 = 0) {
    let word = unsafe UnsafeMutableRawPointer(bitPattern: UInt(first) | UInt(addsLeft) << 32)
    switch list {
    case .promises: unsafe ref.function = unsafe word
    case .tokens: unsafe ref.contextPointer = unsafe word
    }
  }
}

/// An entry of a token's list, or of a TokenStack.
///
///           value: kind   bits                       next
///   entry   flags         the token of a cell, or,   the next older entry
///                         in a TokenStack, an index
struct TokenEntry {
  let ref: CellRef
  init(_ ref: CellRef) { self.ref = ref }

  /// Nil when memory has run out.
  init?(_ bits: UInt64, flags: UInt32) {
    guard let ref = CellRef.allocate(.entry) else { return nil }
    ref.value = CellValue(kind: ValueKind(rawValue: flags), bits: bits)
    self.ref = ref
  }

  var next: UInt32 {
    get { ref.next }
    nonmutating set { ref.next = newValue }
  }
  var bits: UInt64 { ref.value.bits }
  var weak: WeakCell { WeakCell(token: Token(bits: bits)) }
  var flags: UInt32 { ref.value.kind }

  static func free(_ first: UInt32, upTo end: UInt32) {
    var next = first
    while next != end {
      let entry = TokenEntry(CellRef(index: next))
      next = entry.next
      entry.ref.deallocate()
    }
  }
}
