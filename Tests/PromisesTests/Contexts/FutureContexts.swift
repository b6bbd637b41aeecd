import Promises
import PromisesTestSupport
import Testing

@Suite("Contexts: nowOr, in futures")
struct FutureContexts {
  private let executor = ManualExecutor()
  private let log = Recorder<String>()

  private func record(_ name: String) { log.record("\(name): \(PromiseContext.isExecutingNow)") }

  @Test("T4 the body of an initializer runs at once, in any default context")
  func initializer() {
    let future = Future<Int, Never>(on: .nowOr(executor.here)) {
      record("body")
      $0.fulfill(1)
    }
    #expect(future.value == 1)
    #expect(log.events == ["body: true"])
  }

  @Test("T4 the body of a delayed future never runs now")
  func delayed() {
    let delayed = DelayedFuture<Int, Never>(on: .nowOr(executor.here)) { _ in record("later") }
    let immediate = DelayedFuture<Int, Never>(on: .immediate) { _ in record("immediate") }
    Future<Int, Never>(fulfilled: 1).onSuccess(on: .nowOr(executor.here)) { _ in
      _ = delayed.future
      _ = immediate.future
    }
    #expect(log.events == ["immediate: false"])
    executor.runAll()
    #expect(log.events == ["immediate: false", "later: false"])
  }

  @Test("T4 a timed result is never now, also if the future is settled already")
  func timed() {
    Future<Int, Never>(fulfilled: 1).onSuccess(on: .nowOr(executor.here)) { value in
      let futures = [
        Future<Int, Never>(fulfilled: value).delay(on: .nowOr(executor.here), 0),
        Future<Int, Never>(on: .nowOr(executor.here), fulfilled: value, after: 0),
      ]
      for future in futures { future.whenResolved { _ in record("timed") } }
      #expect(log.events == [])
    }
    while log.count < 2 { executor.waitAndRunNext() }
    #expect(log.events == ["timed: false", "timed: false"])
  }

  @Test("T4 a callback of a request is now if the request came before, else in its context")
  func request() {
    let (future, resolver) = Future<Int, Never>.makeWithResolver()
    resolver.onCancelRequest(on: .nowOr(executor.here)) { _ in record("before") }
    future.requestCancel()
    #expect(log.events == [])
    resolver.onCancelRequest(on: .nowOr(executor.here)) { _ in record("after") }
    #expect(log.events == ["after: true"])
    executor.runAll()
    #expect(log.events == ["after: true", "before: false"])
  }

  @Test("T6 an immediate callback of onCancelRequest has the current context of the requesting call")
  func immediateRequest() {
    let (future, resolver) = Future<Int, Never>.makeWithResolver()
    resolver.onCancelRequest(on: .immediate) { _ in record("immediate") }
    resolver.onCancelRequest(on: .nowOr(.immediate)) { _ in record("now or immediate") }
    Future<Int, Never>(fulfilled: 1).onSuccess(on: .nowOr(executor.here)) { _ in
      future.requestCancel()
      record("after")
    }
    #expect(log.events == ["immediate: true", "now or immediate: false", "after: true"])
  }

  @Test("T35 an outcome that a callback does not handle passes at once, a cancellation too")
  func arms() {
    let (future, resolver) = Future<Int, String>.makeWithResolver()
    let passed = future.map(on: executor.here) { $0 + 1 }.onError(on: executor.here) { _ in record("error") }
    resolver.cancel()
    #expect(passed.result?.isCancelled == true)
    #expect(executor.count == 0)
    #expect(log.events == [])
  }
}
