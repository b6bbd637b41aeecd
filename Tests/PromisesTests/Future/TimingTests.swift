import Promises
import PromisesTestSupport
import Testing

/// A delay in seconds that is longer than any test takes.
private let never = 3600.0

// Times are measured with the clock of the timers: another clock may lag behind it a little.

@Suite("Future: results that come after some time")
struct AfterTests {
  private typealias Subject = Future<Int, TestError>

  @Test("T90, T91, T92: a delayed future settles itself, not before its time", arguments: Endings.all.indices)
  func after(outcome: Int) throws {
    let start = SuspendingClock.now
    let result = Endings.all[outcome]
    let future =
      switch result {
      case .fulfilled(let value): Subject(on: .utility, fulfilled: value, after: 0.02)
      case .rejected(let error): Subject(on: .utility, rejected: error, after: 0.02)
      case .cancelled: Subject(on: .utility, with: result, after: 0.02)
      }
    #expect(try future.wait() == result)
    #expect(SuspendingClock.now - start >= .milliseconds(20))
  }

  @Test("T90, T91: a delayed future settles in its context, also without a reference to it")
  func context() throws {
    let context = QueueContext()
    let there = Subject(on: context.here, fulfilled: 1, after: 0).map { _ in QueueContext.isCurrent }
    let failed = Subject(on: context.here, rejected: TestError(1), after: 0).mapError { _ in QueueContext.isCurrent }
    context.run()
    #expect(try there.wait().value == true)
    #expect(try failed.wait().error == true)
  }

  @Test("T90: with a delay of 0 a future settles in its context; immediate stands for auto")
  func contextAtOnce() throws {
    for _ in 0..<2_000 {
      let (future, resolver) = Subject.makeWithResolver()
      let elsewhere = future.delay(on: .immediate, -1).map { _ in currentThread() }
      resolver.fulfill(1)
      #expect(try elsewhere.wait().value != currentThread())
    }
  }

  @MainActor @Test("T9, T90, T93: immediate stands for auto: a future that is made on the main thread settles there")
  func immediateOnMain() async throws {
    let made = Subject(on: .immediate, fulfilled: 1, after: 0.001).map { _ in isOnMainQueue() }
    #expect(try await made.get())
    #expect(try await Subject(fulfilled: 1).delay(on: .immediate, 0.001).map { _ in isOnMainQueue() }.get())
  }

  @MainActor @Test("T90, T91, T92, T93: without a context, auto: on the main thread a future settles there")
  func defaultContext() async throws {
    #expect(try await Subject(fulfilled: 1, after: 0.001).map { _ in isOnMainQueue() }.get())
    let rejected = Subject(rejected: TestError(1), after: 0.001).mapError { _ in TestError(isOnMainQueue() ? 2 : 3) }
    await #expect(throws: TestError(2)) { try await rejected.get() }
    #expect(try await Subject(with: .fulfilled(1), after: 0.001).map { _ in isOnMainQueue() }.get())
    #expect(try await Subject(fulfilled: 1).delay(0.001).map { _ in isOnMainQueue() }.get())
  }

  @Test("T90: a request to cancel cancels a delayed future at once, and releases the value")
  func cancelled() {
    withLifetimeTracking { tracker in
      let future = Future<Tracked<Void>, Never>(on: .utility, fulfilled: tracker.track(), after: never)
      #expect(future.state == .pending && tracker.live == 1)
      future.requestCancel()
      #expect(future.result?.isCancelled == true)
      #expect(tracker.live == 0)
    }
  }

  @Test("T90: a request for a derived future cancels a delayed future")
  func cancelledDownstream() {
    let child = Subject(on: .utility, rejected: TestError(1), after: never).map { $0 }
    child.requestCancel()
    #expect(child.state == .cancelled)
  }

  @Test("T93: delay gives every result later, a cancellation too", arguments: Endings.all.indices)
  func delay(outcome: Int) throws {
    let result = Endings.all[outcome]
    let start = SuspendingClock.now
    #expect(try Subject(with: result).delay(on: .utility, 0.02).wait() == result)
    #expect(SuspendingClock.now - start >= .milliseconds(20))
    #expect(Subject(with: result).delay(on: .utility, never).state == .pending)
    let context = QueueContext()
    let there = Subject(with: result).delay(on: context.here, 0).mapResult { _ in
      FutureResult<Bool, Never>.fulfilled(QueueContext.isCurrent)
    }
    context.run()
    #expect(try there.wait().value == true)
  }

  @Test("T90, T93: a future with an endless delay stays pending", arguments: [Double.infinity, 1e300])
  func endless(seconds: Double) throws {
    let never = Subject(on: .utility, fulfilled: 1, after: seconds)
    let delayed = Subject(fulfilled: 1).delay(on: .utility, seconds)
    // Timers fire in the order of their deadlines: once this one has fired, each earlier one has too.
    #expect(try Subject(on: .utility, fulfilled: 2, after: 0.02).wait().value == 2)
    #expect(never.state == .pending && delayed.state == .pending)
  }

  @Test("T93: the delay begins when the source is settled")
  func delayBegins() throws {
    let (future, resolver) = Subject.makeWithResolver()
    let delayed = future.delay(on: .utility, 0.02)
    let start = SuspendingClock.now
    resolver.fulfill(1)
    #expect(try delayed.wait().value == 1)
    #expect(SuspendingClock.now - start >= .milliseconds(20))
  }

  @Test(
    "T93: a request propagates to the source; if the source is cancelled, the delay is skipped",
    arguments: [true, false])
  func delaySkipped(isRequestedFirst: Bool) {
    let source = Watched(cancels: isRequestedFirst)
    let delayed = source.future!.delay(on: .utility, never)
    source.future = nil
    if !isRequestedFirst { source.resolver.cancel(because: OtherError()) }
    #expect(delayed.state == .pending)
    delayed.requestCancel()
    #expect(delayed.state == .cancelled)
    #expect((delayed.result?.indirectError is OtherError) == !isRequestedFirst)
    #expect(source.isRequested == isRequestedFirst)
  }

  @Test("T93: a request that the source ignores does not shorten the delay", arguments: [true, false])
  func delayNotShortened(isRequestedFirst: Bool) {
    let source = Watched()
    let delayed = source.future!.delay(on: .utility, never)
    source.future = nil
    if isRequestedFirst { delayed.requestCancel() }
    #expect(source.isRequested == isRequestedFirst)
    source.resolver.fulfill(1)
    delayed.requestCancel()
    #expect(delayed.state == .pending)
  }
}

@Suite("Future: timeouts")
struct TimeoutTests {
  private typealias Subject = Future<Int, TestError>
  private typealias Timed = FutureResult<Int, TimeoutError<TestError>>
  private let expected: [Timed] = [
    .fulfilled(1), .rejected(.rejected(TestError(2))), .cancelled(nil), .cancelled(OtherError()),
  ]

  @Test("T94: a settled source is in time at once, for any time limit", arguments: [never, 0, -1, .nan])
  func settled(seconds: Double) {
    #expect(Endings.settled.map { $0.timeout(after: seconds).result } == expected)
    #expect(Endings.settled.map { $0.timeout(on: .immediate, after: seconds).result } == expected)
  }

  @Test("T94: a source that settles in time gives its result, in the context", arguments: Endings.all.indices)
  func inTime(outcome: Int) {
    let context = QueueContext()
    let (future, resolver) = Subject.makeWithResolver()
    let timed = future.timeout(on: context.here, after: never)
    resolver.resolve(Endings.all[outcome])
    #expect(timed.state == .pending)
    context.run()
    #expect(timed.result == expected[outcome])
  }

  @MainActor @Test("T94: immediate stands for auto: a timeout that starts on the main thread ends there")
  func immediateOnMain() async throws {
    let (future, resolver) = Subject.makeWithResolver()
    let isOnMain = future.timeout(on: .immediate, after: 0.001).mapError { _ in isOnMainQueue() }
    await isOnMain.settled()
    #expect(isOnMain.error == true)
    withExtendedLifetime(resolver) {}
  }

  @MainActor @Test("T94, T95: without a context, auto: a timeout made on the main thread gives a result in time there")
  func defaultContext() async throws {
    let (future, resolver) = Subject.makeWithResolver()
    let typed = future.timeout(after: never).map { _ in isOnMainQueue() }
    let limited: ThrowingFuture<Int> = future.upcast.timeout(after: never)
    let untyped = limited.map { _ in isOnMainQueue() }
    onThread { _ = resolver.fulfill(1) }
    #expect(typed.state == .pending && untyped.state == .pending)
    #expect(try await typed.get())
    #expect(try await untyped.get())
  }

  @Test("T94: a source that does not settle in time fails the result, then is asked to cancel")
  func timedOut() throws {
    let log = Recorder<String>()
    let context = QueueContext()
    let (future, resolver) = Subject.makeWithResolver()
    resolver.onCancelRequest { _ in log.record("asked") }
    let start = SuspendingClock.now
    // The time limit may expire before the next line; the callback runs in the context in either case.
    let timed = future.timeout(on: context.here, after: 0.02)
    timed.whenRejected { log.record("\($0) There: \(QueueContext.isCurrent)") }
    _ = consume future
    context.run()
    #expect(try timed.wait() == .rejected(.timedOut))
    #expect(SuspendingClock.now - start >= .milliseconds(20))
    // Wait for the end of the job that settled `timed`.
    context.run()
    #expect(log.events == ["The operation timed out. There: true", "asked"])
    withExtendedLifetime(resolver) {}
  }

  @Test("T94: a time limit of 0 fails at once, and requests cancellation if it is the only subscriber")
  func withoutTime() {
    for context in [PromiseContext.immediate, .nowOr(.utility)] {
      for seconds in [0, -1, .nan] {
        let source = Watched()
        let other = source.future!.map { $0 }
        let timed = source.future!.timeout(on: context, after: seconds)
        #expect(timed.result == .rejected(.timedOut))
        source.future = nil
        #expect(!source.isRequested)
        other.requestCancel()
        #expect(source.isRequested)
      }
    }
  }

  @Test(
    "T94: with a time limit of 0, the source may still settle before the context runs the timeout",
    arguments: [true, false])
  func withoutTimeElsewhere(isInTime: Bool) {
    let context = QueueContext()
    let source = Watched()
    let timed = source.future!.timeout(on: context.here, after: 0)
    source.future = nil
    #expect(timed.state == .pending)
    if isInTime { source.resolver.fulfill(3) }
    context.run()
    #expect(timed.result == (isInTime ? .fulfilled(3) : .rejected(.timedOut)))
    #expect(source.isRequested == !isInTime)
  }

  @Test("T94: a request to cancel propagates to the source, for any time limit", arguments: [never, 0])
  func request(seconds: Double) {
    let context = QueueContext()
    let source = Watched(cancels: true)
    let timed = source.future!.timeout(on: context.here, after: seconds)
    source.future = nil
    timed.requestCancel()
    #expect(source.isRequested)
    context.run()
    #expect(timed.state == .cancelled)
  }

  @Test("T94: a source in time is released by its timeout, with its value")
  func release() {
    withLifetimeTracking { tracker in
      let (future, resolver) = Future<Tracked<Void>, TestError>.makeWithResolver()
      let timed = future.timeout(on: .immediate, after: never)
      resolver.fulfill(tracker.track())
      #expect(timed.state == .fulfilled && tracker.live == 1)
    }
  }

  @Test(
    "T94: a timeout that is released without a handler is over: nothing keeps its context, and nothing is asked",
    arguments: [false, true])
  func dropped(isChain: Bool) {
    let source = Watched()
    weak var executor: ManualExecutor?
    do {
      let manual = ManualExecutor()
      executor = manual
      let timed = source.future!.timeout(on: manual.here, after: never)
      if isChain { _ = timed.timeout(on: manual.here, after: never).delay(on: manual.here, never) }
    }
    #expect(executor == nil)
    #expect(!source.isRequested)
    #expect(String(reflecting: source.future!).contains("(pending, 0 callbacks, 0 interested"))
    // The future itself is as good as before.
    let other = source.future!.map { $0 + 1 }
    source.resolver.fulfill(1)
    #expect(other.value == 2)
  }

  @Test(
    "T94: one with a handler goes on without a reference, also when the future is destroyed", arguments: [false, true])
  func keptByHandler(isDestroyed: Bool) throws {
    let failures = Recorder<TimeoutError<TestError>>()
    let done = Gate()
    var promise: Promise<Int>? = Promise<Int>()
    let (future, resolver) = Subject.makeWithResolver()
    if isDestroyed {
      // Without a resolver: its release would cancel the future.
      let timed: Future<Int, any Error> = promise!.future.timeout(on: .utility, after: 0.01)
      timed.whenRejected { error in
        if case .timedOut? = error as? TimeoutError<any Error> { failures.record(.timedOut) }
        done.open()
      }
      promise = nil
    } else {
      future.timeout(on: .utility, after: 0.01).whenRejected { error in
        failures.record(error)
        done.open()
      }
    }
    done.wait()
    #expect(failures.events == [.timedOut])
    withExtendedLifetime(resolver) {}
  }

  @Test("T95: where any error may come, errors are as they are, and that of the timeout is one of them")
  func anyError() {
    let failed: Future<Int, any Error> = Future<Int, any Error>(rejected: TestError(2)).timeout(after: never)
    #expect(failed.error as? TestError == TestError(2))
    let (pending, resolver) = Future<Int, any Error>.makeWithResolver()
    let late: Future<Int, any Error> = pending.timeout(on: .immediate, after: 0)
    guard case .timedOut? = late.error as? TimeoutError<any Error> else {
      Issue.record("not a timeout: \(late)")
      return
    }
    #expect(resolver.fulfill(1) && late.state == .rejected)
    let context = QueueContext()
    let (source, sourceResolver) = Future<Int, any Error>.makeWithResolver()
    let timed: Future<Int, any Error> = source.timeout(on: context.here, after: never)
    sourceResolver.fulfill(1)
    #expect(timed.state == .pending)
    context.run()
    #expect(timed.value == 1)
  }

  @Test("T96: a timeout's error is an Error, compares and hashes as its content does, and describes the timeout")
  func error() {
    typealias Subject = TimeoutError<TestError>
    #expect(Subject.timedOut == .timedOut && Subject.timedOut != .rejected(TestError(1)))
    #expect(Subject.rejected(TestError(1)) != .rejected(TestError(2)))
    #expect((Subject.timedOut as any Error) is Subject)
    #expect("\(Subject.timedOut)" == "The operation timed out.")
    #expect("\(TimeoutError<String>.rejected("no"))" == "no")
    #expect(Set<TimeoutError<String>>([.timedOut, .rejected("a"), .rejected("a")]).count == 2)
  }
}
