import Synchronization

/// The work list of a cancel request: the gathers and links that it has still to reach. It avoids recursion, however
/// deep they are nested.
///
///           value: bits                   next
///   entry   the gather's or link's cell   the next entry
struct CancelWork {
  private var first: UInt32 = 0
  private var last: UInt32 = 0

  /// Takes ownership of a reference to the cell of a gather or a link. False when memory has run out: the caller keeps
  /// it.
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

  /// Drains the work list.
  consuming func finish(_ reason: CellValue) {
    var rest = self
    while let cell = rest.pop() {
      rest.ask(cell, reason)
      cell.release()
    }
  }

  /// Requests cancellation of `cell`, then drains the work list.
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
