import Dispatch
import Promises

/// A serial queue that runs what was given to it only when the test says so.
final class QueueContext: Sendable {
  private static let key = DispatchSpecificKey<Bool>()
  private let queue = DispatchQueue(label: "test", attributes: .initiallyInactive)

  init() { queue.setSpecific(key: Self.key, value: true) }

  var here: PromiseContext { .queue(queue) }

  /// Whether the caller runs in such a context.
  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

  /// Runs what was given to the queue, and from then on what is given; returns when that is done.
  func run() {
    queue.activate()
    // Twice, for what the first callbacks queue.
    queue.sync {}
    queue.sync {}
  }

  deinit { queue.activate() }
}
