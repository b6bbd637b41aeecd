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

  /// The streams of two settled futures.
  private var settled: [Subscriber<Int, TestError>] {
    [1, 2].map { Subscriber.of(future: Future(fulfilled: $0)) }
  }

  @Test("combine ends with the end of a future's stream; until all, the value of the future is combined further")
  func combined() {
    Numbers.with { ticks in
      let resolver = Resolver<Int, TestError>()
      func texts(_ stream: Subscriber<(Int, Int), TestError>) -> Recorder<String> {
        let texts = Recorder<String>()
        stream.subscribe { texts.record("\($0)") }
        return texts
      }
      let streams = [settled[0], .of(future: resolver.future)].flatMap { future in
        [
          Subscriber.combine(future, ticks.subscriber()),
          future.combineWith(ticks.subscriber(), until: .all),
        ]
      }
      let received = streams.map(texts)
      resolver.fulfill(3)
      ticks.publish(.data(5), .data(6), .cancelled)
      #expect(received[0].events == ["Cancelled."] && received[2].events == ["Cancelled."])
      #expect(received[1].events == ["(1, 5)", "(1, 6)", "Cancelled."])
      #expect(received[3].events == ["(3, 5)", "(3, 6)", "Cancelled."])
      withExtendedLifetime(streams) {}
    }
  }

  @Test("combine until all ends with a source that ends without a value, and with the last one")
  func combinedWithoutValue() {
    Numbers.with { ticks in
      let empty = Subscriber<Int, TestError>.empty()
      let without = Received(Subscriber.combine(empty, ticks.subscriber(), until: .all).mapValues { $0.0 })
      #expect(without.states == [.cancelled])
      // The end of a prefix is an end, as any other.
      let first = Received(
        Subscriber.combine(Subscriber<Int, TestError>.of(1), ticks.subscriber().prefix(1)).mapValues { $0.1 })
      let last = Received(
        Subscriber.combine(ticks.subscriber().prefix(1), ticks.subscriber(), until: .all).mapValues { $0.1 })
      ticks.publish(.data(2))
      #expect(first.states == [.data(2), .cancelled] && last.states == [.data(2)])
      ticks.publish(.data(3), .cancelled)
      #expect(last.states == [.data(2), .data(3), .cancelled])
    }
  }

  @Test("concat of settled futures publishes each value, in order, then ends")
  func concatenated() {
    Numbers.with { numbers in
      let received = Received(numbers.subscriber().flatMapValues(.concat) { .of(future: Future(fulfilled: $0 * 10)) })
      numbers.publish(.data(1), .data(2), .data(3), .cancelled)
      #expect(received.states == [.data(10), .data(20), .data(30), .cancelled])
    }
  }

  @Test("merge of settled futures runs in the call that makes it: a callback gets the last value, and the end")
  func merged() {
    #expect(Received(Subscriber.merge(settled)).states == [.data(2), .cancelled])
    // The form in which no value is lost: the callback is there before the sources.
    Stream<Subscriber<Int, TestError>, TestError>.with { sources in
      let received = Received(sources.subscriber().flatMapValues { $0 })
      for source in settled { sources.publish(.data(source)) }
      sources.publish(.cancelled)
      #expect(received.states == [.data(1), .data(2), .cancelled])
    }
  }
}
