import Foundation
public import Promises

extension PromiseContext {
  /// On an operation queue of yours, as an operation for each callback. `OperationQueue.current` is that queue there.
  ///
  /// A callback whose operation is cancelled before it starts is released uncalled, and the promise that it would have
  /// settled is rejected with a `PromiseError`. What a timer brings has its place in the queue from the call on that
  /// asked for it.
  public static func operationQueue(_ queue: OperationQueue) -> PromiseContext {
    .executor(OperationQueueExecutor(queue))
  }

  /// On the operation queue that runs the caller, or the main one: where a callback is attached, it runs.
  ///
  /// It runs at once where the promise is settled on that very queue, or is settled already when the callback is
  /// attached.
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

/// Runs jobs at once that come from its queue.
private final class CurrentOperationQueueExecutor: PromiseExecutor {
  private let queue: OperationQueue

  init(_ queue: OperationQueue) { self.queue = queue }

  func submit(_ job: PromiseJob) {
    if OperationQueue.current === queue { job.run() } else { queue.addOperation(JobOperation(job)) }
  }
}

/// The place of a job that is to come. Given up when nobody can bring one any more.
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
