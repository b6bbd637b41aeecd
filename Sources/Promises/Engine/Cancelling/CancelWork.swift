/// The work list of a cancel request: the gathers and links that it has still to reach, and the handlers that run after
/// all others. It avoids recursion, however deep they are nested. It takes no memory, because it consists of handlers.
/// Each is in one list at most: a promise is asked once.
struct CancelWork {
  private var handlers = CellQueue<CancelHandler.Link>()
  /// A stack: the handler of the promise furthest upstream runs first.
  private var last = CellQueue<CancelHandler.Link>()

  /// Takes ownership of a reference to a handler: one that is marked, so that it keeps its gather or link, or one for
  /// the end of the request, which the request has claimed.
  mutating func push(_ handler: CancelHandler) {
    if handler.passesOn { handlers.push(handler) } else { last.pushFront(handler) }
  }

  /// Drains the work list.
  consuming func finish(_ reason: CellValue) {
    var rest = self
    while let handler = rest.handlers.pop() {
      rest.ask(handler.target, reason)
      handler.ref.endPropagation()
      handler.ref.release()
    }
    var reason = reason
    while let handler = rest.last.pop() { handler.runClaimed(&reason) }
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
