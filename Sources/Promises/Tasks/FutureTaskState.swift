/// The state of a `FutureTask`. It changes forward only.
///
///     pending --enqueue()--> enqueued --begin()--> executing --> completed, failed or cancelled
///        +----------begin()-------------------------->
///
/// An unfinished task may finish from any state.
public enum FutureTaskState: Sendable {
  /// No starter has claimed the task.
  case pending
  /// The task belongs to a starter, and waits for its input or its context.
  case enqueued
  /// The work runs.
  case executing
  case completed, failed, cancelled

  /// Whether the task is completed, failed or cancelled.
  public var isFinished: Bool {
    switch self {
    case .pending, .enqueued, .executing: false
    case .completed, .failed, .cancelled: true
    }
  }
}

/// The misuse of a `FutureTask`.
public enum FutureTaskError: Error, Equatable, CustomStringConvertible {
  /// The task was started twice. The associated state is that at the second start.
  case used(FutureTaskState)

  /// The error as a sentence.
  public var description: String {
    switch self {
    case .used(let state): "a task can be started once, and this one is already \(state): make a task for each start"
    }
  }
}
