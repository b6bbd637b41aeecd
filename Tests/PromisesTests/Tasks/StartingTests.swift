import Promises
import PromisesTestSupport
import Testing

@Suite("Tasks: starting one, a closure, a group")
struct StartingTests {
  private let executor = ManualExecutor()
  private let pool = CancellationPool()

  @Test("D34: a started task is enqueued, then runs in the context with its input; the future is the task's")
  func one() {
    let task = Doubling(finishes: true)
    let future = start(running: task, with: 4, on: executor.here)
    #expect(future == task.future && task.state == .enqueued && task.log.events == [])
    executor.runAll()
    #expect(future.value == 8 && task.log.events == ["start 4"])
  }

  @Test("D34, D55: a started task is in the pool: draining it cancels the task, and its body does not run")
  func pooled() {
    let task = Doubling(finishes: true)
    let future = start(running: task, with: 1, on: executor.here, using: pool)
    pool.drain()
    executor.runAll()
    #expect(future.state == .cancelled && task.log.events == ["cancelled true nil"])
  }

  @Test("D23, D34: the second start of a task is a failed future; the first start continues")
  func twice() {
    let task = Doubling(finishes: true)
    let first = start(running: task, with: 1, on: executor.here)
    let second = start(running: task, with: 5, on: executor.here, using: pool)
    #expect(second.error as? FutureTaskError == .used(.enqueued))
    pool.drain()
    executor.runAll()
    #expect(first.value == 2 && task.log.events == ["start 1"])
  }

  @Test("D26: a task that began or finished before its context ran is left alone", arguments: [true, false])
  func tooLate(begins: Bool) {
    final class Careless: FutureTask<Int, Int>, @unchecked Sendable {
      override func start(with input: Int) { Issue.record("started") }
    }
    let task = Careless()
    start(running: task, with: 1, on: executor.here)
    if begins { task.begin() } else { task.complete(with: 7) }
    executor.runAll()
    #expect(task.state == (begins ? .executing : .completed))
  }

  @Test("D35: a task without input is started by start(running:on:using:)")
  func withoutInput() {
    final class Answer: FutureTask<Void, String>, @unchecked Sendable {
      override func start(with input: Void) {
        guard begin() else { return }
        complete(with: "42")
      }
    }
    let future = start(running: Answer(), on: executor.here)
    let pooled = start(running: Answer(), on: executor.here, using: pool)
    pool.drain()
    #expect(pooled.state == .cancelled)
    executor.runAll()
    #expect(future.value == "42")
  }

  @Test("D36: a closure runs in the context; an error that it throws rejects")
  func closure() {
    let executor = executor
    let value = start(on: executor.here) { executor.isRunning ? 3 : 0 }
    let failed: ThrowingFuture<Int> = start(on: executor.here) { throw TestError(4) }
    #expect(value.state == .pending)
    executor.runAll()
    #expect(value.value == 3 && failed.error as? TestError == TestError(4))
  }

  @Test("D34, D35, D36, D37, D40, D43, D44, D53: without a context, work runs on a thread of the pool")
  func defaultContext() throws {
    final class Locating: FutureTask<Void, Void>, @unchecked Sendable {
      let log: Recorder<UInt>
      init(_ log: Recorder<UInt>) { self.log = log }
      override func start(with input: Void) {
        guard begin() else { return }
        log.record(currentThread())
        complete()
      }
    }
    let settled = ThrowingFuture<Void>(fulfilled: ())
    let starts: [(Recorder<UInt>) -> ThrowingFuture<Void>] = [
      { start(running: Locating($0), with: ()) }, { start(running: Locating($0)) },
      { log in start { log.record(currentThread()) } },
      { start(running: [Locating($0)], with: ()).map { _ in } },
      { settled.start(running: Locating($0)) }, { settled.start(running: [Locating($0)]).map { _ in } },
      { settled.additionally(running: Locating($0)).map { _ in } }, { settled.always(running: Locating($0)) },
    ]
    for (index, start) in starts.enumerated() {
      let log = Recorder<UInt>()
      #expect(try start(log).wait().value != nil)
      #expect(log.count == 1 && log.events != [currentThread()], "start \(index)")
    }
  }

  @Test("D37, D38: a task of a group that its work has dropped cancels the group, and no task stays")
  func droppedInAGroup() {
    final class Forgotten: FutureTask<Int, Int>, @unchecked Sendable {
      override func start(with input: Int) { _ = begin() }
    }
    weak var other: Doubling?
    let outputs: ThrowingFuture<[Int]>
    do {
      let held = Doubling()
      other = held
      outputs = start(running: [Forgotten(), held], with: 1, on: .immediate)
    }
    #expect(outputs.state == .cancelled && other == nil)
  }

  @Test("D37: a group has one input, begins in order, and has the outputs in the order of the tasks")
  func group() throws {
    let tasks = (0..<3).map { _ in Doubling() }
    let outputs = start(running: tasks, with: 5, on: executor.here, using: pool)
    #expect(tasks.map(\.state) == [.enqueued, .enqueued, .enqueued])
    for index in 0..<3 {
      executor.runNext()
      #expect(tasks.map(\.log.count) == (0..<3).map { $0 <= index ? 1 : 0 })
    }
    for index in [2, 0, 1] { tasks[index].complete(with: index) }
    #expect(outputs.value == [0, 1, 2])
    #expect(tasks.allSatisfy { $0.log.events == ["start 5"] })
    #expect(start(running: [Doubling](), with: 1).value == [])
  }

  @Test("D38: the first failure cancels the rest because of it, and then the group fails", arguments: [true, false])
  func firstEnd(fails: Bool) {
    let tasks = (0..<3).map { _ in Doubling() }
    let outputs = start(running: tasks, with: 5, on: executor.here)
    executor.runNext()
    let seen = Recorder<[Bool]>()
    outputs.whenResolved { _ in seen.record(tasks.map(\.isFinished)) }
    if fails { tasks[1].fail(with: TestError(2)) } else { tasks[1].cancel(because: TestError(2)) }
    #expect(seen.events == [[true, true, true]], "in the group's callbacks every task is finished")
    #expect((fails ? outputs.error : outputs.result?.indirectError) as? TestError == TestError(2))
    let cancelled = "cancelled true TestError(code: 2)"
    #expect(tasks[0].log.events == ["start 5", cancelled] && tasks[2].log.events == [cancelled])
    executor.runAll()
    #expect(tasks[2].log.events == [cancelled], "a task that was cancelled in the queue does not begin")
  }

  @Test("D38, D55: draining the pool cancels a group without an indirect error; so does a request to its future")
  func groupCancelled() {
    for asks in [false, true] {
      let tasks = (0..<2).map { _ in Doubling() }
      let outputs = start(running: tasks, with: 5, on: executor.here, using: pool)
      if asks { outputs.requestCancel() } else { pool.drain() }
      #expect(outputs.state == .cancelled && outputs.result?.indirectError == nil)
      #expect(tasks.map(\.log.events) == [["cancelled true nil"], ["cancelled true nil"]])
    }
    executor.runAll()
  }

  @Test("D38: in the callbacks of a cancelled group the work of every task has stopped, that of the first one too")
  func groupCallbacks() {
    let tasks = (0..<3).map { _ in Doubling() }
    let outputs = start(running: tasks, with: 5, on: executor.here, using: pool)
    let stopped = Recorder<[Bool]>()
    outputs.whenCancelled { _ in stopped.record(tasks.map { $0.log.count == 1 }) }
    pool.drain()
    #expect(stopped.events == [[true, true, true]])
    executor.runAll()
  }

  @Test("D23, D38: a task that was used before ends a group as a failure does")
  func groupWithUsed() {
    let tasks = (0..<2).map { _ in Doubling() }
    tasks[1].begin()
    let outputs = start(running: tasks, with: 5, on: executor.here)
    #expect(outputs.error as? FutureTaskError == .used(.executing))
    #expect(tasks.map(\.state) == [.cancelled, .executing], "the used one belongs to somebody else")
    let twice = Doubling()
    #expect(start(running: [twice, twice], with: 5).error as? FutureTaskError == .used(.enqueued))
    #expect(twice.state == .cancelled)
    tasks[1].cancel()
    executor.runAll()
  }

  @Test("D26: an executor that drops the job fails the task, and releases it")
  func dropped() {
    let task = Doubling(finishes: true)
    let future = start(running: task, with: 1, on: executor.here)
    for job in executor.take() { #expect(job.drop()) }
    #expect(task.state == .failed && future.error is PromiseError)
  }

  @Test("D18: a finished task is released with its last user, and a waiting one when its source is destroyed")
  func released() {
    withLifetimeTracking { tracker in
      final class Holding: FutureTask<Int, Int>, @unchecked Sendable {
        let held: Tracked<Void>
        init(_ held: Tracked<Void>) { self.held = held }
        override func start(with input: Int) { complete(with: input) }
      }
      start(running: Holding(tracker.track()), with: 1, on: executor.here)
      executor.runAll()
      let resolver = Resolver<Int, any Error>()
      let end = resolver.future.start(running: Holding(tracker.track()), on: executor.here)
      #expect(end.state == .pending)
    }
  }
}
