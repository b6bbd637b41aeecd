import Promises
import PromisesTestSupport
import Testing

@Suite("Tasks: in chains")
struct TaskChainTests {
  private let executor = ManualExecutor()
  private let pool = CancellationPool()
  private let resolver = Resolver<Int, any Error>()

  @Test("D40: a task gets the future's value as input; it is enqueued by the call")
  func one() {
    let task = Doubling(finishes: true)
    let output = resolver.future.start(running: task, on: executor.here)
    #expect(output == task.future && task.state == .enqueued && executor.count == 0)
    resolver.fulfill(4)
    #expect(task.log.events == [])
    executor.runAll()
    #expect(output.value == 8)
  }

  @Test("D39, D40, D43: an error or a cancellation cancels the tasks because of it; none is started", arguments: 0..<3)
  func upstream(end: Int) {
    let tasks = (0..<3).map { _ in Doubling(finishes: true) }
    let one = resolver.future.start(running: tasks[0], on: executor.here)
    let group = resolver.future.start(running: Array(tasks[1...]), on: executor.here)
    switch end {
    case 0: resolver.reject(TestError(2))
    case 1: resolver.cancel(because: TestError(2))
    default: resolver.cancel()
    }
    executor.runAll()
    #expect(one.state == .cancelled && group.state == .cancelled)
    let cause = end == 2 ? nil : TestError(2)
    #expect(one.result?.indirectError as? TestError == cause && group.result?.indirectError as? TestError == cause)
    let line = "cancelled true \(end == 2 ? "nil" : "TestError(code: 2)")"
    #expect(tasks.map(\.log.events) == [[line], [line], [line]])
  }

  @Test("D43: a group gets the future's value, and its first failure cancels the rest")
  func group() {
    let tasks = [Doubling(finishes: true), Doubling()]
    let outputs = resolver.future.start(running: tasks, on: executor.here, using: pool)
    resolver.fulfill(3)
    #expect(executor.count == 2)
    executor.runAll()
    #expect(tasks.map(\.state) == [.completed, .executing])
    tasks[1].fail(with: TestError(1))
    #expect(outputs.error as? TestError == TestError(1) && tasks[0].state == .completed)
    let more = [Doubling(finishes: true), Doubling(finishes: true)]
    let all = ThrowingFuture(fulfilled: 3).start(running: more, on: executor.here)
    executor.runAll()
    #expect(all.value == [6, 6])
  }

  @Test("D40, D57: draining the pool cancels a task that waits for its input, and nothing upstream of it")
  func drained() {
    let task = Doubling(finishes: true)
    let output = resolver.future.start(running: task, on: executor.here, using: pool)
    pool.drain()
    #expect(output.state == .cancelled && resolver.future.state == .pending && !resolver.isCancelRequested)
    resolver.fulfill(1)
    executor.runAll()
    #expect(task.log.events == ["cancelled true nil"])
  }

  @Test("D43, D44, D53, D55: draining the pool cancels each task that waits in a chain")
  func pooled() {
    final class CleaningUp: FutureTask<Void, Void>, @unchecked Sendable {}
    let group = [Doubling(), Doubling()]
    let (additional, last) = (Doubling(), CleaningUp())
    let ends: [FutureState] = {
      let outputs = resolver.future.start(running: group, on: executor.here, using: pool)
      let pair = resolver.future.additionally(running: additional, on: executor.here, using: pool)
      let done = resolver.future.always(running: last, on: executor.here, using: pool)
      pool.drain()
      resolver.fulfill(1)
      return [outputs.state, pair.state, done.state]
    }()
    #expect(ends == [.cancelled, .cancelled, .cancelled])
    #expect((group + [additional]).map(\.state) == [.cancelled, .cancelled, .cancelled] && last.isCancelled)
  }

  @Test("D44: the additional task runs in its context")
  func additionallyThere() {
    let task = Doubling(finishes: true)
    let pair = resolver.future.additionally(running: task, on: executor.here)
    resolver.fulfill(4)
    #expect(task.state == .enqueued && executor.count == 1)
    executor.runAll()
    #expect(pair.value?.1 == 8)
  }

  @Test("D44: the pair of the value and the task's output; an error of the future or of the task is that of the pair")
  func additionally() {
    let pair = resolver.future.additionally(running: Doubling(finishes: true), on: executor.here)
    let failing = Doubling()
    let failed = resolver.future.additionally(running: failing, on: executor.here)
    resolver.fulfill(4)
    executor.runAll()
    #expect(pair.value?.0 == 4 && pair.value?.1 == 8)
    failing.fail(with: TestError(1))
    #expect(failed.error as? TestError == TestError(1))

    let task = Doubling(finishes: true)
    let upstream = ThrowingFuture<Int>(rejected: TestError(2)).additionally(running: task, on: executor.here)
    #expect(upstream.error as? TestError == TestError(2), "rejected, not cancelled")
    #expect(task.future.result?.indirectError as? TestError == TestError(2))
  }

  @Test("D53: a task can be started for any outcome of a future", arguments: 0..<3)
  func always(end: Int) {
    final class CleaningUp: FutureTask<Void, Void>, @unchecked Sendable {
      override func start(with input: Void) {
        guard begin() else { return }
        complete()
      }
    }
    let task = CleaningUp()
    let done = resolver.future.always(running: task, on: executor.here)
    #expect(done == task.future && task.state == .enqueued)
    [{ _ = resolver.fulfill(1) }, { _ = resolver.reject(TestError(1)) }, { _ = resolver.cancel() }][end]()
    #expect(task.state == .enqueued && executor.count == 1)
    executor.runAll()
    #expect(task.state == .completed)
  }

  @Test("D23, D40, D53: a task that was used before is an error in a chain too")
  func used() {
    let task = Doubling()
    task.complete(with: 1)
    #expect(resolver.future.start(running: task).error as? FutureTaskError == .used(.completed))
    #expect(resolver.future.start(running: [task]).error as? FutureTaskError == .used(.completed))
    #expect(resolver.future.additionally(running: task).state == .pending)
  }
}
