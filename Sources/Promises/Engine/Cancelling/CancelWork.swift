/// The work list of a cancel request: the gathers and links that it has still to reach. It avoids recursion, however
/// deep they are nested. It takes no memory, because it consists of the handlers that propagate the request. Each is in
/// one list at most: a promise is asked once.
struct CancelWork {
  private var handlers = CellQueue<CancelHandler.Link>()

  /// Takes ownership of a reference to the handler, and of one to its gather or link.
  mutating func push(_ handler: CancelHandler) { handlers.push(handler) }

  /// Returns the gather or link of the first handler, with a reference for the caller.
  private mutating func pop() -> CellRef? {
    guard let handler = handlers.pop() else { return nil }
    let target = handler.target
    handler.ref.release()
    return target
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
