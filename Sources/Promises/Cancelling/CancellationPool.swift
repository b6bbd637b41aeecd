import Synchronization

/// Something that can be asked to cancel.
public protocol Cancellable: AnyObject {
  /// Asks for it to be cancelled. It is advice: what cannot be cancelled, or has ended, does nothing.
  func requestCancel()
}

/// What is an object around a promise: a pool means the promise, which many such objects may stand for.
private protocol StandsForPromise {
  var cancellable: CancelHandle { get }
}

extension Future: Cancellable, StandsForPromise {}

/// Things that are asked to cancel together. It keeps none of them. A future is there as long as its work goes on, whatever
/// becomes of the object that was added: `promise.future` makes a new one each time.
///
/// Everything may be called from any thread, from within `requestCancel()` of what is in the pool too.
public final class CancellationPool: Sendable {
  private enum Item {
    case promise(CancelHandle)
    case object(WeakObject)

    init(_ item: any Cancellable) {
      self = (item as? any StandsForPromise).map { .promise($0.cancellable) } ?? .object(WeakObject(object: item))
    }

    var isGone: Bool {
      switch self {
      case .promise(let handle): handle.isGone
      case .object(let reference): reference.object == nil
      }
    }

    func requestCancel() {
      switch self {
      case .promise(let handle): handle.requestCancel()
      case .object(let reference): reference.object?.requestCancel()
      }
    }
  }

  private struct WeakObject {
    weak var object: (any Cancellable)?
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
      if unsafe self.items.count == self.items.capacity { unsafe self.items.removeAll(where: \.isGone) }
      unsafe self.items += items.map(Item.init)
    }
  }

  /// Asks every item that is still there to cancel, in the order in which they were added, before it returns. The pool is
  /// empty then, and can be used again.
  public func drain() {
    let drained = lock.withLock { _ in
      defer { unsafe items = [] }
      return unsafe items
    }
    for item in drained { item.requestCancel() }
  }
}
