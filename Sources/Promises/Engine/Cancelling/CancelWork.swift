import Synchronization

/// Where a request to cancel has still to go: to what promises are made of, or linked to. It comes to many of them without
/// recursion, however deep they are nested.
///
///           value: bits                   next
///   entry   the gather's or link's cell   the entry after
struct CancelWork {
  private var first: UInt32 = 0
  private var last: UInt32 = 0

  /// Takes over a reference to the cell of a gather or a link. False when memory has run out: nothing is taken over.
  mutating func push(_ cell: CellRef) -> Bool {
    guard let entry = CellRef.allocate(.entry) else { return false }
    unsafe entry.cell.pointee.value = CellValue(kind: .void, bits: UInt64(cell.index))
    unsafe entry.cell.pointee.next = 0
    if last == 0 { first = entry.index } else { unsafe CellRef(index: last).cell.pointee.next = entry.index }
    last = entry.index
    return true
  }

  private mutating func pop() -> CellRef? {
    guard first != 0 else { return nil }
    let entry = CellRef(index: first)
    first = entry.nextEntry
    if first == 0 { last = 0 }
    let cell = unsafe CellRef(index: UInt32(truncatingIfNeeded: entry.cell.pointee.value.bits))
    entry.deallocate()
    return cell
  }

  /// Asks all of them, and what is left to do for that.
  consuming func finish(_ reason: CellValue) {
    var rest = self
    while let cell = rest.pop() {
      rest.ask(cell, reason)
      cell.release()
    }
  }

  /// Asks one that is not among them, and what is left to do for that.
  static func ask(_ cell: CellRef, _ reason: CellValue) {
    var work = CancelWork()
    work.ask(cell, reason)
    work.finish(reason)
  }

  private mutating func ask(_ cell: CellRef, _ reason: CellValue) {
    if cell.isGather {
      Gather(cell).requestCancel(reason, leaving: &self)
    } else {
      cell.requestCancel(reason, leaving: &self)
    }
  }
}
