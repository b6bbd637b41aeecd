/// Runs callbacks where its maker wants them: `PromiseContext.executor(_:)`.
///
///     final class Worker: PromiseExecutor {
///       func submit(_ job: PromiseJob) { queue.append { job.run() } }
///     }
public protocol PromiseExecutor: AnyObject, Sendable {
  /// Sees to it that `job` is run or dropped, once, on any thread, before it returns or later.
  ///
  /// Called on the thread that settles the promise or attaches to a settled one, never with a lock held, and by several
  /// threads at a time if promises are settled by several. A serial executor runs jobs in the order in which it gets
  /// them.
  func submit(_ job: PromiseJob)

  /// What tells two contexts apart: by default the executor itself.
  var identity: AnyObject { get }
}

extension PromiseExecutor {
  /// The executor itself.
  public var identity: AnyObject { self }
}

/// An executor that can keep a place in its order for a job which comes later.
public protocol PromiseReservingExecutor: PromiseExecutor {
  /// Takes a place now, behind what was submitted before.
  ///
  /// - Returns: what its one job is submitted to. When it is released without one, the place is given up.
  func reserve() -> any PromiseExecutor
}

/// A callback on its way to where it runs: a number, which costs nothing to copy.
///
/// It keeps what it refers to alive until it is run or dropped. One that nobody ever runs or drops leaks its callback.
public struct PromiseJob: Sendable, Hashable {
  private let token: UInt64
  /// Whether it begins a turn of the main context.
  private let isMain: Bool

  init(_ token: UnsafeMutableRawPointer, isMain: Bool = false) {
    self.token = UInt64(UInt(bitPattern: token))
    self.isMain = isMain
  }

  /// Runs the callback and what follows from it, on this thread.
  ///
  /// - Returns: false if the job was run or dropped before; nothing happens then.
  @discardableResult
  public func run() -> Bool {
    guard let job else { return false }
    return isMain ? MainPass.run(job) : job.run()
  }

  /// Releases the callback uncalled, for want of a place to run it; the promise that it would have settled is rejected
  /// with a `PromiseError` that says so.
  ///
  /// - Returns: false if the job was run or dropped before; nothing happens then.
  @discardableResult
  public func drop() -> Bool { job?.drop() ?? false }

  private var job: Job? { Token(bits: token).cell(.job).map(Job.init) }
}
