/// The work list of a cancel request: the gathers and links that it has still to reach, and the handlers that run after
/// all others. It avoids recursion, however deep gathers and links are nested, and allocates nothing, because it links
/// the handlers. A handler is in one work list at most: a promise is asked once.
struct CancelWork {
  private var handlers = CellQueue<CancelHandler.Link>()
  /// A stack: the handler of the promise furthest upstream runs first.
  private var last = CellQueue<CancelHandler.Link>()

  /// Takes ownership of a reference to a handler. The handler must be marked, so that it keeps its gather or link, or
  /// must be a claimed handler for the end of the request.
  mutating func push(_ handler: CancelHandler) {
    if handler.propagates { handlers.push(handler) } else { last.pushFront(handler) }
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
