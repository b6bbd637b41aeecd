import Synchronization

/// An object that can be asked to cancel.
public protocol Cancellable: AnyObject {
  /// Requests cancellation. Advisory: no-op if the work cannot be cancelled or has ended.
  ///
  /// - Thread: any. A pool calls it on the thread that drains the pool, while another thread may use the object.
  func requestCancel()
}

/// An object around a promise. A pool stores the promise, since many such objects can stand for it.
private protocol StandsForPromise {
  var cancellable: CancelHandle { get }
}

extension Future: Cancellable, StandsForPromise {}

/// A set of objects that are asked to cancel together.
///
/// The pool holds its items weakly. A future stays in the pool until its promise is destroyed, even if the `Future`
/// object that was added is released earlier: `promise.future` makes a new object each time.
///
/// Everything may be called from any thread, also from within `requestCancel()` of an item.
public final class CancellationPool: Sendable {
  private enum Item: Sendable {
    case promise(CancelHandle)
    case object(WeakObject)

    init(_ item: any Cancellable) {
      self = (item as? any StandsForPromise).map { .promise($0.cancellable) } ?? .object(WeakObject(item))
    }

    /// Whether the item was destroyed. Adds a live object to `held`, because its last reference may be this one.
    func isGone(holding held: inout [any Cancellable]) -> Bool {
      switch self {
      case .promise(let handle): return handle.isGone
      case .object(let reference):
        guard let object = unsafe reference.object else { return true }
        held.append(object)
        return false
      }
    }

    func requestCancel() {
      switch self {
      case .promise(let handle): handle.requestCancel()
      case .object(let reference): unsafe reference.object?.requestCancel()
      }
    }
  }

  private struct WeakObject: Sendable {
    nonisolated(unsafe) weak var object: (any Cancellable)?
    init(_ object: any Cancellable) { unsafe self.object = object }
  }

  private let items = Mutex<[Item]>([])

  /// The number of items in the pool. Destroyed items that are still stored count.
  package var count: Int { items.withLock(\.count) }

  /// Creates an empty pool.
  public init() {}

  /// Adds an item. An item that is added twice is asked twice. One that is not `Sendable` must still be thread-safe:
  /// the thread that drains the pool calls its `requestCancel()`.
  public func add(_ item: any Cancellable) { add(contentsOf: [item]) }

  /// Adds items, in order.
  public func add(contentsOf items: [any Cancellable]) {
    let added = items.map(Item.init)
    // Released outside the lock, because deinitializers may run.
    var held: [any Cancellable] = []
    self.items.withLock { items in
      // Destroyed items would pile up in a long-lived pool.
      if items.count == items.capacity { items.removeAll { $0.isGone(holding: &held) } }
      items += added
    }
    withExtendedLifetime(held) {}
  }

  /// Empties the pool and requests cancellation of every live item, in the order of addition, before it returns. The
  /// pool can be used again.
  public func drain() {
    let drained = items.withLock { items in
      defer { items = [] }
      return items
    }
    for item in drained { item.requestCancel() }
  }
}
