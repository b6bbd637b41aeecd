import Dispatch
import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: stateful streams")
struct ReplayingTests {
  @Test("PG44: each callback gets the latest state once, then the later ones, and the end too")
  func replay() {
    Numbers.with(StatefulPublisher()) { numbers in
      let empty = Received(numbers.subscriber())
      #expect(empty.states == [])
      numbers.publish(.data(1), .data(2))
      let subscriber = numbers.subscriber()
      let first = Received(subscriber)
      numbers.publish(.error(TestError(3)))
      let second = Received(subscriber)
      numbers.publish(.data(4), .cancelled)
      let late = Received(subscriber)
      let last = Received(numbers.subscriber())
      #expect(empty.states == [.data(1), .data(2), .error(TestError(3)), .data(4), .cancelled])
      #expect(first.states == [.data(2), .error(TestError(3)), .data(4), .cancelled])
      #expect(second.states == [.error(TestError(3)), .data(4), .cancelled])
      #expect(late.states == [.data(4), .cancelled])
      #expect(last.states == [.data(4), .cancelled])
    }
  }

  @Test("PG44: the latest state and the latest value are known; a value survives errors and the end")
  func latest() {
    let publisher = StatefulPublisher<Int, TestError>()
    #expect(publisher.lastState == nil && publisher.lastValue == nil)
    publisher.publish(error: TestError(1))
    #expect(publisher.lastState == .error(TestError(1)) && publisher.lastValue == nil)
    publisher.publish(2)
    #expect(publisher.lastState == .data(2) && publisher.lastValue == 2)
    publisher.publish(error: TestError(3))
    publisher.publish(error: TestError(4))
    #expect(publisher.lastState == .error(TestError(4)) && publisher.lastValue == 2)
    publisher.publish(5)
    #expect(publisher.lastState == .data(5) && publisher.lastValue == 5)
    publisher.cancelAll()
    publisher.publish(6)
    #expect(publisher.lastState == .data(5) && publisher.lastValue == 5)
  }

  @Test("PG44: a stateful publisher releases a remembered state when the next one replaces it")
  func latestIsReleased() {
    withLifetimeTracking { tracker in
      let publisher = StatefulPublisher<Tracked<Void>, TestError>()
      publisher.publish(tracker.track())
      publisher.publish(tracker.track())
      #expect(tracker.live == 1)
      #expect(publisher.lastState?.value != nil && publisher.lastValue != nil)
      publisher.publish(error: TestError(1))
      publisher.publish(error: TestError(2))
      #expect(tracker.live == 1)
      publisher.publish(tracker.track())
      #expect(tracker.live == 1)
    }
  }

  @Test("PG44: a replayed state is delivered in the context")
  func replayContext() {
    Numbers.with(StatefulPublisher()) { numbers in
      numbers.publish(.data(1))
      let queue = DispatchQueue(label: "test")
      let gate = Gate()
      queue.async { gate.wait() }
      let recorder = Recorder<NumberState>()
      let subscriber = numbers.subscriber().subscribe(on: .queue(queue)) { recorder.record($0) }
      numbers.publish(.data(2))
      #expect(recorder.events == [])
      gate.open()
      queue.drain()
      #expect(recorder.events == [.data(1), .data(2)])
      withExtendedLifetime(subscriber) {}
    }
  }

  @Test("PG44: a stream derived from a stateful one is stateful")
  func derived() {
    Numbers.with(StatefulPublisher()) { numbers in
      numbers.publish(.data(1))
      let mapped = numbers.subscriber().mapValues { $0 * 10 }
      #expect(Received(mapped).states == [.data(10)])
      #expect(Received(mapped.filterValues { $0 > 10 }).states == [])
      numbers.publish(.data(2))
      #expect(Received(mapped).states == [.data(20)])
    }
  }

  @Test("PG70: stateful remembers the latest state since the call")
  func stateful() {
    Numbers.with { numbers in
      numbers.publish(.data(1))
      let stateful = numbers.subscriber().stateful()
      let first = Received(stateful)
      numbers.publish(.data(2), .error(TestError(3)))
      let second = Received(stateful)
      #expect(first.states == [.data(2), .error(TestError(3))])
      #expect(second.states == [.error(TestError(3))])
    }
  }

  @Test("PG71: startWith gives a value first, then the source's; a late callback gets the latest")
  func startWith() {
    Numbers.with { numbers in
      let started = numbers.subscriber().startWith(0)
      let first = Received(started)
      #expect(first.states == [.data(0)])
      numbers.publish(.data(1))
      let second = Received(started)
      numbers.publish(.error(TestError(2)), .cancelled)
      #expect(first.states == [.data(0), .data(1), .error(TestError(2)), .cancelled])
      #expect(second.states == [.data(1), .error(TestError(2)), .cancelled])
    }
  }

  @Test("PG72: of gives each callback its state, and ends when it is cancelled")
  func of() {
    let value = Subscriber<Int, TestError>.of(1)
    let first = Received(value)
    let second = Received(value.mapValues { $0 + 1 })
    #expect(first.states == [.data(1)] && second.states == [.data(2)])
    value.cancel()
    #expect(first.states == [.data(1), .cancelled] && second.states == [.data(2), .cancelled])
    let error = Received(Subscriber<Int, TestError>.of(error: TestError(3)))
    #expect(error.states == [.error(TestError(3))])
  }

  @Test("just gives each callback its state, then the end; empty gives the end alone")
  func just() {
    let value = Subscriber<Int, TestError>.just(1)
    #expect(value.isCancelled && Received(value).states == [.data(1), .cancelled])
    #expect(Received(value.mapValues { $0 + 1 }).states == [.data(2), .cancelled])
    let error = Subscriber<Int, TestError>.just(error: TestError(3))
    #expect(Received(error).states == [.error(TestError(3)), .cancelled])
    #expect(Received(Subscriber<Int, TestError>.empty()).states == [.cancelled])
  }

  @Test("flatMapValues with just ends each inner stream: concat publishes all values, and merge keeps none of them")
  func flatMapJust() {
    Numbers.with { numbers in
      let all = Received(numbers.subscriber().flatMapValues(.concat) { .just($0 * 10) })
      withLifetimeTracking { tracker in
        let merged = numbers.subscriber().flatMapValues { _ in
          Subscriber<Tracked<Void>, TestError>.just(tracker.track())
        }
        let count = Counter()
        merged.onNewData { _ in count.add() }
        for number in 1...3 {
          numbers.publish(.data(number))
          #expect(tracker.live == 0 && count.value == number)
        }
        withExtendedLifetime(merged) {}
      }
      numbers.publish(.cancelled)
      #expect(all.states == [.data(10), .data(20), .data(30), .cancelled])
    }
  }
}
