import Promises
import PromisesTestSupport
import Testing

@Suite("Contexts: executors of the user")
struct Executors {
  private let executor = ManualExecutor()
  private let log = Recorder<String>()

  @Test("a callback runs when the executor runs its job, once")
  func runs() {
    let promise = Promise<Int>()
    let derived = promise.then(on: executor.here) { $0 + 1 }
    promise.resolve(1)
    #expect(derived.state == .pending)
    let jobs = executor.take()
    #expect(jobs.count == 1)
    #expect(jobs[0].run())
    #expect(derived.value == 2)
    #expect(!jobs[0].run())
    #expect(!jobs[0].drop())
  }

  @Test("a job that is dropped rejects its promise, and releases the callback uncalled")
  func drops() throws {
    try withLifetimeTracking { tracker in
      let derived = Promise<Int>.resolve(1).then(on: executor.here) { [held = tracker.track(1)] in $0 + held.payload }
      let job = try #require(executor.take().first)
      #expect(job.drop())
      #expect(!job.run())
      let error = try #require(derived.rejectReason as? PromiseError)
      #expect(error.domain == "promise" && error.code == -8)
      #expect(tracker.live == 0)
    }
  }

  @Test("an executor may run a job in the settling call")
  func inline() {
    let promise = Promise<Int>()
    let derived = promise.then(on: InlineExecutor().here) { $0 + 1 }
    promise.resolve(1)
    #expect(derived.value == 2)
  }

  @Test("an executor lives as long as a pending callback needs it, and no longer")
  func lifetime() {
    withLifetimeTracking { tracker in
      let promise = Promise<Int>()
      let derived = promise.then(on: InlineExecutor(holding: tracker.track()).here) { $0 + 1 }
      #expect(tracker.live == 1)
      promise.resolve(1)
      #expect(tracker.live == 0)
      #expect(derived.value == 2)
    }
  }

  @Test("T35 an outcome that a callback does not handle passes in the settling call")
  func armNotTaken() {
    withLifetimeTracking { tracker in
      let promise = Promise<Int>()
      let passed = promise.then(on: executor.here) { [held = tracker.track()] value -> Int in
        held.touch()
        return value
      }
      .then(on: executor.here) { Promise<Int>.resolve($0) }
      promise.then(on: executor.here, { [held = tracker.track()] _ in held.touch() }, nil)
      promise.reject(TestError(1))
      #expect(passed.rejectReason as? TestError == TestError(1))
      #expect(executor.count == 0)
      // T36: the settling call releases the unused callback, too.
      #expect(tracker.live == 0)
    }
  }

  @Test("T35 a callback for rejections does not hop for a value")
  func noRejection() {
    let promise = Promise<Int>()
    promise.rescue(on: executor.here) { (_: TestError) in log.record("rescue") }
    promise.then(on: executor.here, nil, { _ in log.record("failure") })
    promise.then(on: executor.here, nil, nil)
    promise.resolve(1)
    #expect(executor.count == 0)
    #expect(log.events == [])
  }

  @MainActor @Test("T35 in each form, an outcome that a callback does not handle passes in the settling call")
  func formsNotTaken() {
    withLifetimeTracking { tracker in
      let (promise, other) = (Promise<Int>(), Promise<Int>())
      let derived: [Promise<Int>] = [
        promise.then(on: executor.here) { $0 + 1 }, promise.then(on: .main) { $0 + 1 },
        promise.then(on: executor.here, async: { Promise<Int>.resolve($0) }),
        promise.then(on: .main, async: { Promise<Int>.resolve($0) }),
        promise.then(on: executor.here, result: { Result<Int, TestError>.success($0) }),
        promise.then(on: .main, result: { Result<Int, TestError>.success($0) }),
      ]
      promise.then(on: .main, { [held = tracker.track()] _ in held.touch() }, nil)
      other.then(on: .main, nil, { [held = tracker.track()] _ in held.touch() })
      other.rescue(on: .main) { [held = tracker.track()] (_: TestError) in held.touch() }
      promise.reject(TestError(1))
      other.resolve(1)
      #expect(derived.map { $0.rejectReason as? TestError } == Array(repeating: TestError(1), count: 6))
      #expect(executor.count == 0)
      #expect(tracker.live == 0)
    }
  }

  @Test("T36 a callback that ran is released where it ran, right after it")
  func released() {
    let promise = Promise<Int>()
    attach(to: promise)
    promise.resolve(1)
    #expect(log.events == [])
    executor.runAll()
    #expect(log.events == ["first", "released in executor: true", "second", "released in executor: true"])
  }

  private func attach(to promise: Promise<Int>) {
    for name in ["first", "second"] {
      let sentinel = Sentinel { [executor, log] in log.record("released in executor: \(executor.isRunning)") }
      promise.then(on: executor.here, { _ in log.record(sentinel.name(name)) }, nil)
    }
  }

  @MainActor @Test("T2 a callback on main may run another turn, and its own turn continues afterwards")
  func nestedTurns() async {
    await #expect(processExitsWith: .success) {
      let executor = ManualExecutor()
      let log = Recorder<String>()
      PromiseContext.useMainExecutor(executor)
      Promise<Int>.resolve(1).then(
        on: .main,
        { _ in
          executor.runNext()
          Promise<Int>.resolve(3).then(on: .main, { _ in log.record("same turn") }, nil)
          log.record("outer, waiting: \(executor.count)")
        }, nil)
      Promise<Int>.resolve(2).then(on: .main, { _ in log.record("nested") }, nil)
      precondition(executor.count == 2)
      executor.runNext()
      precondition(log.events == ["nested", "outer, waiting: 0", "same turn"])
    }
  }

  @MainActor @Test("the substitute for the main queue runs the callbacks of main")
  func mainExecutor() async {
    await #expect(processExitsWith: .success) {
      let executor = ManualExecutor()
      let log = Recorder<String>()
      let thread = currentThread()
      PromiseContext.useMainExecutor(executor) { currentThread() == thread }
      precondition(PromiseContext.auto == .main)
      precondition(onThread { PromiseContext.auto } == .default)
      let done = Promise<Int>.resolve(1).then(on: .main) { log.record("\($0)") }.then(on: .main) { log.record("2") }
      _ = Promise<Int> { resolve, _ in log.record("block") }
      precondition(executor.count == 2)
      executor.runNext()
      precondition(log.events == ["1", "block", "2"] && done.state == .fulfilled)
      executor.runAll()
      precondition(log.events == ["1", "block", "2"])
      PromiseContext.useMainExecutor(nil)
      Promise<Int>.resolve(1).then(on: .main, { _ in log.record("main queue") }, nil)
      precondition(executor.count == 0)
    }
  }
}
