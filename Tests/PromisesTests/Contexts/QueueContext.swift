import Dispatch
import Promises

/// A serial queue that runs its blocks only when the test says so.
final class QueueContext: Sendable {
  private static let key = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "test", attributes: .initiallyInactive)

  init() { queue.setSpecific(key: Self.key, value: true) }

  var here: PromiseContext { .queue(queue) }

  /// Whether the caller runs in such a context.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

  /// Runs the blocks of the queue, and from then on later ones at once; returns when the queue is empty.
  func run() {
    queue.activate()
    // Twice, for the blocks that the first callbacks queue.
    queue.sync {}
    queue.sync {}
  }

  deinit { queue.activate() }
}
