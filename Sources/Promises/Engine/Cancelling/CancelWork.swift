import Synchronization

/// The work list of a cancel request: the gathers and links that it has still to reach. It avoids recursion, however
/// deep they are nested. It takes no memory, because it consists of the handlers that propagate the request. Each is in
/// one list at most: a promise is asked once.
///
///             value: bits        context
///   handler   the next handler   the gather or link
struct CancelWork {
  private var first: UInt32 = 0
  private var last: UInt32 = 0

  /// Takes ownership of a reference to the handler, and of one to its gather or link.
  mutating func push(_ handler: CellRef) {
    handler.setNextOfWork(0)
    if last == 0 { first = handler.index } else { CellRef(index: last).setNextOfWork(handler.index) }
    last = handler.index
  }

  /// Returns the gather or link of the first handler, with a reference for the caller.
  private mutating func pop() -> CellRef? {
    guard first != 0 else { return nil }
    let handler = CellRef(index: first)
    first = handler.nextOfWork
    if first == 0 { last = 0 }
    let maker = unsafe CellRef.from(handler.cell.pointee.context)
    handler.release()
    return maker
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

extension CellRef {
  /// The next of the handlers that a request has taken.
  var nextOfWork: UInt32 { unsafe UInt32(truncatingIfNeeded: cell.pointee.value.bits) }
  func setNextOfWork(_ index: UInt32) {
    unsafe cell.pointee.value = CellValue(kind: .pointer, bits: UInt64(index))
  }
}
