/// Runs callbacks of promises in a place of your choice: see `PromiseContext.executor(_:)`.
///
///     final class Worker: PromiseExecutor {
///       func submit(_ job: PromiseJob) { queue.append { job.run() } }
///     }
public protocol PromiseExecutor: AnyObject, Sendable {
  /// Submits a job, which the executor must run or drop, once, on any thread, before this returns or later.
  ///
  /// Called on the thread that settles the promise, or that attaches to a settled one, never with a lock held. Calls
  /// may be concurrent. A serial executor runs jobs in the order of submission.
  func submit(_ job: PromiseJob)

  /// The object that identifies the executor when contexts are compared; by default the executor itself.
  var identity: AnyObject { get }
}

extension PromiseExecutor {
  /// The executor itself.
  public var identity: AnyObject { self }
}

/// An executor that can reserve a position in its order for a later job.
public protocol PromiseReservingExecutor: PromiseExecutor {
  /// Reserves a position behind the jobs submitted so far.
  ///
  /// - Returns: an executor for the one job at that position. Releasing it without a job gives the position up.
  func reserve() -> any PromiseExecutor
}

/// A callback that waits to run on an executor. Copying it copies a number.
///
/// A job keeps the callback and its promise alive until it is run or dropped. A job that is neither run nor dropped
/// leaks them.
public struct PromiseJob: Sendable, Hashable {
  private let token: UInt64

  init(_ token: UnsafeMutableRawPointer) { self.token = UInt64(UInt(bitPattern: token)) }

  /// Runs the callback and the reactions that follow from it, on this thread.
  ///
  /// - Returns: false if the job was run or dropped before; the call is then a no-op.
  @discardableResult
  public func run() -> Bool { job?.run() == .taken }

  /// Releases the callback without a call, if the executor cannot run it. The promise that it would have settled is
  /// rejected with a `PromiseError` that reports this. The states of a stream wait for its next job: see `Subscriber`.
  ///
  /// - Returns: false if the job was run or dropped before; the call is then a no-op.
  @discardableResult
  public func drop() -> Bool { job?.drop() == .taken }

  private var job: Job? { Token(bits: token).cell(.job).map(Job.init) }
}
