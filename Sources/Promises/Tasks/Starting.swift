/// Starts a task with `input`.
///
///     start(running: Download(), with: url, using: pool).onSuccess(on: .main) { show($0) }
///
/// - Parameters:
///   - task: a pending task.
///   - input: the argument of the task's `start(with:)`.
///   - context: the context in which the task's `start(with:)` is called.
///   - pool: a pool that the task is added to.
/// - Returns: the task's future; if the task was used before, a future rejected with `FutureTaskError.used`.
@discardableResult
public func start<Input, Output>(
  running task: FutureTask<Input, Output>, with input: Input, on context: PromiseContext = .utility,
  using pool: CancellationPool? = nil
) -> ThrowingFuture<Output> {
  task.claimed(for: pool) { task.launch(with: input, on: context) }
}

/// Starts a task without input. See `start(running:with:on:using:)`.
@discardableResult
public func start<Output>(
  running task: FutureTask<Void, Output>, on context: PromiseContext = .utility, using pool: CancellationPool? = nil
) -> ThrowingFuture<Output> {
  start(running: task, with: (), on: context, using: pool)
}

/// Starts several tasks with the same input, all at once; in a serial context they begin in order.
///
/// The first task that fails or is cancelled ends the group: all others are cancelled, with the error as indirect
/// error, and then the group's future has that outcome. A task that was used before counts as one that fails.
///
/// - Parameters:
///   - tasks: pending tasks.
///   - input: the argument of each task's `start(with:)`.
///   - context: the context in which the tasks' `start(with:)` is called.
///   - pool: a pool that the tasks are added to.
/// - Returns: a future of the outputs, in the order of the tasks.
@discardableResult
public func start<Input, Output>(
  running tasks: [FutureTask<Input, Output>], with input: Input, on context: PromiseContext = .utility,
  using pool: CancellationPool? = nil
) -> ThrowingFuture<[Output]> {
  group(tasks, in: pool) { tasks in
    for task in tasks { task.launch(with: input, on: context) }
  }
}

/// Runs a closure in `context`.
///
/// - Returns: a future of the result; rejected with an error that `body` throws.
@_disfavoredOverload
@discardableResult
public func start<Output>(
  on context: PromiseContext = .utility, executing body: sending @escaping () throws -> Output
) -> ThrowingFuture<Output> {
  ThrowingFuture<Void>(fulfilled: ()).derive(
    on: context, token: nil, .transforming(.fulfilled), ThrowingFuture<Void>.mapping(ignoringInput(consume body)))
}

/// Runs a closure on the main actor. See `start(on:executing:)`.
@discardableResult
public func start<Output>(
  on main: MainContext, executing body: consuming @escaping @MainActor () throws -> Output
) -> ThrowingFuture<Output> {
  ThrowingFuture<Void>(fulfilled: ()).tryMap(on: main, mainActor(ignoringInput: consume body))
}

private func ignoringInput<Output>(_ body: @escaping () throws -> Output) -> (()) throws -> Output {
  { _ in try body() }
}

private func mainActor<Output>(
  ignoringInput body: @escaping @MainActor () throws -> Output
) -> @MainActor (()) throws -> Output {
  { _ in try body() }
}

private struct WeakTask<Input: Sendable, Output: Sendable>: Sendable {
  nonisolated(unsafe) weak var task: FutureTask<Input, Output>?
}

/// Claims all tasks, then calls `launch` with those that were not used before. Returns the future of the group.
func group<Input, Output>(
  _ tasks: [FutureTask<Input, Output>], in pool: CancellationPool?, launch: ([FutureTask<Input, Output>]) -> Void
) -> ThrowingFuture<[Output]> {
  // A task that was used before belongs to another owner: the group leaves it alone.
  var own: [FutureTask<Input, Output>] = []
  let futures = tasks.map { task in task.claimed(for: pool) { own.append(task) } }
  // Held weakly: a task that its work has dropped cancels its future, and so the group.
  let members = own.map { WeakTask(task: $0) }
  // The result of `onComplete` is settled after its callback, so all tasks are finished by then.
  let outputs = when(fulfilled: futures).onComplete { result in
    if case .fulfilled = result { return }
    for member in members { unsafe member.task?.cancel(because: result.error ?? result.indirectError, reports: false) }
  }
  launch(own)
  return outputs
}

extension FutureTask {
  /// Claims the task for the caller, adds it to the pool and calls `launch`.
  ///
  /// - Returns: the task's future; if the task was used before, a future rejected with `FutureTaskError.used`.
  func claimed(for pool: CancellationPool?, launch: () -> Void) -> ThrowingFuture<Output> {
    do { try enqueue() } catch { return ThrowingFuture(rejected: error) }
    pool?.add(self)
    launch()
    return future
  }

  /// Calls `start(with:)` in `context`, unless the task began or is finished by then.
  func launch(with input: Input, on context: PromiseContext) {
    ThrowingFuture<Input>(fulfilled: input)
      .onSuccess(on: context) { input in
        if !self.isFinished && self.state != .executing { self.start(with: input) }
      }
      // The executor refused the job.
      .whenAnyError { error in if !self.isFinished { self.fail(with: error) } }
  }

  /// Starts the task with a value; cancels it because of an error.
  func launch(after result: FutureResult<Input, some Error>, on context: PromiseContext) {
    switch result {
    case .fulfilled(let input): launch(with: input, on: context)
    case .rejected(let error): cancel(because: error, reports: false)
    case .cancelled(let error): cancel(because: error, reports: false)
    }
  }
}
