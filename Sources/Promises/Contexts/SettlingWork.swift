/// Work for a context that settles a promise by its own means. If it is released before it has run, because an executor
/// dropped it, the promise is rejected. For a future whose `Failure` does not admit the error, this is a cancellation.
final class SettlingWork {
  private let cell: CellRef
  /// Holds the promise.
  private var body: (() -> Void)?

  init(_ cell: CellRef, _ body: consuming @escaping () -> Void) {
    self.cell = cell
    self.body = consume body
  }

  /// Runs the work and releases it.
  func run() {
    let body = body
    self.body = nil
    body?()
  }

  deinit { if body != nil { _ = cell.settle(Fault.closed.value, .rejected) } }
}
