import Synchronization

extension Promise where Value: Sendable {
  /// Creates a pending promise and starts a task that settles it with the result of `operation`, or with the error that
  /// it throws.
  ///
  ///     let size = Promise { try await download(url).count }
  ///
  /// This initializer takes a closure that contains an `await`. A closure without one runs on the main queue, by
  /// `init(_:)`.
  ///
  /// `discard()` or a request to cancel cancels the task. If `operation` throws `CancellationError`, the promise is
  /// discarded. Releasing the promise does not end the task.
  ///
  /// - Parameters:
  ///   - priority: the task's priority; `nil` for the caller's.
  ///   - operation: runs once, on the global executor.
  public convenience init(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws -> Value
  ) {
    let work = PromiseTask()
    self.init(cell: .discardable { work.cancel() })
    work.start(priority, settling: cell) { .encoding(try await operation()) }
  }
}

/// The task that settles a promise, referenced by the promise's discard block and handler of cancel requests.
final class PromiseTask: Sendable {
  // new --start()--> started --cancel()--> cancelled
  // new --cancel()--> cancelled
  private enum State {
    static let new = 0
    static let started = 1
    static let cancelled = 2
  }
  private let state = Atomic(State.new)
  // Written once, before `state` becomes `started`.
  private nonisolated(unsafe) var task: _Concurrency.Task<Void, Never>?

  /// Starts the task. The task holds a reference to the promise until it ends.
  func start(
    _ priority: TaskPriority?, settling cell: CellRef, _ operation: @escaping @Sendable () async throws -> CellValue
  ) {
    _ = cell.retain()
    unsafe task = _Concurrency.Task(priority: priority) {
      do {
        _ = cell.settle(try await operation(), .fulfilled)
      } catch is CancellationError {
        _ = cell.discard()
      } catch {
        _ = cell.settle(.encoding(failure: error), .rejected)
      }
      cell.release()
    }
    let before = state.exchange(State.started, ordering: .acquiringAndReleasing)
    if before == State.cancelled { unsafe task?.cancel() }
    cell.onCancelRequest { self.cancel() }
  }

  /// Cancels the task, at once or as soon as it is started.
  func cancel() {
    let before = state.exchange(State.cancelled, ordering: .acquiringAndReleasing)
    if before == State.started { unsafe task?.cancel() }
  }
}
