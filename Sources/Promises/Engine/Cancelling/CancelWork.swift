/// The work list of a cancel request: the gathers and links that it has still to reach. It avoids recursion, however
/// deep they are nested. It takes no memory, because it consists of the handlers that propagate the request. Each is in
/// one list at most: a promise is asked once.
struct CancelWork {
  private var handlers = CellQueue<CancelHandler.Link>()

  /// Takes ownership of a reference to the handler, which is marked, so that it keeps its gather or link.
  mutating func push(_ handler: CancelHandler) { handlers.push(handler) }

  /// Drains the work list.
  consuming func finish(_ reason: CellValue) {
    var rest = self
    while let handler = rest.handlers.pop() {
      rest.ask(handler.target, reason)
      handler.ref.endPropagation()
      handler.ref.release()
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
