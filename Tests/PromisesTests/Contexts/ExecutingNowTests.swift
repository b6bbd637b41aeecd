import Promises
import PromisesTestSupport
import Testing

@Suite("Contexts: now")
struct ExecutingNowTests {
  private let executor = ManualExecutor()
  private let log = Recorder<String>()

  private func record(_ name: String) { log.record("\(name): \(PromiseContext.isExecutingNow)") }

  @Test("T4 a callback on a settled promise runs in the attaching call")
  func now() {
    Promise<Int>.resolve(1).then(on: .nowOr(executor.here), { _ in record("fulfilled") }, nil)
    Promise<Int>.reject(1).then(on: .nowOr(executor.here), nil, { _ in record("rejected") })
    #expect(log.events == ["fulfilled: true", "rejected: true"])
    #expect(executor.count == 0)
  }

  @Test("T4 a callback on a pending promise runs as in the context itself")
  func later() {
    let promise = Promise<Int>()
    promise.then(on: .nowOr(executor.here), { _ in record("callback") }, nil)
    promise.resolve(1)
    #expect(log.events == [])
    executor.runAll()
    #expect(log.events == ["callback: false"])
  }

  @Test("T4 a promise that a callback settles now does not make its own callbacks run now: they were attached before")
  func downstream() {
    let derived = Promise<Int>.resolve(1).then(on: .nowOr(executor.here)) { $0 }
    #expect(derived.value == 1)
    let source = Promise<Int>()
    source.then(on: .nowOr(executor.here), { _ in record("earlier") }, nil)
    Promise<Int>.resolve(1).then(on: .nowOr(executor.here), { _ in source.resolve(2) }, nil)
    #expect(log.events == [])
    executor.runAll()
    #expect(log.events == ["earlier: false"])
  }

  @Test("T4 nowOr of nowOr of a context equals nowOr of that context")
  func nested() {
    #expect(PromiseContext.nowOr(.nowOr(executor.here)) == .nowOr(executor.here))
    Promise<Int>.resolve(1).then(on: .nowOr(.nowOr(executor.here)), { _ in record("callback") }, nil)
    #expect(log.events == ["callback: true"])
  }

  @MainActor @Test("T4 the block of an initializer does not run now: the specification wants it later")
  func initializer() async {
    _ = Promise<Int>(on: .nowOr(.main)) { _, _ in record("block") }
    #expect(log.events == [])
    await mainQueueDrained()
    #expect(log.events == ["block: false"])
  }

  @Test("T6 isExecutingNow is false outside of callbacks, and in every callback that runs later")
  func elsewhere() {
    record("outside")
    let promise = Promise<Int>()
    promise.then(on: .immediate, { _ in record("immediate") }, nil)
    promise.then(on: .nowOr(.immediate), { _ in record("now or immediate") }, nil)
    promise.then(on: executor.here, { _ in record("executor") }, nil)
    promise.resolve(1)
    executor.runAll()
    #expect(log.events == ["outside: false", "immediate: false", "now or immediate: false", "executor: false"])
  }

  @Test("T6 an immediate callback on a settled promise inherits isExecutingNow from the attaching call")
  func inherited() {
    let settled = Promise<Int>.resolve(1)
    settled.then(on: .immediate, { _ in record("by no callback") }, nil)
    settled.then(
      on: .nowOr(executor.here),
      { _ in
        record("now")
        settled.then(on: .immediate) { _ in record("immediate") }
          .then(on: .immediate, { record("immediate chain") }, nil)
        settled.then(on: .nowOr(executor.here), { _ in record("nested") }, nil)
        record("still")
      }, nil)
    record("after")
    #expect(
      log.events == [
        "by no callback: false", "now: true", "immediate: true", "immediate chain: true", "nested: true", "still: true",
        "after: false",
      ])
  }

  @Test("T6 isExecutingNow is false in an immediate callback on a pending promise that a callback settles now")
  func settledByNow() {
    let promise = Promise<Int>()
    promise.then(
      on: .immediate,
      { _ in
        record("earlier")
        Promise<Int>.resolve(1).then(on: .immediate, { _ in record("attached there") }, nil)
        Promise<Int>.resolve(1).then(on: .nowOr(executor.here), { _ in record("now there") }, nil)
        record("earlier again")
      }, nil)
    Promise<Int>.resolve(1).then(
      on: .nowOr(executor.here),
      { _ in
        promise.resolve(1)
        record("after")
      }, nil)
    #expect(
      log.events == [
        "earlier: false", "attached there: false", "now there: true", "earlier again: false", "after: true",
      ])
  }

  @Test("T6 isExecutingNow is false in a callback that an executor runs within one where it is true")
  func withinExecutor() {
    let promise = Promise<Int>()
    promise.then(on: executor.here, { _ in record("executor") }, nil)
    promise.resolve(1)
    Promise<Int>.resolve(1).then(
      on: .nowOr(.main),
      { _ in
        executor.runAll()
        record("after")
      }, nil)
    #expect(log.events == ["executor: false", "after: true"])
  }

  @Test("T6 isExecutingNow is true on the thread of the callback alone")
  func anotherThread() {
    Promise<Int>.resolve(1).then(on: .nowOr(.main), { _ in onThread { record("thread") } }, nil)
    #expect(log.events == ["thread: false"])
  }

  @Test("T6 isExecutingNow in a callback of onCancelRequest is that of the requesting call")
  func cancelRequest() {
    let (future, resolver) = Future<Int, Never>.makeWithResolver()
    let (other, otherResolver) = Future<Int, Never>.makeWithResolver()
    resolver.onCancelRequest { _ in record("request") }
    otherResolver.onCancelRequest { _ in record("other request") }
    Promise<Int>.resolve(1).then(on: .nowOr(executor.here), { _ in future.requestCancel() }, nil)
    other.requestCancel()
    #expect(log.events == ["request: true", "other request: false"])
    withExtendedLifetime((resolver, otherResolver)) {}
  }

  @Test("T6, T64 the callback of propagatingCancellation does not run now, in its context even for now-or")
  func propagating() {
    let (root, resolver) = Future<Int, Never>.makeWithResolver()
    let shared = root.propagatingCancellation { _ in record("at once") }
    Promise<Int>.resolve(1).then(on: .nowOr(executor.here), { _ in shared.requestCancel() }, nil)
    #expect(log.events == ["at once: false"])
    let other = root.propagatingCancellation(on: .nowOr(executor.here)) { _ in record("there") }
    other.requestCancel()
    #expect(log.count == 1)
    executor.runAll()
    #expect(log.events == ["at once: false", "there: false"])
    withExtendedLifetime(resolver) {}
  }
}
