import Promises
import PromisesTestSupport
import Testing

@Suite("Future: creation")
struct CreationTests {
  @Test("T10: a value and an error may be of any type")
  func types() {
    #expect(Future<String, String>(rejected: "no").error == "no")
    #expect(Future<Int, Int>(rejected: 3).error == 3)
    #expect(Future<Int, Int32>(rejected: 3).error == 3)
    #expect(Future<Int, Double>(rejected: 0.5).error == 0.5)
    #expect(Future<Int, [String]>(rejected: ["a"]).error == ["a"])
    #expect(Future<Int, Void>(rejected: ()).error != nil)
    #expect(Future<Int, Int?>(rejected: nil).error == .some(nil))
    #expect(Future<Int?, Never>(fulfilled: nil).value == .some(nil))
    let pair = Future<(Int, String), TestError>(fulfilled: (1, "a")).value
    #expect(pair?.0 == 1 && pair?.1 == "a")
    let object = Identity()
    #expect(Future<Identity, Identity>(rejected: object).error === object)
    let standard: ThrowingFuture<Int> = Future(rejected: TestError(1))
    #expect(standard.error as? TestError == TestError(1))
  }

  @Test("T11: the body runs in the initializer, with a resolver, where its context is immediate")
  func body() {
    var kept: Resolver<Int, String>?
    let future = Future<Int, String> { kept = $0 }
    #expect(kept != nil)
    #expect(future.state == .pending)
    kept?.fulfill(3)
    #expect(future.value == 3)
    #expect(Future<Int, String>(on: .immediate) { $0.reject("no") }.error == "no")
  }

  @Test("T11: the body runs in the context that it is given")
  func bodyInContext() {
    let context = QueueContext()
    let future = Future<Bool, Never>(on: context.here) { $0.fulfill(QueueContext.isCurrent) }
    #expect(future.state == .pending)
    context.run()
    #expect(future.value == true)
  }

  @Test("T12: an error thrown by the body rejects the future, unless it is settled by then")
  func throwingBody() {
    let failed = Future<Int, any Error> { _ in throw TestError(1) }
    #expect(failed.error as? TestError == TestError(1))
    let settled = Future<Int, any Error> { resolver in
      resolver.fulfill(2)
      throw TestError(1)
    }
    #expect(settled.value == 2)
  }

  @Test("T13, D10, D11, PG1: each call of makeWithResolver returns a new future with its own resolver")
  func pair() {
    let (future, resolver) = Future<Int, TestError>.makeWithResolver()
    let (other, otherResolver) = Future<Int, TestError>.makeWithResolver()
    #expect(future == resolver.future && future != otherResolver.future)
    resolver.fulfill(1)
    #expect(future.value == 1)
    #expect(other.state == .pending)
    otherResolver.reject(TestError(2))
    #expect(other.error == TestError(2))
  }

  @Test("T14, T15, T16, T17, D12, PG2, PG10: a future can be created settled; callbacks are called at once")
  func settled() {
    let cases: [(Future<Int, TestError>, FutureResult<Int, TestError>)] = [
      (Future(fulfilled: 1), .fulfilled(1)),
      (Future(rejected: TestError(2)), .rejected(TestError(2))),
      (Future(cancelled: nil), .cancelled(nil)),
      (Future(cancelled: OtherError()), .cancelled(OtherError())),
      (Future(with: FutureResult.fulfilled(3)), .fulfilled(3)),
      (Future(with: .rejected(TestError(4))), .rejected(TestError(4))),
      (Future(with: .cancelled(OtherError())), .cancelled(OtherError())),
      (Future(with: Result.success(5)), .fulfilled(5)),
      (Future(with: .failure(TestError(6))), .rejected(TestError(6))),
    ]
    for (future, result) in cases {
      #expect(future.result == result)
      var seen: FutureResult<Int, TestError>?
      future.whenResolved { seen = $0 }
      #expect(seen == result)
    }
  }

  @Test("T19: two futures are equal if they are the same, not if their values are")
  func identity() {
    let future = Future<Int, Never>(fulfilled: 1)
    let copy = future
    #expect(future == copy)
    #expect(future != Future(fulfilled: 1))
    #expect(future != future.map { $0 })
    #expect(future.promise.future == future.promise.future)
  }

  @Test("T103: delayed work starts when its future is first asked for, once, and is released when it has run")
  func delayed() {
    withLifetimeTracking { tracker in
      let starts = Recorder<Void>()
      let delayed = make(tracker, starts)
      #expect(starts.count == 0 && tracker.live == 1)
      let future = delayed.future
      #expect(future.value == 7)
      #expect(starts.count == 1 && tracker.live == 0)
      #expect(delayed.future == future)
      #expect(starts.count == 1)
      do { _ = make(tracker, starts) }
      #expect(starts.count == 1, "work that nobody asked for does not start, and is released")
    }
  }

  private func make(_ tracker: LifetimeTracker, _ starts: Recorder<Void>) -> DelayedFuture<Int, Never> {
    let held = tracker.track()
    return DelayedFuture { resolver in
      held.touch()
      starts.record()
      resolver.fulfill(7)
    }
  }

  @Test("T103: many threads that ask for a delayed future get the same one, and start it once")
  func delayedRace() {
    let starts = Recorder<Void>()
    let delayed = DelayedFuture<Int, Never> { resolver in
      starts.record()
      resolver.fulfill(1)
    }
    let futures = Monitor<[Future<Int, Never>]>([])
    onThreads(8) { _ in
      let future = delayed.future
      futures.withLock { $0.append(future) }
    }
    #expect(starts.count == 1)
    #expect(futures.withLock { futures in futures.allSatisfy { $0 == futures[0] } })
  }

  @Test("T103: delayed work runs in its context, and cancels its future if it drops the resolver")
  func delayedContext() {
    let context = QueueContext()
    let delayed = DelayedFuture<Bool, Never>(on: context.here) { $0.fulfill(QueueContext.isCurrent) }
    let future = delayed.future
    #expect(future.state == .pending)
    context.run()
    #expect(future.value == true)
    #expect(DelayedFuture<Int, Never> { _ in }.future.state == .cancelled)
  }

  @Test("T103: delayed work in .nowOr a context runs in that context, never in the call that asks")
  func delayedNever() {
    let context = QueueContext()
    let delayed = DelayedFuture<Bool, Never>(on: .nowOr(context.here)) { $0.fulfill(QueueContext.isCurrent) }
    let futures = (delayed.future, delayed.future)
    #expect(futures.0 == futures.1 && futures.0.state == .pending)
    context.run()
    #expect(futures.0.value == true)
  }

  @Test("T103: the object subscribes to its future: a child's request propagates once the object is released")
  func delayedInterest() {
    let requests = Recorder<Bool>()
    let kept = Recorder<Resolver<Int, Never>>()
    var delayed: DelayedFuture<Int, Never>? = DelayedFuture { resolver in
      resolver.onCancelRequest {
        requests.record(true)
        $0.cancel()
      }
      kept.record(resolver)
    }
    let child = delayed!.future.map { $0 }
    child.requestCancel()
    #expect(requests.count == 0)
    delayed = nil
    #expect(requests.count == 1 && child.state == .cancelled)
  }

  @Test("T104: delayed futures are equal if they are the same")
  func delayedIdentity() {
    let delayed = DelayedFuture<Int, Never> { $0.fulfill(1) }
    let copy = delayed
    #expect(delayed == copy)
    #expect(delayed != DelayedFuture { $0.fulfill(1) })
  }
}
