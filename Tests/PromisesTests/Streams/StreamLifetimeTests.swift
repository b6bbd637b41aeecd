import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: remembered states are released")
struct StreamLifetimeTests {
  @Test("a replaying stream keeps as many states as it replays, and none after its release")
  func history() {
    withLifetimeTracking { tracker in
      let publisher = Publisher<Tracked<Void>, TestError>()
      var stream: Subscriber<Tracked<Void>, TestError>? = publisher.subscriber().replay(2)
      for _ in 0..<5 { publisher.publish(tracker.track()) }
      #expect(tracker.live == 2)
      withExtendedLifetime(stream) {}
      stream = nil
      #expect(tracker.live == 0)
    }
  }

  @Test("a stateful publisher releases the value before its last error", arguments: [1, 2, 3])
  func valueBeforeError(values: Int) {
    withLifetimeTracking { tracker in
      var publisher: StatefulPublisher<Tracked<Void>, TestError>? = StatefulPublisher()
      for number in 0..<values {
        publisher?.publish(tracker.track())
        publisher?.publish(error: TestError(number))
      }
      #expect(tracker.live == 1)
      #expect(publisher?.lastValue != nil)
      publisher = nil
      #expect(tracker.live == 0)
    }
  }

  @Test("a cancelled subscriber keeps nothing of the streams before it", arguments: [false, true])
  func cancelled(isDiamond: Bool) {
    withLifetimeTracking { tracker in
      let publisher = StatefulPublisher<Tracked<Void>, TestError>()
      publisher.publish(tracker.track())
      let source = publisher.subscriber()
      let subscriber =
        isDiamond
        ? Subscriber.merge(source.filterValues { _ in true }, source.filterValues { _ in false })
        : publisher.subscriber().mapValues { $0 }
      subscriber.subscribe(on: ManualExecutor().here) { _ in }
      subscriber.cancel()
      withExtendedLifetime(source) { #expect(tracker.live == 1) }
    }
  }

  @Test("a throttle drops the states of an interval, of which it is to publish none")
  func throttle() {
    withLifetimeTracking { tracker in
      let clock = VirtualClock()
      let publisher = Publisher<Tracked<Void>, TestError>()
      let stream = publisher.subscriber().throttle(for: .seconds(1), latest: false, clock: clock)
      for _ in 0..<3 { publisher.publish(tracker.track()) }
      #expect(tracker.live == 0)
      withExtendedLifetime(stream) {}
    }
  }

  @Test("a sequence that is not iterated to its end releases its states")
  func sequence() {
    withLifetimeTracking { tracker in
      let publisher = Publisher<Tracked<Void>, TestError>()
      do {
        let states = publisher.subscriber().states()
        for _ in 0..<3 { publisher.publish(tracker.track()) }
        #expect(tracker.live == 3)
        withExtendedLifetime(states) {}
      }
      #expect(tracker.live == 0)
      withExtendedLifetime(publisher) {}
    }
  }

  @Test("a sequence that is released within a group of states releases the rest of the group")
  func sequenceWithinAGroup() async {
    let tracker = LifetimeTracker()
    let publisher = Publisher<Tracked<Void>, TestError>()
    do {
      var iterator = publisher.subscriber().states().makeAsyncIterator()
      for _ in 0..<3 { publisher.publish(tracker.track()) }
      _ = await iterator.next()
      #expect(tracker.live == 2)
    }
    #expect(tracker.live == 0)
    withExtendedLifetime(publisher) {}
  }

  @Test("a publisher without a state keeps nothing")
  func stateless() {
    withLifetimeTracking { tracker in
      let publisher = Publisher<Tracked<Void>, TestError>()
      var seen = 0
      let subscriber = publisher.subscriber().onNewData { _ in seen += 1 }
      for _ in 0..<3 { publisher.publish(tracker.track()) }
      #expect(tracker.live == 0 && seen == 3)
      withExtendedLifetime((publisher, subscriber)) {}
    }
  }
}
