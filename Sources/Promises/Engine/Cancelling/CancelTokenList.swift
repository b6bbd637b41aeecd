/// The lists of a token: weak references, the latest first.
///
///           value                 next
///   entry   flags, the cell's     the entry before
///           token in bits
extension CancelToken {
  package enum List { case promises, tokens }

  /// Adds an entry, and drops the entries after it up to the first whose cell is alive, so that a token which outlives
  /// many promises does not grow. False when memory has run out.
  func add(_ cell: WeakCell, flags: UInt32 = 0, to list: List) -> Bool {
    guard let entry = CellRef.allocate(.entry) else { return false }
    unsafe entry.cell.pointee.value = CellValue(kind: ValueKind(rawValue: flags), bits: cell.bits)
    let dead = locked {
      var next = first(of: list)
      let dead = next
      while next != 0, !CellRef(index: next).entry.isAlive { next = CellRef(index: next).nextEntry }
      unsafe entry.cell.pointee.next = next
      setList(of: list, entry.index)
      return (first: dead, end: next)
    }
    CellRef.freeEntries(dead.first, upTo: dead.end)
    return true
  }

  /// How many entries a list has, those of cells that are gone included.
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

  func first(of list: List) -> UInt32 {
    switch list {
    case .promises: unsafe UInt32(truncatingIfNeeded: UInt(bitPattern: ref.cell.pointee.function))
    case .tokens: unsafe UInt32(truncatingIfNeeded: UInt(bitPattern: ref.cell.pointee.context))
    }
  }

  func setList(of list: List, _ first: UInt32) {
    let word = unsafe UnsafeMutableRawPointer(bitPattern: UInt(first))
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
