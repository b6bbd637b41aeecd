import CPlatform
import Synchronization

/// The resolver passed to cancel-request callbacks after the original resolver was released.
final class CancelResolver<Value, Failure>: Sendable {
  // Written and read by the thread that releases the resolver; other threads see none.
  private nonisolated(unsafe) var resolver: Resolver<Value, Failure>?
  private let thread = Atomic<UInt>(0)

  /// Requests cancellation on release of the resolver. All handlers get the same new resolver, which cancels the future
  /// on its own release. The caller has a reference to the cell.
  func requestCancel(_ cell: CellRef) {
    unsafe resolver = Resolver<Value, Failure>(cell: cell.retained())
    thread.store(here, ordering: .relaxed)
    cell.requestCancel()
    thread.store(0, ordering: .relaxed)
    unsafe resolver = nil
  }

  fileprivate var current: Resolver<Value, Failure>? {
    thread.load(ordering: .relaxed) == here ? unsafe resolver : nil
  }

  private var here: UInt { UInt(bitPattern: unsafe platform_thread()) }
}

extension Resolver {
  /// Returns a closure that finds the resolver for a handler of cancel requests: this one, or else its successor. A
  /// future that follows another has neither; it gets a resolver that can be released without an effect.
  func currentResolver() -> () -> Resolver {
    let cancelResolver = cancelResolver.load() ?? cancelResolver.storeIfNil(CancelResolver())
    // Borrowed: the cell owns its handlers, so they must not own the cell.
    return { [weak self, cell] in
      if let resolver = self ?? cancelResolver.current { return resolver }
      let spare = Resolver(cell: cell.retained())
      spare.handOver()
      return spare
    }
  }
}
