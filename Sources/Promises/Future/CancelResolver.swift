import CPlatform
import Synchronization

/// The resolver passed to cancel-request callbacks after the original resolver was released.
///
/// It is not generic: releasing a resolver would look up its type each time.
@usableFromInline
final class CancelResolver: Sendable {
  // A `Resolver`. Only the thread that releases the original resolver writes and reads it; other threads get nil from
  // `current`.
  private nonisolated(unsafe) var resolver: AnyObject?
  private let thread = Atomic<UInt>(0)

  /// Requests cancellation on release of the original resolver. All handlers get `resolver`, which cancels the future
  /// on its own release. The caller must have a reference to the cell.
  func requestCancel(_ cell: CellRef, passing resolver: consuming AnyObject) {
    unsafe self.resolver = resolver
    thread.store(here, ordering: .relaxed)
    cell.requestCancel()
    thread.store(0, ordering: .relaxed)
    unsafe self.resolver = nil
  }

  /// Returns the resolver on the thread that releases the original one, otherwise nil. The resolver must be a `T`.
  fileprivate func current<T: AnyObject>(as type: T.Type) -> T? {
    thread.load(ordering: .relaxed) == here ? unsafe resolver.map { unsafe unsafeDowncast($0, to: type) } : nil
  }

  private var here: UInt { UInt(bitPattern: unsafe platform_thread()) }
}

extension Resolver {
  /// Returns a closure that finds the resolver for a handler of cancel requests: this one, or else its successor. A
  /// future that follows another has neither; its handlers get a resolver whose release has no effect.
  func currentResolver() -> () -> Resolver {
    let cancelResolver = cancelResolver.load() ?? cancelResolver.storeIfNil(CancelResolver())
    // Borrowed: the cell owns its handlers, so they must not own the cell.
    return { [weak self, cell] in
      if let resolver = self ?? cancelResolver.current(as: Resolver.self) { return resolver }
      let spare = Resolver(cell: cell.retained())
      spare.disarm()
      return spare
    }
  }
}
