import Synchronization

extension Promise where Value: Sendable {
  /// Creates a pending promise and starts a task that settles it, with what `operation` returns or throws.
  ///
  ///     let size = Promise { try await download(url).count }
  ///
  /// The closure is one that awaits something: one that does not is the block of `init(discard:)`, if it stands behind
  /// the parentheses.
  ///
  /// `discard()`, or a request to cancel, cancels the task. If `operation` throws `CancellationError`, the promise is
  /// discarded. Letting go of the promise does not end the task.
  ///
  /// - Parameters:
  ///   - priority: the task's; `nil` for that of the caller.
  ///   - operation: runs once, on the global executor.
  public convenience init(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws -> Value
  ) {
    let work = PromiseTask()
    self.init(cell: .discardable { work.cancel() })
    work.start(priority, settling: cell) { .encoding(try await operation()) }
  }
}

/// The task that settles a promise, as the promise's handlers of discarding and of requests know it.
final class PromiseTask: Sendable {
  private enum State {
    static let new = 0
    static let started = 1
    static let cancelled = 2
  }
  private let state = Atomic(State.new)
  // Written once, before the state says so.
  private nonisolated(unsafe) var task: _Concurrency.Task<Void, Never>?

  /// Starts the task; it has a reference to the promise until it ends.
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

  /// Cancels the task, now or as soon as it is started.
  func cancel() {
    let before = state.exchange(State.cancelled, ordering: .acquiringAndReleasing)
    if before == State.started { unsafe task?.cancel() }
  }
}
