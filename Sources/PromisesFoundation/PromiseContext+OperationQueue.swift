import Foundation
public import Promises

extension PromiseContext {
  /// An operation queue: each callback is an operation, in which `OperationQueue.current` is that queue.
  ///
  /// If the operation is cancelled before it starts, the callback is released without a call, and the promise that it
  /// would have settled is rejected with a `PromiseError`. A state of a stream is then delivered with the next one. A
  /// timer's callback takes its position in the queue when the timer is started.
  public static func operationQueue(_ queue: OperationQueue) -> PromiseContext {
    .executor(OperationQueueExecutor(queue))
  }

  /// The operation queue that runs the caller, or the main queue outside one.
  ///
  /// A callback runs inline if the promise is settled on that same queue, or was settled before the callback was
  /// attached. As with `.current`, each reading is a context of its own.
  public static var currentOperationQueue: PromiseContext {
    .nowOr(.executor(CurrentOperationQueueExecutor(OperationQueue.current ?? .main)))
  }
}

final class OperationQueueExecutor: PromiseReservingExecutor {
  private let queue: OperationQueue

  init(_ queue: OperationQueue) { self.queue = queue }

  var identity: AnyObject { queue }

  func submit(_ job: PromiseJob) { queue.addOperation(JobOperation(job)) }

  func reserve() -> any PromiseExecutor {
    let operation = JobOperation()
    queue.addOperation(operation)
    return ReservedOperation(operation, self)
  }
}

/// Runs a job inline if it is submitted on its own queue.
private final class CurrentOperationQueueExecutor: PromiseExecutor {
  private let queue: OperationQueue

  init(_ queue: OperationQueue) { self.queue = queue }

  func submit(_ job: PromiseJob) {
    if OperationQueue.current === queue { job.run() } else { queue.addOperation(JobOperation(job)) }
  }
}

/// A reserved position for a later job, given up when this object is released.
private final class ReservedOperation: PromiseExecutor {
  private let operation: JobOperation
  private let executor: OperationQueueExecutor

  init(_ operation: JobOperation, _ executor: OperationQueueExecutor) {
    self.operation = operation
    self.executor = executor
  }

  func submit(_ job: PromiseJob) {
    if !operation.fill(job) { executor.submit(job) }
  }

  deinit { operation.giveUp() }
}
