// Tasks that get a future's value as input. The task is enqueued by the call, so that no other caller can start it. If
// the future is rejected or cancelled, the task is cancelled with that error as indirect error, and not started.
extension Future where Value: Sendable, Failure: Error {
  /// Starts a task with this future's value.
  ///
  ///     start(running: Download(), with: url).start(running: Parsing()).whenFulfilled(on: .main) { show($0) }
  ///
  /// - Parameters:
  ///   - task: a pending task.
  ///   - context: the context in which the task's `start(with:)` is called.
  ///   - pool: a pool that the task is added to.
  /// - Returns: the task's future: cancelled with this future's error as indirect error, if there is one.
  @discardableResult
  public func start<Output>(
    running task: FutureTask<Value, Output>, on context: PromiseContext = .utility, using pool: CancellationPool? = nil
  ) -> ThrowingFuture<Output> {
    task.claimed(for: pool) { whenResolved { task.launch(after: $0, on: context) } }
  }

  /// Starts several tasks with this future's value, as the function `start(running:with:on:using:)` does.
  ///
  /// - Returns: a future of the outputs, in the order of the tasks.
  @discardableResult
  public func start<Output>(
    running tasks: [FutureTask<Value, Output>], on context: PromiseContext = .utility,
    using pool: CancellationPool? = nil
  ) -> ThrowingFuture<[Output]> {
    group(tasks, in: pool) { tasks in
      whenResolved { result in
        for task in tasks { task.launch(after: result, on: context) }
      }
    }
  }

  /// Starts a task with this future's value, and pairs the value with the task's output.
  ///
  /// - Returns: a future of the pair. If this future or the task fails or is cancelled, it has that outcome.
  @_disfavoredOverload
  @discardableResult
  public func additionally<Output>(
    running task: FutureTask<Value, Output>, on context: PromiseContext = .utility, using pool: CancellationPool? = nil
  ) -> ThrowingFuture<(Value, Output)> {
    let output = start(running: task, on: context, using: pool)
    return upcast.flatMap { value in output.map { (value, $0) } }
  }

  /// Starts a task when this future is settled, with any outcome.
  ///
  /// - Returns: the task's future.
  @discardableResult
  public func always(
    running task: FutureTask<Void, Void>, on context: PromiseContext = .utility, using pool: CancellationPool? = nil
  ) -> ThrowingFuture<Void> {
    task.claimed(for: pool) { whenResolved { _ in task.launch(with: (), on: context) } }
  }
}
