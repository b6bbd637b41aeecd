extension Future {
  /// Asks for the future to be cancelled, if it is pending and nobody has asked before. It is advice: who settles the
  /// future is told (`Resolver.onCancelRequest`), and may cancel it, or go on.
  ///
  /// A future that was derived from another passes the request on to it, once nobody else is interested: everything
  /// derived from that one was asked to cancel too, and nobody holds it. The handlers run before this returns.
  ///
  /// - Thread: any.
  public func requestCancel() { cell.requestCancel() }

  /// What asks this future to cancel without holding it.
  public var cancellable: CancelHandle { CancelHandle(WeakCell(cell)) }
}

/// Asks a future to cancel, and neither keeps it nor counts as interest in it.
public struct CancelHandle: Equatable, Sendable {
  private let cell: WeakCell

  init(_ cell: WeakCell) { self.cell = cell }

  /// Asks the future to cancel; does nothing if it is gone.
  ///
  /// - Thread: any.
  public func requestCancel() { cell.with { cell in cell.requestCancel() } }

  /// Whether there is no future any more.
  var isGone: Bool { !cell.isAlive }
}

extension CellRef {
  func onCancelRequest(_ body: @escaping () -> Void) {
    let call: Observer = { context, _ in unsafe Context.call(context) }
    if unsafe !onCancelRequest(call, Context(body)) { fatalError("no memory for a callback") }
  }
}
