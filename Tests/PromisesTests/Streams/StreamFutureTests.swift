import Promises
import PromisesTestSupport
import Testing

@Suite("Streams of futures")
struct StreamFutureTests {
  typealias State = StreamState<Int, TestError>

  @Test("a stream of a future has its outcome, then the end, also for a late callback", arguments: [false, true])
  func outcome(isSettled: Bool) {
    func states(_ outcome: FutureResult<Int, TestError>) -> [State] {
      let resolver = Resolver<Int, TestError>()
      if isSettled { resolver.resolve(outcome) }
      let stream = Subscriber.of(future: resolver.future)
      let states = Recorder<State>()
      stream.subscribe { states.record($0) }
      #expect(isSettled || states.events.isEmpty)
      resolver.resolve(outcome)
      let late = Recorder<State>()
      stream.subscribe { late.record($0) }
      #expect(late.events == states.events)
      return states.events
    }
    #expect(states(.fulfilled(1)) == [.data(1), .cancelled])
    #expect(states(.rejected(TestError(2))) == [.error(TestError(2)), .cancelled])
    #expect(states(.cancelled(TestError(3))) == [.cancelled])
  }

  @Test("releasing the subscriber asks the future to cancel, unless it has another consumer", arguments: [false, true])
  func release(isShared: Bool) {
    let resolver = Resolver<Int, TestError>()
    var asked = 0
    resolver.onCancelRequest { _ in asked += 1 }
    let other = isShared ? resolver.future.map { $0 } : nil
    var stream: Subscriber? = Subscriber.of(future: resolver.future).onNewData { _ in Issue.record("released") }
    #expect(asked == 0 && stream != nil)
    stream = nil
    #expect(asked == (isShared ? 0 : 1))
    other?.requestCancel()
    #expect(asked == 1, "the stream's interest has ended")
    resolver.fulfill(1)
  }

  @Test("flatMapValues with the latest future: an older one is asked to cancel, and its value is not published")
  func latest() {
    let texts = Publisher<Int, TestError>()
    let searches = (0..<3).map { _ in Resolver<Int, TestError>() }
    let asked = Recorder<Int>()
    for (index, search) in searches.enumerated() { search.onCancelRequest { _ in asked.record(index) } }
    let states = Recorder<State>()
    let hits = texts.subscriber().flatMapValues(.latest) { .of(future: searches[$0].future) }
      .subscribe { states.record($0) }
    texts.publish(0)
    texts.publish(1)
    #expect(asked.events == [0])
    searches[0].fulfill(10)
    searches[1].reject(TestError(11))
    texts.publish(2)
    searches[2].fulfill(12)
    texts.cancelAll()
    #expect(states.events == [.error(TestError(11)), .data(12), .cancelled])
    #expect(asked.events == [0])
    withExtendedLifetime(hits) {}
  }
}
