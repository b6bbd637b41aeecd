import Foundation
import Promises

/// An operation that runs a job. It is ready when it has its job or is given up.
///
/// empty --fill--> full
///         --giveUp-> gone: ready, with no work
final class JobOperation: Operation, @unchecked Sendable {
  private enum Content {
    case empty, gone
    case full(PromiseJob)
  }

  private let lock = NSLock()
  private var content: Content

  init(_ job: PromiseJob) { content = .full(job) }

  override init() { content = .empty }

  override var isReady: Bool {
    if case .empty = lock.withLock({ content }) { return false }
    return super.isReady
  }

  override func main() {
    if case .full(let job) = lock.withLock({ content }) { job.run() }
  }

  /// Sets the operation's job and makes it ready. False if it had a job, or was given up.
  func fill(_ job: PromiseJob) -> Bool { become(.full(job)) }

  /// Makes an operation without a job ready to finish.
  func giveUp() { _ = become(.gone) }

  private func become(_ new: Content) -> Bool {
    let isFirst = lock.withLock {
      guard case .empty = content else { return false }
      content = new
      return true
    }
    // Posted outside the lock: the queue reads `isReady`.
    if isFirst {
      willChangeValue(forKey: "isReady")
      didChangeValue(forKey: "isReady")
    }
    return isFirst
  }

  // Drop the job if the operation was cancelled before it started.
  deinit {
    if case .full(let job) = content { job.drop() }
  }
}
