import CPlatform
import Synchronization

/// Whom the callbacks for a request to cancel are given when their resolver is gone.
final class Succession<Value, Failure>: Sendable {
  // Both are written, and the heir is read, by the thread that lets go of the resolver; for others there is none.
  private nonisolated(unsafe) var heir: Resolver<Value, Failure>?
  private let thread = Atomic<UInt>(0)

  /// Asks the future of a resolver that goes to cancel. All its callbacks get the same new resolver, which cancels the
  /// future when it goes in its turn. The caller has a reference to the cell.
  func askToCancel(_ cell: CellRef) {
    unsafe heir = Resolver<Value, Failure>(cell: cell.retained())
    thread.store(here, ordering: .relaxed)
    cell.requestCancel()
    thread.store(0, ordering: .relaxed)
    unsafe heir = nil
  }

  fileprivate var current: Resolver<Value, Failure>? {
    thread.load(ordering: .relaxed) == here ? unsafe heir : nil
  }

  private var here: UInt { UInt(bitPattern: unsafe platform_thread()) }
}

extension Resolver {
  /// What gives a callback for a request its resolver: this one, or else its heir. A future that ends as another has
  /// neither; it gets one that can go again.
  func currentResolver() -> () -> Resolver {
    let succession = succession.load() ?? succession.storeIfNil(Succession())
    // Borrowed: a cell keeps its callbacks, not they the cell.
    return { [weak self, cell] in
      if let resolver = self ?? succession.current { return resolver }
      let spare = Resolver(cell: cell.retained())
      spare.handOver()
      return spare
    }
  }
}
