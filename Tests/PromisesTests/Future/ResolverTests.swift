import Promises
import PromisesTestSupport
import Testing

@Suite("Future: resolvers")
struct ResolverTests {
  private typealias Subject = Future<Int, TestError>

  @Test("T18, D16, PG3, PG4: the result is there before any callback runs, and after the call; nothing while pending")
  func reading() {
    let (future, resolver) = Subject.makeWithResolver()
    #expect(future.result == nil && future.value == nil && future.error == nil)
    #expect(future.state == .pending && !future.isSettled)
    future.requestCancel()
    #expect(future.result == nil && future.state == .pending && !future.isSettled)
    var seen: FutureResult<Int, TestError>?
    future.whenFulfilled { _ in seen = future.result }
    resolver.fulfill(1)
    #expect(seen == .fulfilled(1))
    #expect(future.result == .fulfilled(1) && future.value == 1 && future.error == nil)
    #expect(future.state == .fulfilled && future.isSettled)
    let failed = Subject(rejected: TestError(2))
    #expect(failed.state == .rejected && failed.error == TestError(2) && failed.value == nil)
    #expect(Subject(cancelled: OtherError()).result == .cancelled(OtherError()))
    let cancelled = Subject(cancelled: nil)
    #expect(cancelled.state == .cancelled && cancelled.error == nil && cancelled.value == nil && cancelled.isSettled)
  }

  @Test("PG4: a value may be nil, and the future has succeeded all the same")
  func optional() {
    let future = Future<Int?, Never>(fulfilled: nil)
    #expect(future.state == .fulfilled)
    #expect(future.value == .some(.none))
  }

  @Test("D10, D11, PG1: a resolver has its future, the same one each time; without it nothing keeps the future pending")
  func ownFuture() {
    var resolver: Resolver<Int, TestError>? = Resolver()
    let future = resolver!.future
    #expect(future == resolver!.future && future.state == .pending)
    #expect(resolver!.fulfill(1))
    #expect(future.value == 1 && resolver!.future == future)
    resolver = Resolver()
    let dropped = resolver!.future
    resolver = nil
    #expect(dropped.result == .cancelled)
  }

  @Test("T58: a future taken from a resolver holds back no request once it is released")
  func ownFutureReleased() {
    let resolver = Resolver<Int, TestError>()
    let child = resolver.future.map { $0 }
    child.requestCancel()
    #expect(resolver.isCancelRequested)
    let kept = Resolver<Int, TestError>()
    let future = kept.future
    future.map { $0 }.requestCancel()
    withExtendedLifetime(future) { #expect(!kept.isCancelRequested) }
  }

  @Test("T20, D17, RP5, PG3: the first call settles; later ones change nothing and return false", arguments: 0..<4)
  func once(first: Int) {
    let (future, resolver) = Subject.makeWithResolver()
    let calls: [() -> Bool] = [
      { resolver.fulfill(1) }, { resolver.reject(TestError(2)) }, { resolver.cancel(because: OtherError()) },
      { resolver.resolve(.success(1)) },
    ]
    let results: [FutureResult<Int, TestError>] = [
      .fulfilled(1), .rejected(TestError(2)), .cancelled(OtherError()), .fulfilled(1),
    ]
    var count = 0
    future.whenResolved { _ in count += 1 }
    #expect(calls[first]())
    for call in calls { #expect(!call()) }
    #expect(future.result == results[first])
    #expect(count == 1)
  }

  @Test("T21, PG33: releasing the last resolver cancels a pending future and its derived futures, in order")
  func dropped() {
    let log = Recorder<String>()
    var (future, resolver): (Subject, Resolver<Int, TestError>?) = Subject.makeWithResolver()
    future.onComplete { log.record("first \($0.isCancelled)") }
    future.map { $0 }.onComplete { log.record("derived \($0.isCancelled)") }
    future.onComplete { log.record("second \($0.isCancelled)") }
    var copy = resolver
    resolver = nil
    #expect(log.events == [])
    withExtendedLifetime(copy) {}
    copy = nil
    #expect(log.events == ["first true", "derived true", "second true"])
    #expect(future.result == .cancelled(nil))
    future = Subject(fulfilled: 1)
  }

  @Test("T21: holding a derived future does not keep the work of its source; without it the resolver works too")
  func childAlone() {
    let (child, resolver) = {
      let (future, resolver) = Subject.makeWithResolver()
      return (future.map { $0 + 1 }, resolver)
    }()
    resolver.fulfill(1)
    #expect(child.value == 2)
    let orphan = Subject { _ in }.map { $0 }
    #expect(orphan.state == .cancelled)
  }

  @Test("T21: dropping a derived future does not undo a settlement")
  func childDropped() {
    let calls = Recorder<Int>()
    let (future, resolver) = Subject.makeWithResolver()
    do {
      _ = future.map { value -> Int in
        calls.record(value)
        return value
      }
    }
    resolver.fulfill(3)
    #expect(calls.events == [3])
  }

  @Test("D18: a promise that is dropped pending drops its callbacks uncalled; the future of a resolver is cancelled")
  func promiseDropped() {
    withLifetimeTracking { tracker in
      let log = Recorder<String>()
      func observe(_ future: Future<Int, any Error>) -> Future<Int, any Error> {
        let held = tracker.track("called")
        future.whenCancelled { _ in log.record("cancelled") }
        future.always { log.record("always") }
        return future.map { value -> Int in
          log.record(held.payload)
          return value
        }
      }
      var promise: Promise<Int>? = Promise()
      let child = observe(promise!.future)
      #expect(tracker.live == 1)
      promise = nil
      #expect(tracker.live == 0)
      #expect(child.state == .pending && log.events == [])
      var pair: (future: Future<Int, any Error>, Resolver<Int, any Error>)? = Future.makeWithResolver()
      let heir = observe(pair!.future)
      pair = nil
      #expect(heir.result?.isCancelled == true && log.events == ["cancelled", "always"])
    }
  }

  @Test("D18: once settling has begun, a future with callbacks needs no owner: all are called, in a context too")
  func ownerless() {
    let context = QueueContext()
    let log = Recorder<String>()
    func attach() {
      var promise: Promise<Int>? = Promise()
      promise!.future.whenFulfilled { _ in
        promise = nil
        log.record("first")
      }
      promise!.future.whenFulfilled { log.record("second \($0)") }
      promise!.future.map(on: context.here) { $0 + 1 }.whenFulfilled { log.record("third \($0)") }
      promise?.resolve(1)
      #expect(promise == nil && log.events == ["first", "second 1"])
    }
    attach()
    context.run()
    #expect(log.events == ["first", "second 1", "third 2"])
  }

  @Test("T23, T24, T25, T26, T27, D13, D14, D15: each method of a resolver settles with its outcome", arguments: 0..<12)
  func ways(way: Int) {
    let (future, resolver) = Future<Int, any Error>.makeWithResolver()
    let settles =
      switch way {
      case 0: resolver.fulfill(1)
      case 1: resolver.reject(TestError(2))
      case 2: resolver.cancel()
      case 3: resolver.cancel(because: OtherError())
      case 4: resolver.resolve(.rejected(TestError(2)))
      case 5: resolver.resolve(.success(1))
      case 6: resolver.resolve(FutureResult<Int, TestError>.rejected(TestError(2)))
      case 7: resolver.resolve(Result<Int, TestError>.failure(TestError(2)))
      case 8: resolver.resolve(.fulfilled(1))
      case 9: resolver.resolve(.cancelled(nil))
      case 10: resolver.resolve(.cancelled(OtherError()))
      default: resolver.resolve(Result<Int, TestError>.success(1))
      }
    #expect(settles)
    switch way {
    case 0, 5, 8, 11: #expect(future.value == 1)
    case 2, 9: #expect(future.state == .cancelled && future.result?.indirectError == nil)
    case 3, 10: #expect(future.result?.indirectError is OtherError)
    default: #expect(future.error as? TestError == TestError(2))
    }
  }

  @Test(
    "T26, T27: an outcome with a typed error settles a future of that error or of any", arguments: Endings.all.indices)
  func typed(outcome: Int) {
    let outcome = Endings.all[outcome]
    let (future, resolver) = Future<Int, any Error>.makeWithResolver()
    resolver.resolve(outcome)
    #expect("\(future.result!)" == "\(outcome)")
    let (failed, typed) = Subject.makeWithResolver()
    typed.resolve(.failure(TestError(2)))
    #expect(failed.error == TestError(2))
  }

  @Test("T31: a callback with a value and an error: the value wins, an error rejects or cancels, neither is a mismatch")
  func callback() {
    func outcome(_ value: Int?, _ error: (any Error)?) -> FutureResult<Int, any Error>? {
      let (future, resolver) = Future<Int, any Error>.makeWithResolver()
      resolver.handleCallback(isCancelError: { $0 is OtherError })(value, error)
      return future.result
    }
    #expect(outcome(1, nil)?.value == 1)
    #expect(outcome(1, TestError(2))?.value == 1)
    #expect(outcome(1, OtherError())?.value == 1, "also if the error means a cancellation")
    #expect(outcome(nil, TestError(2))?.error as? TestError == TestError(2))
    #expect(outcome(nil, OtherError())?.isCancelled == true && outcome(nil, OtherError())?.indirectError == nil)
    #expect(outcome(nil, nil)?.error as? CallbackError == .apiMismatch)
    let (future, resolver) = Future<Int, any Error>.makeWithResolver()
    resolver.handleCallback()(nil, OtherError())
    #expect(future.error is OtherError)
  }

  @Test("T31: a completion handler that another thread calls, with a value that is Sendable or not")
  func callbackOfThread() {
    final class Image { let width = 3 }
    func load<Value>(
      _ make: @escaping @Sendable () -> Value, _ done: @escaping @Sendable (Value?, (any Error)?) -> Void
    ) {
      onThreads(1) { _ in done(make(), nil) }
    }
    let (number, numbers) = Future<Int, any Error>.makeWithResolver()
    load({ 1 }, numbers.handleCallback())
    #expect(number.value == 1)
    let (image, images) = Future<Image, any Error>.makeWithResolver()
    load({ Image() }, images.handleCallback())
    #expect(image.value?.width == 3)
  }

  @Test("T32: the mismatch is an error with a number, which rejects")
  func mismatch() {
    let (future, resolver) = Future<Int, any Error>.makeWithResolver()
    resolver.handleCallback()(nil, nil)
    #expect(future.state == .rejected && future.error as? CallbackError == .apiMismatch)
    #expect(CallbackError(rawValue: CallbackError.apiMismatch.rawValue) == .apiMismatch)
    #expect((CallbackError.apiMismatch as any Error) is CallbackError)
  }

  @Test("T28, PG30, PG31: a future can follow another, settled or pending", arguments: [true, false])
  func withFuture(isSettled: Bool) {
    let (source, sourceResolver) = Subject.makeWithResolver()
    let (future, resolver) = Subject.makeWithResolver()
    if isSettled { sourceResolver.fulfill(1) }
    resolver.resolve(with: source)
    #expect(future.state == (isSettled ? .fulfilled : .pending))
    sourceResolver.fulfill(1)
    #expect(future.value == 1)
    #expect(source.value == 1)
  }

  @Test("T28, PG30: a future that follows another may lose its resolver, or be settled by it first")
  func followsWithoutItsResolver() {
    let (source, sourceResolver) = Subject.makeWithResolver()
    let dropped = Subject { $0.resolve(with: source) }
    #expect(dropped.state == .pending)
    let (future, resolver) = Subject.makeWithResolver()
    resolver.resolve(with: source)
    resolver.reject(TestError(2))
    sourceResolver.fulfill(1)
    #expect(dropped.value == 1)
    #expect(future.error == TestError(2))
  }

  @Test(
    "T28, PG30: a request on a future reaches the future that it follows, before and after", arguments: [false, true])
  func followedIsAsked(asksFirst: Bool) {
    let asked = Counter()
    let source = Resolver<Int, TestError>()
    source.onCancelRequest { _ in asked.add() }
    let (future, resolver) = Subject.makeWithResolver()
    if asksFirst {
      future.requestCancel()
      resolver.cancel()
    }
    resolver.resolve(with: source.future)
    future.requestCancel()
    #expect(asked.value == 1)
  }

  @Test("D8: waiting gives the result, at once or when another thread settles")
  func waiting() throws {
    #expect(try Subject(fulfilled: 1).wait().value == 1)
    #expect(try Subject(rejected: TestError(2)).wait().value == nil)
    #expect(try Subject(cancelled: nil).wait().isCancelled)
    let (future, resolver) = Subject.makeWithResolver()
    let thread = Thread { resolver.fulfill(3) }
    #expect(try future.wait() == .fulfilled(3))
    thread.join()
  }

  @Test("D8: waiting ends after its time limit, and at once where it would deadlock")
  func waitingInVain() {
    let (future, resolver) = Subject.makeWithResolver()
    for timeout in [0, -1, .nan, 0.001] { #expect(throws: WaitError.timedOut) { try future.wait(timeout: timeout) } }
    var error: WaitError?
    var derived: Subject?
    derived = future.map { value in
      do throws(WaitError) { try derived?.wait() } catch let caught { error = caught }
      return value
    }
    resolver.fulfill(1)
    #expect(error == .deadlock)
    #expect(derived?.value == 1)
    derived = nil
  }

  // Tests/Isolation/refused shows that a future has no function that settles it.
  @Test("D2, T10: a request settles nothing; a future and its promise are one object")
  func promise() {
    let promise = Promise<Int>()
    let future = promise.future
    #expect(future == promise.future && future.promise.future == future && promise.future != Promise<Int>().future)
    future.requestCancel()
    future.map { $0 }.requestCancel()
    #expect(future.state == .pending && promise.state == .pending, "a request settles nothing")
    promise.resolve(1)
    #expect(future.value == 1)
    #expect(Subject(rejected: TestError(2)).promise.rejectReason as? TestError == TestError(2))
    #expect(Subject(cancelled: nil).promise.rejectReason is Discarded)
    #expect(Subject(cancelled: OtherError()).promise.rejectReason is Discarded)
    let discarded = Promise<Int>()
    discarded.discard()
    #expect(discarded.future.result?.isCancelled == true)
  }

  @Test("a reason that is not an Error is wrapped in a RejectionReason, and unwrapped unchanged")
  func reasons() {
    let future = Promise<Int>.reject("why").future
    #expect((future.error as? RejectionReason)?.reason as? String == "why")
    #expect((Promise<Int>.reject(nil).future.error as? RejectionReason).map { $0.reason == nil } == true)
    #expect(future.mapResult { $0 }.promise.rejectReason as? String == "why")
  }

  @Test("T28: futures that would wait for one another, also through a derived one, are cancelled")
  func circle() {
    let (first, resolver) = Future<Int, TestError>.makeWithResolver()
    let (second, other) = Future<Int, TestError>.makeWithResolver()
    resolver.resolve(with: second)
    other.resolve(with: first.map { $0 })
    #expect(second.result?.indirectError is PromiseError)
    #expect(first.state == .cancelled)
  }

  @Test("T28: the first outcome of two futures settles the one that follows both")
  func followsTwo() {
    let sources = (0..<2).map { _ in Future<Int, TestError>.makeWithResolver() }
    let (future, resolver) = Future<Int, TestError>.makeWithResolver()
    for source in sources { resolver.resolve(with: source.future) }
    sources[1].resolver.fulfill(2)
    sources[0].resolver.fulfill(1)
    #expect(future.value == 2)
  }

  @Test("a future whose type does not allow an error is cancelled because of it")
  func faults() {
    let (outer, resolver) = Future<Int, Never>.makeWithResolver()
    var cycle: Future<Int, Never>?
    cycle = outer.flatMap { _ in cycle! }
    resolver.fulfill(1)
    #expect((cycle?.result?.indirectError as? PromiseError)?.domain == "promise")
    cycle = nil
  }
}
