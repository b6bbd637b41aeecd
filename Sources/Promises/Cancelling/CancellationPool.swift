import Synchronization

/// Something that can be asked to cancel.
public protocol Cancellable: AnyObject {
  /// Asks for it to be cancelled. It is advice: what cannot be cancelled, or has ended, does nothing.
  func requestCancel()
}

extension Future: Cancellable {}

/// Things that are asked to cancel together. It keeps none of them.
///
/// Everything may be called from any thread, from within `requestCancel()` of what is in the pool too.
public final class CancellationPool: Sendable {
  private struct Item {
    weak var item: (any Cancellable)?
  }

  private nonisolated(unsafe) var items: [Item] = []
  private let lock = Mutex(())

  /// Creates an empty pool.
  public init() {}

  /// Adds an item. One that is added twice is asked twice.
  public func add(_ item: any Cancellable) { add(contentsOf: [item]) }

  /// Adds items, in order.
  public func add(contentsOf items: [any Cancellable]) {
    lock.withLock { _ in
      // What is gone would pile up in a pool that lives long.
      if unsafe self.items.count == self.items.capacity { unsafe self.items.removeAll { $0.item == nil } }
      unsafe self.items += items.map { Item(item: $0) }
    }
  }

  /// Asks every item that is still there to cancel, in the order in which they were added, before it returns. The pool is
  /// empty then, and can be used again.
  public func drain() {
    let drained = lock.withLock { _ in
      defer { unsafe items = [] }
      return unsafe items
    }
    for item in drained { item.item?.requestCancel() }
  }
}
