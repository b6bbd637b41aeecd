/// The lists of a token: weak references, the newest first.
///
///           value                 next
///   entry   flags, the cell's     the next older entry
///           token in bits
extension CancelToken {
  package enum List { case promises, tokens }

  /// Adds an entry, and removes the dead entries after it, up to the first whose cell is alive; sweeps the whole list
  /// from time to time. So a token that outlives many promises does not grow. False when memory has run out.
  func add(_ cell: WeakCell, flags: UInt32 = 0, to list: List) -> Bool {
    guard let entry = CellRef.allocate(.entry) else { return false }
    unsafe entry.cell.pointee.value = CellValue(kind: ValueKind(rawValue: flags), bits: cell.bits)
    var swept: UInt32 = 0
    let dead = locked {
      let left = addsLeft(of: list)
      var next = first(of: list)
      let dead = next
      while next != 0, !CellRef(index: next).entry.isAlive { next = CellRef(index: next).nextEntry }
      unsafe entry.cell.pointee.next = next
      setList(of: list, entry.index, addsLeft: left &- 1)
      if left == 0 { swept = sweep(list, behind: entry) }
      return (first: dead, end: next)
    }
    CellRef.freeEntries(dead.first, upTo: dead.end)
    CellRef.freeEntries(swept, upTo: 0)
    return true
  }

  /// Removes all dead entries behind the newest one and returns them. The next sweep follows after as many adds as
  /// entries are left, so the amortized cost of an add is constant. The token is locked.
  private func sweep(_ list: List, behind newest: CellRef) -> UInt32 {
    var dead: UInt32 = 0
    var last = newest
    var alive: UInt32 = 1
    while last.nextEntry != 0 {
      let entry = CellRef(index: last.nextEntry)
      if entry.entry.isAlive {
        last = entry
        alive += 1
        continue
      }
      unsafe last.cell.pointee.next = entry.nextEntry
      unsafe entry.cell.pointee.next = dead
      dead = entry.index
    }
    setList(of: list, newest.index, addsLeft: max(alive, 32))
    return dead
  }

  /// The number of entries of a list, including those of destroyed cells.
  package func count(of list: List) -> Int {
    locked {
      var count = 0
      var next = first(of: list)
      while next != 0 {
        count += 1
        next = CellRef(index: next).nextEntry
      }
      return count
    }
  }

  func freeList(of list: List) { CellRef.freeEntries(first(of: list), upTo: 0) }

  func first(of list: List) -> UInt32 { UInt32(truncatingIfNeeded: word(of: list)) }

  /// The number of adds until the next sweep of the list.
  private func addsLeft(of list: List) -> UInt32 { UInt32(truncatingIfNeeded: word(of: list) >> 32) }

  private func word(of list: List) -> UInt {
    switch list {
    case .promises: unsafe UInt(bitPattern: ref.cell.pointee.function)
    case .tokens: unsafe UInt(bitPattern: ref.cell.pointee.context)
    }
  }

  func setList(of list: List, _ first: UInt32, addsLeft: UInt32 = 0) {
    let word = unsafe UnsafeMutableRawPointer(bitPattern: UInt(first) | UInt(addsLeft) << 32)
    switch list {
    case .promises: unsafe ref.cell.pointee.function = unsafe word
    case .tokens: unsafe ref.cell.pointee.context = unsafe word
    }
  }
}

extension CellRef {
  var nextEntry: UInt32 { unsafe cell.pointee.next }
  var entry: WeakCell { unsafe WeakCell(token: Token(bits: cell.pointee.value.bits)) }
  var entryFlags: UInt32 { unsafe cell.pointee.value.kind }

  static func freeEntries(_ first: UInt32, upTo end: UInt32) {
    var next = first
    while next != end {
      let entry = CellRef(index: next)
      next = entry.nextEntry
      entry.deallocate()
    }
  }
}
