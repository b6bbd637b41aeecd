extension Future {
  /// Returns the outcome; suspends the task until the future is settled.
  ///
  /// If the task is cancelled, the future is asked to cancel, unless it has other consumers: another task, a callback,
  /// a derived future. This method still returns only when the future is settled, because a cancellation is advice to
  /// the producer. `cancellingImmediatelyUponRequest()` returns a future that settles at the request. To leave the
  /// future itself alone, await its `makeChild()` and keep the child.
  ///
  /// - Thread: any; the task resumes on the caller's actor.
  @discardableResult
  public nonisolated(nonsending) func settled() async -> FutureResult<Value, Failure> {
    await cell.untilSettled()
    return cell.value.result(isRejected: cell.seenState.isRejected)
  }
}

extension Future where Failure: Error {
  /// Returns the value; suspends the task until the future is settled, as `settled()` does.
  ///
  /// - Throws: the error of a rejected future. For a cancelled one, the indirect error, or `CancellationError` without
  ///   one.
  public nonisolated(nonsending) func get() async throws -> Value { try await settled().get() }

  /// Returns the value; suspends the task until the future is settled, as `settled()` does. Throws only errors of the
  /// future's type.
  ///
  ///     let user = try await load(id).get { _ in LoadError.stopped }
  ///
  /// - Parameter cancelled: returns the error to throw for a cancelled future; its argument is the indirect error.
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
  /// Creates a pending future and starts a task that settles it with the result of `operation`, or with the error that
  /// it throws.
  ///
  ///     let size = Future { try await download(url).count }
  ///
  /// A request to cancel cancels the task. If `operation` throws `CancellationError`, the future is cancelled.
  /// Releasing the future does not end the task, unless a future derived from it has requested cancellation.
  ///
  /// - Parameters:
  ///   - priority: the task's priority; `nil` for the caller's.
  ///   - operation: runs once, on the global executor.
  public convenience init(
    priority: TaskPriority? = nil, _ operation: @escaping @Sendable () async throws(Failure) -> Value
  ) {
    let work = PromiseTask()
    self.init(cell: .discardable { work.cancel() })
    work.start(priority, settling: cell) { .encoding(try await operation()) }
  }
}
