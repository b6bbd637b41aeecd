import Promises
import PromisesTestSupport
import Testing

@Suite("Future: requests to cancel, as its resolver receives them")
struct CancelRequestTests {
  private typealias Subject = Future<Int, TestError>

  @Test("T57, T29: a request runs the callbacks once, in order, and settles nothing")
  func request() {
    let log = Recorder<Int>()
    let (future, resolver) = Subject.makeWithResolver()
    for index in 0..<3 { resolver.onCancelRequest { _ in log.record(index) } }
    #expect(log.events == [])
    future.requestCancel()
    #expect(log.events == [0, 1, 2])
    #expect(future.state == .pending)
    future.requestCancel()
    #expect(log.events == [0, 1, 2])
    resolver.fulfill(1)
    #expect(future.value == 1)
    future.requestCancel()
    #expect(log.events == [0, 1, 2])
  }

  @Test("T57: a request on a settled future does nothing", arguments: 0..<3)
  func settled(outcome: Int) {
    let (future, resolver) = Subject.makeWithResolver()
    resolver.onCancelRequest { _ in Issue.record("nobody asked while it was pending") }
    resolver.resolve(Endings.all[outcome])
    future.requestCancel()
    #expect(future.result == Endings.all[outcome])
  }

  @Test("T57: a derived future is not cancelled by a request on it; it ends as its source does")
  func derived() {
    let (future, resolver) = Subject.makeWithResolver()
    let derived = future.map { $0 + 1 }
    derived.requestCancel()
    #expect(derived.state == .pending)
    resolver.fulfill(1)
    #expect(derived.value == 2)
  }

  @Test("T29: a callback gets the resolver; a source that cancels at once settles its derived futures")
  func cancelsAtOnce() {
    let (future, resolver) = Subject.makeWithResolver()
    resolver.onCancelRequest { $0.cancel(because: OtherError()) }
    let log = Recorder<String>()
    future.map { $0 }.makeChild().whenCancelled { log.record($0 is OtherError ? "because" : "cancelled") }
    future.requestCancel()
    #expect(log.events == ["because"])
    withExtendedLifetime(resolver) {}
  }

  @Test("T29: a callback registered after the request, or after the future is cancelled, runs at once")
  func late() {
    let log = Recorder<String>()
    let (future, resolver) = Subject.makeWithResolver()
    future.requestCancel()
    resolver.onCancelRequest { _ in log.record("requested") }
    resolver.cancel()
    resolver.onCancelRequest { _ in log.record("cancelled") }
    let (_, alone) = Subject.makeWithResolver()
    alone.cancel()
    alone.onCancelRequest { _ in log.record("cancelled by itself") }
    let (_, fulfilled) = Subject.makeWithResolver()
    fulfilled.fulfill(1)
    fulfilled.onCancelRequest { _ in log.record("fulfilled") }
    let (_, rejected) = Subject.makeWithResolver()
    rejected.reject(TestError(2))
    rejected.onCancelRequest { _ in log.record("rejected") }
    #expect(log.events == ["requested", "cancelled", "cancelled by itself"])
  }

  @Test("T29: settling, even cancelling, without a request drops the callbacks", arguments: Endings.all.indices)
  func dropped(outcome: Int) {
    withLifetimeTracking { tracker in
      let (future, resolver) = Subject.makeWithResolver()
      register(resolver, tracker)
      #expect(tracker.live == 1)
      resolver.resolve(Endings.all[outcome])
      #expect(tracker.live == 0)
      withExtendedLifetime(future) {}
    }
  }

  @Test("T29: a callback is released right after it has run")
  func released() {
    withLifetimeTracking { tracker in
      let (future, resolver) = Subject.makeWithResolver()
      register(resolver, tracker, isCalled: true)
      future.requestCancel()
      #expect(tracker.live == 0)
      #expect(future.state == .pending)
      withExtendedLifetime(resolver) {}
    }
  }

  private func register(_ resolver: Resolver<Int, TestError>, _ tracker: LifetimeTracker, isCalled: Bool = false) {
    let held = tracker.track()
    resolver.onCancelRequest { _ in
      held.touch()
      if !isCalled { Issue.record("nobody asked") }
    }
  }

  @Test("T29: immediate callbacks all run, though the first of them settles the future")
  func allRun() {
    let log = Recorder<Int>()
    let (future, resolver) = Subject.makeWithResolver()
    resolver.onCancelRequest {
      log.record(0)
      $0.fulfill(1)
    }
    resolver.onCancelRequest { _ in log.record(1) }
    future.requestCancel()
    #expect(log.events == [0, 1])
    #expect(future.value == 1)
  }

  @Test(
    "T29: a callback in a context runs there, also a late one, unless the future is fulfilled or rejected by then",
    arguments: [nil, .fulfilled(1), .rejected(TestError(2))] as [FutureResult<Int, TestError>?], [false, true])
  func inContext(meanwhile: FutureResult<Int, TestError>?, isLate: Bool) {
    let context = QueueContext()
    let log = Recorder<Bool>()
    let (future, resolver) = Subject.makeWithResolver()
    if isLate { future.requestCancel() }
    resolver.onCancelRequest(on: context.here) { _ in log.record(QueueContext.isCurrent) }
    if !isLate { future.requestCancel() }
    #expect(log.events == [])
    if let meanwhile { resolver.resolve(meanwhile) }
    context.run()
    #expect(log.events == (meanwhile == nil ? [true] : []))
    withExtendedLifetime(resolver) {}
  }

  @Test("T29: a callback in a context runs there for a future that is cancelled by then")
  func inContextCancelled() {
    let context = QueueContext()
    let calls = Recorder<Void>()
    let (future, resolver) = Subject.makeWithResolver()
    resolver.onCancelRequest(on: context.here) { _ in calls.record() }
    resolver.onCancelRequest { $0.cancel() }
    future.requestCancel()
    context.run()
    #expect(calls.count == 1)
  }

  @Test("T29: a callback does not keep the resolver: dropped pending, it cancels the future all the same")
  func unheld() {
    let (future, resolver) = Subject.makeWithResolver()
    resolver.onCancelRequest { _ in }
    _ = consume resolver
    #expect(future.state == .cancelled)
  }

  @Test("T30: isCancelRequested is true after a request and when cancelled, false when fulfilled or rejected")
  func isCancelRequested() {
    let (future, resolver) = Subject.makeWithResolver()
    #expect(!resolver.isCancelRequested)
    future.requestCancel()
    #expect(resolver.isCancelRequested)
    resolver.fulfill(1)
    #expect(!resolver.isCancelRequested)
    let (_, other) = Subject.makeWithResolver()
    other.cancel()
    #expect(other.isCancelRequested)
    let (_, rejected) = Subject.makeWithResolver()
    rejected.reject(TestError(1))
    #expect(!rejected.isCancelRequested)
  }

  @Test("T28: a future propagates a request to the future that it follows, if that has no other subscriber")
  func following() {
    let source = Watched()
    let (future, resolver) = Subject.makeWithResolver()
    resolver.resolve(with: source.future!)
    future.requestCancel()
    #expect(!source.isRequested, "it is held")
    source.future = nil
    #expect(source.isRequested)
    let shared = Watched()
    let (one, oneResolver) = Subject.makeWithResolver()
    oneResolver.resolve(with: shared.future!)
    let other = shared.future!.map { $0 }
    shared.future = nil
    one.requestCancel()
    #expect(!shared.isRequested, "another is interested")
    other.requestCancel()
    #expect(shared.isRequested)
  }

  @Test("T28: a request that a callback accepts at once is passed on to the future that is followed")
  func followingAccepted() {
    let source = Watched()
    let (future, resolver) = Subject.makeWithResolver()
    resolver.onCancelRequest { $0.cancel() }
    resolver.resolve(with: source.future!)
    source.future = nil
    future.requestCancel()
    #expect(future.state == .cancelled)
    #expect(source.requests.count == 1)
  }

  @Test("T28: a request or a cancellation from before reaches the followed future at once", arguments: [true, false])
  func followingLate(isCancelled: Bool) {
    let source = Watched()
    let (future, resolver) = Subject.makeWithResolver()
    if isCancelled { resolver.cancel() } else { future.requestCancel() }
    resolver.resolve(with: source.future!)
    #expect(!source.isRequested)
    source.future = nil
    #expect(source.isRequested)
    withExtendedLifetime(future) {}
  }

  @Test("T28: a future that is fulfilled or rejected already asks nothing of the future that it is to follow")
  func followingSettled() {
    for outcome in Endings.all.prefix(2) {
      let source = Watched()
      let (future, resolver) = Subject.makeWithResolver()
      resolver.resolve(outcome)
      resolver.resolve(with: source.future!)
      source.future = nil
      #expect(!source.isRequested && future.result == outcome)
    }
  }

  @Test("T28, PG30: a request on a future that follows two reaches both")
  func followingTwo() {
    let sources = [Watched(), Watched()]
    let (future, resolver) = Subject.makeWithResolver()
    for source in sources {
      resolver.resolve(with: source.future!)
      source.future = nil
    }
    #expect(sources.map(\.isRequested) == [false, false])
    future.requestCancel()
    #expect(sources.map(\.isRequested) == [true, true])
  }

  @Test("T28: a future that follows another holds back the requests of others until it is asked itself")
  func followingIsInterest() {
    let source = Watched()
    let (future, resolver) = Subject.makeWithResolver()
    resolver.resolve(with: source.future!)
    let other = source.future!.map { $0 }
    source.future = nil
    other.requestCancel()
    #expect(!source.isRequested, "the follower is interested")
    future.requestCancel()
    #expect(source.isRequested)
  }
}

/// A future whose resolver records each request to cancel.
final class Watched {
  var future: Future<Int, TestError>?
  let resolver: Resolver<Int, TestError>
  let requests = Recorder<Void>()

  init(cancels: Bool = false) {
    let (future, resolver) = Future<Int, TestError>.makeWithResolver()
    self.future = future
    self.resolver = resolver
    resolver.onCancelRequest { [requests] resolver in
      requests.record()
      if cancels { resolver.cancel() }
    }
  }

  var isRequested: Bool { requests.count > 0 }
}
