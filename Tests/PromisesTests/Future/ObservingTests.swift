import Promises
import PromisesTestSupport
import Testing

@Suite("Future: callbacks that observe")
struct ObservingTests {
  @Test("T39, PG5, RP6: onSuccess is called with a value; the result passes on")
  func onSuccess() {
    #expect(
      Endings.record { future, log in future.onSuccess { log.record("\($0)") } } == [["1"], [], [], []])
    #expect(Endings.settled.map { $0.onSuccess { _ in }.result } == Endings.all)
    let (future, resolver) = Future<Int, Never>.makeWithResolver()
    let log = Recorder<String>()
    future.onSuccess { _ in log.record("callback") }.onSuccess { _ in log.record("the future it returned") }
    resolver.fulfill(1)
    #expect(log.events == ["callback", "the future it returned"])
  }

  @Test("T42, PG6, RP7: onError is called with an error; the result passes on")
  func onError() {
    #expect(
      Endings.record { future, log in future.onError { log.record("\($0.code)") } } == [[], ["2"], [], []])
    #expect(Endings.settled.map { $0.onError { _ in }.result } == Endings.all)
  }

  @Test("RP8: onError(of:) is called with an error of that type, and not with another")
  func onErrorOfType() {
    let log = Recorder<String>()
    let future = Future<Int, any Error>(rejected: TestError(2))
    future.onError(of: TestError.self) { log.record("test \($0.code)") }
    future.onError(of: OtherError.self) { _ in log.record("other") }
    Future<Int, any Error>(fulfilled: 1).onError(of: TestError.self) { _ in log.record("value") }
    #expect(log.events == ["test 2"])
  }

  @Test("T48, PG7, RP9: onComplete is called with any result; the result passes on")
  func onComplete() {
    #expect(
      Endings.record { future, log in future.onComplete { log.record("\($0)") } } == Endings.all.map { ["\($0)"] })
    #expect(Endings.settled.map { $0.onComplete { _ in }.result } == Endings.all)
  }

  @Test("T61, D6: onCancel is called with the indirect error of a cancellation; the result passes on")
  func onCancel() {
    #expect(
      Endings.record { future, log in future.onCancel { log.record($0 is OtherError ? "because" : "cancelled") } }
        == [[], [], ["cancelled"], ["because"]])
    #expect(Endings.settled.map { $0.onCancel { _ in }.result } == Endings.all)
  }

  @Test("T61: onCancel takes a closure without a parameter, called for a cancellation with any cause")
  func onCancelIgnoring() {
    let token = InvalidationToken()
    let log = Endings.record { future, log in
      future.onCancel { log.record("cancelled") }.withToken(token).onCancel { log.record("bound") }
    }
    #expect(log == [[], [], ["cancelled", "bound"], ["cancelled", "bound"]])
    #expect(Endings.settled.map { $0.onCancel {}.result } == Endings.all)
    let context = QueueContext()
    let here = Recorder<Bool>()
    Future<Int, TestError>(cancelled: nil).onCancel(on: context.here) { here.record(QueueContext.isCurrent) }
    context.run()
    #expect(here.events == [true])
  }

  @Test("T85, D1: a cancellation without an error is .cancelled, as a value and as a pattern")
  func cancelledWithoutPayload() {
    let result: FutureResult<Int, TestError> = .cancelled
    #expect(result == .cancelled(nil) && result.indirectError == nil && result.isCancelled)
    #expect(Future<Int, TestError>(with: .cancelled).state == .cancelled)
    #expect(Endings.all.map { if case .cancelled = $0 { true } else { false } } == [false, false, true, true])
  }

  @Test("D3, D4, D5, D6: the terminal callbacks are called for their outcome, also when added later, in order")
  func terminal() {
    let log = Endings.record { future, log in
      future.whenResolved { _ in log.record("resolved") }
      future.whenFulfilled { _ in log.record("fulfilled") }
      future.whenRejected { _ in log.record("rejected") }
      future.whenCancelled { log.record("cancelled \($0 != nil)") }
      future.whenResolved { _ in log.record("again") }
    }
    #expect(
      log == [
        ["resolved", "fulfilled", "again"], ["resolved", "rejected", "again"],
        ["resolved", "cancelled false", "again"], ["resolved", "cancelled true", "again"],
      ])
  }

  @Test("D7: whenAnyError is called for errors and indirect errors, beside whenRejected and whenCancelled")
  func anyError() {
    let log = Endings.record { future, log in
      future.whenAnyError { log.record("any \($0 is TestError)") }
      future.whenRejected { _ in log.record("rejected") }
      future.whenCancelled { _ in log.record("cancelled") }
    }
    #expect(log == [[], ["any true", "rejected"], ["cancelled"], ["any false", "cancelled"]])
  }

  @Test("D49: catch sees errors, by default indirect ones too, and returns the receiver")
  func catching() {
    let log = Endings.record { future, log in
      let same = future.catch { log.record("any \($0 is TestError)") }
      #expect(same == future)
      future.catch(includingIndirectErrors: false) { log.record("direct \($0 is TestError)") }
    }
    #expect(log == [[], ["any true", "direct true"], [], ["any false"]])
    let context = QueueContext()
    let seen = Recorder<Bool>()
    let because = Future<Int, TestError>(cancelled: OtherError())
    #expect(because.catch(on: context.here) { seen.record($0 is OtherError) } == because)
    because.catch(on: context.here, includingIndirectErrors: false) { _ in seen.record(false) }
    context.run()
    #expect(seen.events == [true])
  }

  @Test("T59: tap sees any result, returns the receiver and delays nothing")
  func tap() {
    let context = QueueContext()
    let log = Recorder<String>()
    let (future, resolver) = Future<Int, TestError>.makeWithResolver()
    let same = future.tap(on: context.here) { log.record("tap \($0)") }
    #expect(same == future)
    same.onSuccess { log.record("value \($0)") }
    resolver.fulfill(1)
    #expect(log.events == ["value 1"])
    context.run()
    #expect(log.events == ["value 1", "tap fulfilled(1)"])
    let inline = Recorder<String>()
    for settled in Endings.settled { #expect(settled.tap { inline.record("\($0)") } == settled) }
    #expect(inline.events == Endings.all.map { "\($0)" })
  }

  @Test("T65: fork calls its block at once with the future, and returns it")
  func fork() throws {
    var seen: Future<Int, TestError>?
    let future = Future<Int, TestError>(fulfilled: 1)
    #expect(future.fork { seen = $0 } == future)
    #expect(seen == future)
    #expect(throws: TestError(1)) { try future.fork { _ in throw TestError(1) } }
  }

  @Test("T33, RP12, PG8: callbacks of all kinds run in the order in which they were attached")
  func order() {
    let log = Recorder<Int>()
    let (future, resolver) = Future<Int, TestError>.makeWithResolver()
    future.onComplete { _ in log.record(0) }
    future.whenFulfilled { _ in log.record(1) }
    let derived = future.map { value -> Int in
      log.record(2)
      return value
    }
    derived.onSuccess { _ in log.record(3) }
    future.tap { _ in log.record(4) }
    future.promise.then({ _ in log.record(5) }, nil)
    future.onSuccess { _ in log.record(6) }
    resolver.fulfill(1)
    #expect(log.events == [0, 1, 2, 3, 4, 5, 6])
  }

  @Test("T33: futures that follow another settle in its order of callbacks, depth first")
  func depthFirst() {
    let log = Recorder<String>()
    let (future, resolver) = Future<Int, TestError>.makeWithResolver()
    let (followed, follower) = Future<Int, TestError>.makeWithResolver()
    future.whenResolved { _ in log.record("first") }
    future.tap().makeChild().ignoringCancel().whenResolved { _ in log.record("child") }
    Future<Int, TestError>(fulfilled: 0).flatMap { _ in future }.whenResolved { _ in log.record("flatMap") }
    follower.resolve(with: future)
    followed.whenResolved { _ in log.record("resolve(with:)") }
    future.whenResolved { _ in log.record("last") }
    resolver.fulfill(1)
    #expect(log.events == ["first", "child", "flatMap", "resolve(with:)", "last"])
  }

  @Test("T33, PG9, RP11, RP19: a callback may attach to the same future, and is called before the call returns")
  func reentrancy() {
    let log = Recorder<String>()
    let (future, resolver) = Future<Int, TestError>.makeWithResolver()
    future.whenResolved { _ in
      log.record("first")
      resolver.fulfill(2)
      future.onSuccess { log.record("nested \($0)") }
      future.map { $0 + 1 }.whenResolved { log.record("mapped \($0.value!)") }
      log.record("first ends")
    }
    future.whenResolved { _ in log.record("second") }
    resolver.fulfill(1)
    #expect(log.events == ["first", "nested 1", "mapped 2", "first ends", "second"])
  }

  @Test("T34: each call returns a future of its own, which is settled after the callback has returned")
  func distinct() {
    let (future, resolver) = Future<Int, TestError>.makeWithResolver()
    var derived: [Future<Int, TestError>] = []
    derived.append(future.onSuccess { _ in #expect(!derived[0].isSettled) })
    derived.append(future.onComplete { _ in #expect(!derived[1].isSettled) })
    derived.append(future.onError { _ in })
    derived.append(future.onCancel { _ in })
    derived.append(future.map { $0 })
    derived.append(future.makeChild())
    derived.append(future.tap())
    for (index, one) in derived.enumerated() {
      #expect(one != future)
      for other in derived[..<index] { #expect(one != other) }
    }
    resolver.fulfill(1)
    #expect(derived.map(\.value) == Array(repeating: 1, count: 7))
  }

  @Test(
    "T36: a callback that ran is released where it ran; a callback for another outcome, where the future is settled")
  func release() {
    let context = QueueContext()
    withLifetimeTracking { tracker in
      func callback() -> @Sendable (Int) -> Void {
        let held = tracker.track()
        return { _ in held.touch() }
      }
      let (future, resolver) = Future<Int, TestError>.makeWithResolver()
      future.onSuccess(on: context.here, callback())
      future.onError(on: context.here, { [callback = callback()] in callback($0.code) })
      #expect(tracker.live == 2)
      resolver.fulfill(1)
      #expect(tracker.live == 1)
      context.run()
      #expect(tracker.live == 0)
    }
  }

  @Test("T39: a single expression of another type is a callback that returns nothing")
  func unusedResult() {
    let optional: ((Int) -> Void)? = nil
    let future = Future<Int, TestError>(fulfilled: 1).onSuccess({ optional?($0) })
    let same: Future<Int, TestError> = future.onSuccess { optional?($0) }.onComplete { _ in }
    #expect(same.value == 1)
  }
}
