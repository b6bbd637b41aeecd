import Dispatch
import Promises
import PromisesTestSupport
import Testing

@Suite("Contexts: where a callback runs")
struct ContextTests {
  private let context = QueueContext()

  @Test("a callback with a context runs in the context, not in the settling call, and settles its promise there")
  func settledLater() {
    let log = Recorder<String>()
    let promise = Promise<Int>()
    let derived = promise.then(on: context.here) { value -> Int in
      log.record("handler in context: \(QueueContext.isCurrent)")
      return value + 1
    }
    derived.then({ log.record("derived \($0) in context: \(QueueContext.isCurrent)") }, nil)
    promise.resolve(1)
    #expect(log.events == [])
    #expect(derived.state == .pending)
    context.run()
    #expect(log.events == ["handler in context: true", "derived 2 in context: true"])
    #expect(derived.value == 2)
  }

  @Test("a callback attached to a settled promise runs in its context too")
  func attachedLate() {
    let log = Recorder<Bool>()
    Promise<Int>.resolve(1).then(on: context.here, { _ in log.record(QueueContext.isCurrent) }, nil)
    Promise<Int>.reject(1).rescue(on: context.here) { (_: Int) in log.record(QueueContext.isCurrent) }
    #expect(log.events == [])
    context.run()
    #expect(log.events == [true, true])
  }

  @Test("every kind of callback takes a context")
  func allKinds() {
    let log = Recorder<String>()
    let record = { @Sendable (name: String) in log.record(QueueContext.isCurrent ? name : "\(name) elsewhere") }
    let here = context.here
    let fulfilled = Promise<Int>.resolve(1)
    let rejected = Promise<Int>.reject(TestError(1))
    fulfilled.then(on: here, { _ in record("success") }, nil)
    rejected.then(on: here, nil, { _ in record("failure") })
    let derived: [Promise<Int>] = [
      fulfilled.then(on: here) { value -> Int in
        record("then")
        return value
      },
      fulfilled.then(on: here) { value -> Promise<Int> in
        record("async then")
        return .resolve(value)
      },
      rejected.rescue(on: here) { (error: TestError) -> Int in
        record("rescue")
        return error.code
      },
      rejected.rescue(on: here) { (error: TestError) -> Promise<Int> in
        record("async rescue")
        return .resolve(error.code)
      },
      rejected.anyway(on: here) { value -> Int in
        record("anyway")
        return value ?? 1
      },
      rejected.anyway(on: here) { value -> Promise<Int> in
        record("async anyway")
        return .resolve(value ?? 1)
      },
    ]
    rejected.rescue(on: here) { (_: TestError) in record("void rescue") }
    context.run()
    #expect(
      log.events == [
        "success", "failure", "then", "async then", "rescue", "async rescue", "anyway", "async anyway", "void rescue",
      ])
    #expect(derived.map(\.value) == [1, 1, 1, 1, 1, 1])
  }

  @Test("an error thrown by a callback in a context rejects its promise; an outcome that it does not handle skips it")
  func failures() {
    let throwing = Promise<Int>.resolve(1).then(on: context.here) { _ -> Int in throw TestError(2) }
    let passed = Promise<Int>.reject(TestError(3)).then(on: context.here) { $0 }
    let other = Promise<Int>.reject(TestError(4)).rescue(on: context.here) { (_: OtherError) in 0 }
    let forwarded = Promise<Int>.resolve(5).rescue(on: context.here) { (_: OtherError) in 0 }
    context.run()
    #expect(throwing.rejectReason as? TestError == TestError(2))
    #expect(passed.rejectReason as? TestError == TestError(3))
    #expect(other.rejectReason as? TestError == TestError(4))
    #expect(forwarded.value == 5)
  }

  // On the main actor, so that the main queue runs nothing meanwhile.
  @MainActor @Test("a callback that does not handle the outcome takes no turn of its context, nor of the main queue")
  func unhandledOutcomes() {
    let executor = ManualExecutor()
    withLifetimeTracking { tracker in
      let (value, reason) = (Promise<Int>.resolve(1), Promise<Int>.reject(TestError(2)))
      value.rescue(on: executor.here) { [held = tracker.track()] (_: TestError) in held.touch() }
      value.rescue(on: .main) { [held = tracker.track()] (_: TestError) in held.touch() }
      #expect(tracker.live == 0)
      let passed: [Promise<Int>] = [
        reason.then(on: executor.here) { $0 }, reason.then(on: .main) { $0 },
        reason.then(on: executor.here, async: { .resolve($0) }), reason.then(on: .main, async: { .resolve($0) }),
        reason.then(on: executor.here, result: { Result<Int, TestError>.success($0) }),
        reason.then(on: .main, result: { Result<Int, TestError>.success($0) }),
      ]
      #expect(passed.map(\.state) == Array(repeating: .rejected, count: 6))
    }
    #expect(executor.count == 0)
  }

  @Test("callbacks in a serial context run in the order in which they were attached")
  func order() {
    let log = Recorder<Int>()
    let promise = Promise<Int>()
    for index in 0..<100 { promise.then(on: context.here, { _ in log.record(index) }, nil) }
    promise.resolve(0)
    context.run()
    #expect(log.events == Array(0..<100))
  }

  @Test("a callback that ran is released where it ran")
  func releasedThere() {
    let log = Recorder<Bool>()
    let promise = Promise<Int>()
    attach(promise, log)
    promise.resolve(1)
    #expect(log.events == [])
    context.run()
    #expect(log.events == [true])
  }

  private func attach(_ promise: Promise<Int>, _ log: Recorder<Bool>) {
    let sentinel = Sentinel { log.record(QueueContext.isCurrent) }
    promise.then(on: context.here, { _ in sentinel.touch() }, nil)
  }

  @Test("a callback whose promise is released while pending is released, uncalled")
  func abandoned() {
    withLifetimeTracking { tracker in
      do {
        let promise = Promise<Int>()
        promise.then(on: context.here, { [held = tracker.track()] _ in held.touch() }, nil)
        _ = promise.then(on: context.here) { [held = tracker.track(1)] value in value + held.payload }
        #expect(tracker.live == 2)
      }
      #expect(tracker.live == 0)
    }
  }

  @Test("a derived promise settled by its consumer while its callback waits keeps that outcome")
  func settledMeanwhile() {
    let calls = Recorder<Void>()
    let derived = Promise<Int>.resolve(1).then(on: context.here) { value -> Int in
      calls.record()
      return value
    }
    derived.resolve(2)
    context.run()
    #expect(calls.count == 1)
    #expect(derived.value == 2)
  }

  @Test("the immediate context behaves as a call without a context")
  func immediate() {
    let log = Recorder<Int>()
    let promise = Promise<Int>()
    promise.then(on: .immediate, { log.record($0) }, nil)
    promise.then({ log.record($0 + 1) }, nil)
    promise.resolve(1)
    #expect(log.events == [1, 2])
  }

  @MainActor @Test("a promise's block runs in its context, and in the immediate one later, on the main queue")
  func block() async {
    let log = Recorder<String>()
    let mainThread = currentThread()
    _ = Promise<Int>(on: context.here) { _, _ in log.record("in context: \(QueueContext.isCurrent)") }
    context.run()
    _ = Promise<Int>(on: .immediate) { _, _ in log.record("on the main queue: \(currentThread() == mainThread)") }
    #expect(log.events == ["in context: true"])
    await mainQueueDrained()
    #expect(log.events == ["in context: true", "on the main queue: true"])
  }

  @Test("every global queue runs callbacks")
  func global() async {
    let contexts: [PromiseContext] = [.background, .utility, .default, .userInitiated, .userInteractive]
    for context in contexts {
      let value = await withCheckedContinuation { continuation in
        Promise<Int>.resolve(7).then(on: context, { continuation.resume(returning: $0) }, nil)
      }
      #expect(value == 7)
    }
  }
}
