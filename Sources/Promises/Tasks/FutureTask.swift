import Synchronization

/// The progress of an unfinished task. Only the future knows whether the task is finished.
private enum Phase {
  static let pending: UInt8 = 0
  static let enqueued: UInt8 = 1
  static let executing: UInt8 = 2
}

/// A single-use unit of asynchronous work with input, output, states and cancellation. Subclasses do the work.
///
///     final class Measuring: FutureTask<String, Int>, @unchecked Sendable {
///       override func start(with text: String) {
///         guard begin() else { return }
///         complete(with: text.count)
///       }
///     }
///     start(running: Measuring(), with: "text").onSuccess(on: .main) { show($0) }
///
/// **Use.** A task is started once, by `start(running:with:on:using:)` or by a future; a second start returns a future
/// that is rejected with `FutureTaskError.used`. The first of `complete(with:)`, `fail(with:)` and `cancel(because:)`
/// finishes the task; later calls are no-ops, return false and are reported to `PromiseHooks.secondSettlement`.
///
/// **Cancellation.** Cancelling finishes the task at once. It does not stop running work: override
/// `wasCancelled(because:)` to stop it, or poll `isCancelled`. A request to cancel the future cancels the task.
///
/// **Lifetime.** The starter holds the task until `start(with:)` has returned; after that the work holds it. A task
/// that is destroyed unfinished cancels its future. The future does not hold the task.
///
/// **Threads.** The methods of this class may be called from any thread. A subclass must protect its own state.
open class FutureTask<Input: Sendable, Output: Sendable>: Cancellable, @unchecked Sendable {
  private let phase = Atomic(Phase.pending)
  private let resolver = Resolver<Output, any Error>()

  /// Creates a pending task.
  public init() {
    resolver.onCancelRequest { [weak self] _ in self?.requestCancel() }
    // Attached first, so that it runs before every other callback: callbacks of a group find the work of all its tasks
    // stopped.
    resolver.future.whenCancelled { [weak self] error in self?.wasCancelled(because: error) }
  }

  /// The outcome of the work: the same future at each access.
  public final var future: ThrowingFuture<Output> { resolver.future }

  /// Does the work, or starts it. Overrides begin with `guard begin() else { return }`, do not call `super`, and finish
  /// the task before they return or later. The base class does nothing.
  ///
  /// - Thread: that of the context in which the task was started.
  open func start(with input: Input) {}

  /// Stops the work, if it runs. Called once, by the call that cancelled the task, on its thread, before the callbacks
  /// of the future. The base class does nothing.
  open func wasCancelled(because indirectError: (any Error)?) {}

  /// The task's state.
  public final var state: FutureTaskState {
    let phase = phase.load(ordering: .acquiring)
    switch future.state {
    case .fulfilled: return .completed
    case .rejected: return .failed
    case .cancelled: return .cancelled
    case .pending: return phase == Phase.pending ? .pending : phase == Phase.enqueued ? .enqueued : .executing
    }
  }

  /// Whether the task was cancelled.
  public final var isCancelled: Bool { state == .cancelled }

  /// Whether the task is completed, failed or cancelled.
  public final var isFinished: Bool { resolver.cell.state.isSettled }

  /// Marks a pending task as enqueued: the caller must start it.
  ///
  /// - Throws: `FutureTaskError.used` if the task is not pending.
  public final func enqueue() throws(FutureTaskError) {
    let isFirst = phase.compareExchange(
      expected: Phase.pending, desired: Phase.enqueued, ordering: .acquiringAndReleasing
    ).exchanged
    if !isFirst || isFinished { throw .used(state) }
  }

  /// Marks a pending or enqueued task as executing.
  ///
  /// - Returns: false if the work must not begin: it began before, or the task is finished.
  @discardableResult
  public final func begin() -> Bool {
    if isFinished { return false }
    return phase.exchange(Phase.executing, ordering: .acquiringAndReleasing) != Phase.executing
  }

  /// Finishes the task with its output: the future is fulfilled.
  ///
  /// - Returns: false if the task was finished before.
  @discardableResult
  public final func complete(with output: Output) -> Bool { resolver.fulfill(output) }

  /// Finishes the task with an error: the future is rejected.
  ///
  /// - Returns: false if the task was finished before.
  @discardableResult
  public final func fail(with error: any Error) -> Bool { resolver.reject(error) }

  /// Finishes the task as cancelled, with or without an indirect error. Calls `wasCancelled(because:)`, then the
  /// callbacks of the future.
  ///
  /// - Returns: false if the task was finished before.
  @discardableResult
  public final func cancel(because indirectError: (any Error)? = nil) -> Bool {
    cancel(because: indirectError, reports: true)
  }

  /// Cancels the task, if it is not finished.
  public final func requestCancel() { cancel(because: nil, reports: false) }

  @discardableResult
  final func cancel(because indirectError: (any Error)?, reports: Bool) -> Bool {
    resolver.cell.settle(rejecting: .cancelled(because: indirectError), reports: reports)
  }
}

extension FutureTask where Output == Void {
  /// Finishes the task: the future is fulfilled.
  ///
  /// - Returns: false if the task was finished before.
  @discardableResult
  public final func complete() -> Bool { complete(with: ()) }
}

extension FutureTask: CustomStringConvertible {
  /// The state with its output or error, such as `completed(output: 2)`.
  public final var stateDescription: String {
    switch future.result {
    case .fulfilled(let output): "completed(output: \(output))"
    case .rejected(let error): "failed(error: \(error))"
    case .cancelled(let error?): "cancelled(indirectError: \(error))"
    case .cancelled(nil): "cancelled"
    case nil: "\(state)"
    }
  }

  /// The type of the task and its state.
  public var description: String { "<\(type(of: self)): \(stateDescription)>" }
}
