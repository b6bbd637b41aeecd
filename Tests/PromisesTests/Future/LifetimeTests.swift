import Promises
import PromisesTestSupport
import Testing

@Suite("Future: lifetimes, threads and descriptions")
struct FutureLifetimeTests {
  private typealias Subject = Future<Int, TestError>

  @Test("RP20, T36, PG33: callbacks are released when the future is settled", arguments: Endings.all.indices)
  func settled(outcome: Int) {
    withLifetimeTracking { tracker in
      let (future, resolver) = Subject.makeWithResolver()
      let derived = attach(to: future, tracker)
      #expect(tracker.live == 5)
      resolver.resolve(Endings.all[outcome])
      #expect(tracker.live == 0)
      withExtendedLifetime((future, derived)) {}
    }
  }

  @Test("RP20: callbacks of a promise that is dropped while pending are released with it")
  func dropped() {
    withLifetimeTracking { tracker in
      let derived = {
        let promise = Promise<Int>()
        return attach(to: promise.future.mapError { _ in TestError() }, tracker)
      }()
      #expect(tracker.live == 0)
      withExtendedLifetime(derived) {}
    }
  }

  private func attach(to future: Subject, _ tracker: LifetimeTracker) -> [Subject] {
    func held<T>() -> (T) -> Void {
      let held = tracker.track()
      return { _ in held.touch() }
    }
    future.whenFulfilled(held())
    future.whenCancelled(held())
    return [future.onSuccess(held()), future.onError(held()), future.onComplete(held())]
  }

  @Test("RP20, PG33, EA32: chains and lists of callbacks may have any length")
  func long() {
    let count = Scale.million / 5
    onThread {
      let (future, resolver) = Subject.makeWithResolver()
      var last = future
      for index in 0..<count { last = index % 2 == 0 ? last.onSuccess { _ in } : last.map { $0 + 1 } }
      var calls = 0
      for _ in 0..<count { future.whenFulfilled { _ in calls += 1 } }
      resolver.fulfill(0)
      #expect(last.value == count / 2)
      #expect(calls == count)
    }
  }

  @Test("RP18: a callback that makes a result runs on the thread that settles, or that attaches late")
  func thread() {
    let (future, resolver) = Subject.makeWithResolver()
    let mapped = future.map { _ in currentThread() }
    let flat = future.flatMap { _ in .init(fulfilled: currentThread()) }
    let settling = onThread {
      resolver.fulfill(1)
      return currentThread()
    }
    #expect(mapped.value == settling && flat.value == settling)
    #expect(future.map { _ in currentThread() }.value == currentThread())
  }

  @Test("D9: a future whose type is erased has the same outcome")
  func erased() {
    let results = Endings.settled.map { $0.typeErased().result }
    #expect(results[0]?.value as? Int == 1)
    #expect(results[1]?.error as? TestError == TestError(2))
    #expect(results[2]?.isCancelled == true && results[3]?.indirectError is OtherError)
  }

  @Test("D19: a misuse gives an error, and does not end the process")
  func misuse() {
    let (future, resolver) = Future<Int, any Error>.makeWithResolver()
    resolver.resolve(with: future)
    #expect((future.error as? PromiseError)?.domain == "promise")
    resolver.resolve(with: Future(fulfilled: 1))
    resolver.fulfill(1)
    #expect(future.state == .rejected)
    let task = FutureTask<Int, Int>()
    #expect(task.begin() && !task.begin())
    #expect(task.complete(with: 1) && !task.complete(with: 2) && !task.fail(with: TestError()) && !task.cancel())
    #expect(throws: FutureTaskError.used(.completed)) { try task.enqueue() }
    #expect(start(running: task, with: 1).error as? FutureTaskError == .used(.completed))
    #expect(start(running: [task, task], with: 1).error as? FutureTaskError == .used(.completed))
    #expect(task.future.value == 1)
  }

  @Test("PG11: the types of callbacks have names")
  func names() {
    var log: [String] = []
    let success: Subject.SuccessCallback = { log.append("value \($0)") }
    let failure: Subject.ErrorCallback = { log.append("error \($0.code)") }
    let result: Subject.ResultCallback = { log.append("\($0)") }
    Subject(fulfilled: 1).onSuccess(success).onError(failure).onComplete(result)
    Subject(rejected: TestError(2)).onSuccess(success).onError(failure)
    #expect(log == ["value 1", "fulfilled(1)", "error 2"])
  }

  @Test("T117: each meaning that libraries give to then has a name of its own")
  func meanings() {
    let future = Future<Int, any Error>(fulfilled: 1)
    #expect(future.onSuccess { _ in }.value == 1)
    #expect(future.map { $0 + 1 }.value == 2)
    #expect(future.flatMap { Future(fulfilled: $0 + 2) }.value == 3)
    #expect(future.tryMap { _ -> Int in throw TestError(4) }.error as? TestError == TestError(4))
    #expect(Future<Int, any Error>(rejected: TestError(5)).mapOrCancel { $0 }.result?.indirectError is TestError)
    #expect(future.promise.then { $0 + 5 }.value == 6)
  }

  @Test("T118: a future describes its state, and a pending one its waiters")
  func descriptions() {
    let (future, resolver) = Subject.makeWithResolver()
    #expect("\(future)" == "Future<Int, TestError>(pending)")
    let child = future.map { $0 }
    future.tap { _ in }
    resolver.onCancelRequest { _ in }
    #expect(
      String(reflecting: future)
        == "Future<Int, TestError>(pending, 2 callbacks, 1 interested, 1 for a request to cancel)")
    child.requestCancel()
    #expect(String(reflecting: future).contains("0 interested"))
    #expect(String(reflecting: future.propagatingCancellation { _ in }).hasSuffix(", sealed)"))
    resolver.fulfill(7)
    #expect("\(future)" == "Future<Int, TestError>(fulfilled(7))")
    #expect(String(reflecting: future) == "\(future)")
  }
}
