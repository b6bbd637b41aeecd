import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: operators on several streams")
struct StreamJoiningTests {
  /// Runs `body` with several streams.
  private func with(_ count: Int, _ body: ([Numbers]) -> Void) {
    let streams = (0..<count).map { _ in Numbers() }
    withExtendedLifetime(streams) { body(streams) }
  }

  @Test("PG66: merge publishes the states of all, and ends when all have; of none, at once")
  func merge() {
    with(3) { streams in
      let all = Received(Subscriber.merge(streams.map { $0.subscriber() }))
      let some = Received(Subscriber.merge(streams[0].subscriber(), streams[1].subscriber()))
      streams[1].publish(.data(1))
      streams[0].publish(.error(TestError(2)), .cancelled)
      streams[2].publish(.data(3))
      streams[1].publish(.data(4), .cancelled)
      #expect(some.states == [.data(1), .error(TestError(2)), .data(4), .cancelled])
      #expect(!all.subscriber.isCancelled)
      streams[2].publish(.cancelled)
      #expect(all.states == [.data(1), .error(TestError(2)), .data(3), .data(4), .cancelled])
    }
    #expect(Received(Subscriber<Int, TestError>.merge([])).states == [.cancelled])
  }

  @Test("PG67: mergeWith merges a stream with others")
  func mergeWith() {
    with(3) { streams in
      let subscribers = streams.map { $0.subscriber() }
      let one = Received(subscribers[0].mergeWith([subscribers[1], subscribers[2]]))
      let other = Received(subscribers[0].mergeWith(subscribers[1], subscribers[2]))
      for (index, stream) in streams.enumerated() { stream.publish(.data(index), .cancelled) }
      #expect(one.states == [.data(0), .data(1), .data(2), .cancelled] && other.states == one.states)
    }
  }

  @Test("PG66: a merged stream that is released frees its sources")
  func mergeReleases() {
    with(2) { streams in
      withLifetimeTracking { tracker in
        let sources = streams.map { $0.subscriber().onNewData { [tracked = tracker.track()] _ in tracked.touch() } }
        let merged = Received(Subscriber.merge(sources))
        streams[0].publish(.data(1))
        #expect(merged.values == [1])
      }
    }
  }

  @Test("PG68: combine publishes the latest values once each source has one; errors pass; the first end ends it")
  func combine() {
    let names = Stream<String, TestError>()
    let flags = Stream<Bool?, TestError>()
    withExtendedLifetime((names, flags)) {
      Numbers.with { numbers in
        let all = Subscriber.combine(numbers.subscriber(), names.subscriber(), flags.subscriber())
        let recorder = Recorder<String>()
        all.subscribe { recorder.record("\($0)") }
        numbers.publish(.data(1), .data(2))
        names.publish(.data("a"), .error(TestError(3)))
        #expect(recorder.events == ["\(TestError(3))"])
        flags.publish(.data(nil))
        names.publish(.data("b"))
        numbers.publish(.error(TestError(4)), .data(5))
        names.publish(.cancelled)
        numbers.publish(.data(6))
        let expected: [StreamState<(Int, String, Bool?), TestError>] = [
          .data((2, "a", nil)), .data((2, "b", nil)), .error(TestError(4)), .data((5, "b", nil)), .cancelled,
        ]
        #expect(recorder.events.dropFirst() == expected.map { "\($0)" }[...])
        #expect(all.isCancelled)
      }
    }
  }

  @Test("PG68: six streams of different types combine")
  func combineSix() {
    let all = Subscriber<Int, Never>.of(1).combineWith(
      .of("2"), Subscriber<[Int], Never>.of([3]), .of(4.0), .of(true), Subscriber<Int?, Never>.of(6))
    let recorder = Recorder<String>()
    all.onNewData { recorder.record("\($0)") }
    let expected: (Int, String, [Int], Double, Bool, Int?) = (1, "2", [3], 4.0, true, 6)
    #expect(recorder.events == ["\(expected)"])
  }

  @Test("PG69: combineWith combines a stream with others")
  func combineWith() {
    with(2) { streams in
      let both = streams[0].subscriber().combineWith(streams[1].subscriber().mapValues { "\($0)" })
      let recorder = Recorder<String>()
      both.onNewData { number, name in recorder.record("\(number)\(name)") }
      streams[0].publish(.data(1))
      streams[1].publish(.data(2), .data(3))
      #expect(recorder.events == ["12", "13"])
    }
  }

  @Test("PG69: a released combination frees the latest values")
  func combineReleases() {
    let first = Stream<Tracked<Void>, Never>()
    let second = Stream<Tracked<Void>, Never>()
    withLifetimeTracking { tracker in
      let both = first.subscriber().combineWith(second.subscriber())
      for _ in 0..<3 {
        first.publish(.data(tracker.track()))
        second.publish(.data(tracker.track()))
      }
      #expect(tracker.live == 2)
      withExtendedLifetime(both) {}
    }
    withExtendedLifetime((first, second)) {}
  }
}
