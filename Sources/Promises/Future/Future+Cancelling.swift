extension Future {
  /// Requests cancellation of a pending future, once. Cancellation is advisory: the producer is notified
  /// (`Resolver.onCancelRequest`) and may cancel the future or continue. The handlers run before this returns.
  ///
  /// A request propagates upstream, to the source that this future was derived from, once nothing else is interested in
  /// the source. That is the case when every future derived from the source was asked to cancel too, and the only
  /// reference left to it is the producer's.
  ///
  /// - Thread: any.
  public func requestCancel() { cell.requestCancel() }

  /// A handle that can ask this future to cancel without holding it.
  public var cancellable: CancelHandle { CancelHandle(WeakCell(cell)) }
}

/// A weak handle that asks a future to cancel. It does not keep the future alive and does not count as interest in it.
public struct CancelHandle: Equatable, Sendable {
  private let cell: WeakCell

  init(_ cell: WeakCell) { self.cell = cell }

  /// Requests cancellation of the future; no-op if the future was destroyed.
  ///
  /// - Thread: any.
  public func requestCancel() { cell.with { cell in cell.requestCancel() } }

  /// Whether the future was destroyed.
  var isGone: Bool { !cell.isAlive }
}

extension CellRef {
  package func onCancelRequest(_ body: @escaping () -> Void) {
    let call: Observer = { context, _ in unsafe Context.call(context) }
    if unsafe !onCancelRequest(call, Context(body)) { fatalError("no memory for a callback") }
  }

  /// Makes a cancel request also cancel this promise, after the request was propagated upstream.
  func cancelAtEndOfRequest() {
    let cancel: Observer = { promise, _ in
      unsafe WeakCell(context: promise).with { _ = $0.settle(CellValue(kind: .discarded), .rejected) }
    }
    let weak = unsafe Context(WeakCell(self).context, nil)
    if unsafe !onCancelRequest(cancel, weak, meta: CancelHandler.atEnd) { fatalError("no memory for a callback") }
  }
}
