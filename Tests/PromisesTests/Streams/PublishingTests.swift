import Dispatch
import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: publishing")
struct PublishingTests {
  @Test("PG34: a state has a value, an error, or is the end; states are compared and described")
  func states() {
    let data = NumberState.data(1)
    let error = NumberState.error(TestError(2))
    let end = NumberState.cancelled
    #expect([data.value, error.value, end.value] == [1, nil, nil])
    #expect([data.error, error.error, end.error] == [nil, TestError(2), nil])
    #expect([data, error, end].map(\.isCancelled) == [false, false, true])
    #expect([data, error, end].map(\.description) == ["1", "\(TestError(2))", "Cancelled."])
    #expect(data == .data(1) && data != .data(2) && data != error && end == .cancelled)
  }

  @Test("PG35: a publisher does not keep its subscribers, and knows whether it was cancelled")
  func publisher() {
    let tracker = LifetimeTracker()
    Numbers.with { numbers in
      var subscriber: Subscriber? = numbers.subscriber()
      let calls = Counter()
      func listen(with tracked: Tracked<Void>) {
        subscriber?.onNewData { _ in
          tracked.touch()
          calls.add()
        }
      }
      listen(with: tracker.track())
      numbers.publish(.data(1))
      #expect(tracker.live == 1 && calls.value == 1)
      weak let released = subscriber
      subscriber = nil
      #expect(released == nil && tracker.live == 0, "neither the subscriber nor its callback is kept")
      numbers.publish(.data(2))
      #expect(calls.value == 1)
      #expect(!numbers.publisher.isCancelled)
      numbers.publish(.cancelled)
      #expect(numbers.publisher.isCancelled)
    }
    #expect(tracker.live == 0)
  }

  @Test("PG36: values and errors are delivered before the call returns; after the end they are ignored")
  func publish() {
    Numbers.with { numbers in
      let received = Received(numbers.subscriber())
      numbers.publisher.publish(1)
      #expect(received.states == [.data(1)])
      numbers.publisher.publish(error: TestError(2))
      #expect(received.states == [.data(1), .error(TestError(2))])
      numbers.publisher.publish(3)
      numbers.publisher.cancelAll()
      numbers.publisher.publish(4)
      numbers.publisher.publish(error: TestError(5))
      #expect(received.states == [.data(1), .error(TestError(2)), .data(3), .cancelled])
    }
    Numbers.with { numbers in
      let received = (0..<2).map { _ in Received(numbers.subscriber()) }
      numbers.publisher.publish(1)
      numbers.publisher.publish(error: TestError(2))
      #expect(received.allSatisfy { $0.states == [.data(1), .error(TestError(2))] })
    }
  }

  @Test("PG37: a Result is published as data or as an error")
  func publishResult() {
    Numbers.with { numbers in
      let received = Received(numbers.subscriber())
      numbers.publisher.publish(result: .success(1))
      numbers.publisher.publish(result: .failure(TestError(2)))
      #expect(received.states == [.data(1), .error(TestError(2))])
    }
  }

  @Test("PG38: cancelAll ends the stream for all, once, after the states before it")
  func cancelAll() {
    Numbers.with { numbers in
      let queue = DispatchQueue(label: "test")
      let gate = Gate()
      queue.async { gate.wait() }
      let recorder = Recorder<NumberState>()
      let late = numbers.subscriber().subscribe(on: .queue(queue)) { recorder.record($0) }
      let received = Received(numbers.subscriber())
      numbers.publish(.data(1), .data(2), .cancelled, .cancelled, .data(3))
      #expect(received.states == [.data(1), .data(2), .cancelled])
      #expect(numbers.publisher.isCancelled && Received(numbers.subscriber()).states == [.cancelled])
      #expect(recorder.events == [])
      gate.open()
      queue.drain()
      #expect(recorder.events == [.data(1), .data(2), .cancelled])
      withExtendedLifetime(late) {}
    }
  }

  @Test("PG39: each subscriber is new and gets the events published after it; of an ended stream, the end")
  func subscribers() {
    Numbers.with { numbers in
      let first = Received(numbers.subscriber())
      numbers.publish(.data(1))
      let second = Received(numbers.subscriber())
      #expect(first.subscriber !== second.subscriber)
      numbers.publish(.data(2), .cancelled)
      #expect(first.states == [.data(1), .data(2), .cancelled])
      #expect(second.states == [.data(2), .cancelled])
      let late = Received(numbers.subscriber())
      #expect(late.states == [.cancelled] && late.subscriber.isCancelled)
    }
  }

  @Test("PG40: kick publishes an update without a value")
  func kick() {
    Stream<Void, TestError>.with { updates in
      let count = Recorder<Void>()
      let subscriber = updates.subscriber().onNewData { count.record() }
      updates.publisher.kick()
      updates.publisher.kick()
      withExtendedLifetime(subscriber) {}
      #expect(count.count == 2)
    }
  }

  @Test(
    "PG41: callbacks run in their order for each state: immediate ones, and those on one queue",
    arguments: [false, true])
  func order(isOnQueue: Bool) {
    Numbers.with { numbers in
      let queue = DispatchQueue(label: "test")
      let context: PromiseContext = isOnQueue ? .queue(queue) : .immediate
      let recorder = Recorder<String>()
      let subscriber = numbers.subscriber()
      let gate = Gate()
      queue.async { gate.wait() }
      for name in ["a", "b", "c"] {
        subscriber.subscribe(on: context) { recorder.record("\(name)\($0)") }
      }
      numbers.publish(.data(1), .error(TestError(2)), .data(3), .cancelled)
      gate.open()
      queue.drain()
      let states = ["1", "\(TestError(2))", "3", "Cancelled."]
      #expect(recorder.events == states.flatMap { state in ["a", "b", "c"].map { $0 + state } })
    }
  }

  @Test("PG41: a callback may publish and subscribe")
  func reentrancy() {
    Numbers.with { numbers in
      let subscriber = numbers.subscriber()
      let late = Recorder<NumberState>()
      subscriber.onNewData { value in
        guard value < 3 else { return }
        numbers.publish(.data(value + 1))
        subscriber.subscribe { late.record($0) }
      }
      let received = Received(subscriber)
      numbers.publish(.data(1))
      #expect(received.values == [1, 2, 3])
      // The first late callback was added after 2 had been published, the second one after 3.
      #expect(late.events == [.data(3)])
      // Cancel the subscriber, which its own callback retains.
      subscriber.cancel()
    }
  }
}
