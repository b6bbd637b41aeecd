import Promises
import PromisesTestSupport
import Testing

@Suite("Future: bodies, handlers of requests, and callbacks of values alone, in a context")
struct BodyFormTests {
  private typealias Subject = Future<Int, TestError>

  @Test("T12: the body of a throwing future runs in its context")
  func throwing() {
    let executor = ManualExecutor()
    let log = Recorder<Bool>()
    let made = ThrowingFuture<Int>(on: executor.here) { _ in
      log.record(executor.isRunning)
      throw TestError(1)
    }
    #expect(log.events == [])
    executor.runAll()
    #expect(log.events == [true] && made.error as? TestError == TestError(1))
  }

  @Test("bodies and handlers of requests run on the main queue")
  func bodies() async {
    let log = Recorder<String>()
    let kept = Recorder<Resolver<Int, TestError>>()
    @Sendable func record(_ name: String) { log.record("\(name): \(isOnMainQueue())") }
    let made = Subject(on: .main) { resolver in
      record("body")
      kept.record(resolver)
      resolver.onCancelRequest(on: .main) { _ in record("request") }
    }
    let throwing = ThrowingFuture<Int>(on: .main) { _ in
      record("throwing body")
      throw OtherError()
    }
    let delayed = DelayedFuture<Int, TestError>(on: .main) { resolver in
      record("delayed body")
      kept.record(resolver)
    }
    let shared = delayed.future.propagatingCancellation(on: .main) { _ in record("propagating") }
    start(on: .main) { record("work") }
    await mainQueueDrained()
    made.requestCancel()
    shared.requestCancel()
    await mainQueueDrained()
    #expect(
      Set(log.events) == [
        "body: true", "throwing body: true", "delayed body: true", "work: true", "request: true", "propagating: true",
      ])
    #expect(log.count == 6 && throwing.error is OtherError)
  }

  @Test("PG29: callbacks of values alone run in their context")
  func successOnly() async {
    let executor = ManualExecutor()
    let log = Recorder<String>()
    let (future, resolver) = Subject.makeWithResolver()
    let values = future.successOnly()
    @Sendable func add(_ value: Int) -> Int {
      log.record(executor.isRunning ? "context" : "main: \(isOnMainQueue())")
      return value + 1
    }
    let mapped = [values.map(on: executor.here, add), values.map(on: .main, add)]
    values.onSuccess(on: executor.here) { _ = add($0) }
    values.onSuccess(on: .main) { _ = add($0) }
    resolver.fulfill(1)
    await mainQueueDrained()
    #expect(log.events == ["main: true", "main: true"])
    executor.runAll()
    #expect(log.events.dropFirst(2) == ["context", "context"])
    #expect(mapped.map(\.value) == [2, 2])
  }
}
