extension Future {
  /// How the future ended; suspends the task until it has.
  ///
  /// If the task is cancelled, the future is asked to cancel, unless something else waits for it too: another task, a
  /// callback, a future derived from it. This still returns only once the future is settled, as whoever settles it
  /// decides what becomes of it; `cancellingImmediatelyUponRequest` makes one that ends at the request. Await
  /// `makeChild()` and keep that to leave the future itself alone.
  ///
  /// - Thread: any; the caller goes on where it was.
  public nonisolated(nonsending) func settled() async -> FutureResult<Value, Failure> {
    await cell.untilSettled()
    return cell.value.result(isRejected: cell.seenState.isRejected)
  }
}

extension Future where Failure: Error {
  /// The value; suspends the task until the future is settled, as `settled()` does.
  ///
  /// Throws the error that the future is rejected with. If the future is cancelled, throws the indirect error, or
  /// `CancellationError` if there is none.
  public nonisolated(nonsending) func get() async throws -> Value { try await settled().get() }

  /// The value; suspends the task until the future is settled, as `settled()` does. Throws nothing but the future's own
  /// type of error.
  ///
  ///     let user = try await load(id).get { _ in LoadError.stopped }
  ///
  /// - Parameter cancelled: what to throw if the future is cancelled. Gets the indirect error.
  public nonisolated(nonsending) func get(
    ifCancelled cancelled: (_ indirectError: (any Error)?) -> Failure
  ) async throws(Failure) -> Value {
    switch await settled() {
    case .fulfilled(let value): return value
    case .rejected(let error): throw error
    case .cancelled(let error): throw cancelled(error)
    }
  }
}

extension Future where Value: Sendable, Failure: Error {
  /// Creates a pending future and starts a task that settles it, with what `operation` returns or throws.
  ///
  ///     let size = Future { try await download(url).count }
  ///
  /// A request to cancel cancels the task. If `operation` throws `CancellationError`, the future is cancelled. Letting go
  /// of the future does not end the task, unless something derived from it had asked for that.
  ///
  /// - Parameters:
  ///   - priority: the task's; `nil` for that of the caller.
  ///   - operation: runs once, on the global executor.
  public convenience init(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws(Failure) -> Value
  ) {
    let work = PromiseTask()
    self.init(cell: .discardable { work.cancel() })
    work.start(priority, settling: cell) { .encoding(try await operation()) }
  }
}
