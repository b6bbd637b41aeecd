import Dispatch
import Promises

/// A serial queue that runs its blocks only when the test says so.
final class QueueContext: Sendable {
  private static let key = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "test", attributes: .initiallyInactive)

  init() { queue.setSpecific(key: Self.key, value: true) }

  var here: PromiseContext { .queue(queue) }

  /// Whether the caller runs on the queue of a `QueueContext`.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

  /// Activates the queue, which from then on runs its blocks without waiting; returns when the queue is empty.
  func run() {
    queue.activate()
    // The second call waits for blocks that callbacks of the first blocks enqueued.
    queue.sync {}
    queue.sync {}
  }

  deinit { queue.activate() }
}
