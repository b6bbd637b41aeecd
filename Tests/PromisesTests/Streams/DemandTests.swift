import Dispatch
import Promises
import PromisesTestSupport
import Testing

private let strategies: [FlatMapStrategy] = [.merge, .concat, .latest]

@Suite("Streams: demand, buffers and back-pressure")
struct DemandTests {
  @Test("a callback gets as many states as were asked for; the end takes no demand")
  func demand() {
    Numbers.with { numbers in
      let recorder = Recorder<NumberState>()
      let subscription = numbers.subscriber().subscribe(demand: 1) { recorder.record($0) }
      numbers.publish(.data(1), .error(TestError(2)), .data(3), .cancelled)
      #expect(recorder.events == [.data(1)])
      subscription.request(0)
      subscription.request(1)
      #expect(recorder.events == [.data(1), .error(TestError(2))])
      subscription.request(1)
      #expect(recorder.events == [.data(1), .error(TestError(2)), .data(3), .cancelled])
    }
  }

  @Test("all further states may be asked for; a cancelled subscription gets nothing more")
  func requestAll() {
    Numbers.with { numbers in
      let recorder = Recorder<NumberState>()
      let subscription = numbers.subscriber().subscribe(demand: 0) { recorder.record($0) }
      numbers.publish(.data(1), .data(2))
      subscription.requestAll()
      numbers.publish(.data(3))
      #expect(recorder.events == [.data(1), .data(2), .data(3)])
      subscription.cancel()
      numbers.publish(.data(4), .cancelled)
      #expect(recorder.count == 3)
    }
  }

  @Test(
    "a buffer keeps all states, the newest or the oldest",
    arguments: [
      (StreamBuffer.unbounded, [1, 2, 3, 4]), (.bounded(2), [1, 2, 3, 4]), (.newest(2), [3, 4]), (.oldest(2), [1, 2]),
      (.newest(0), [4]), (.oldest(0), [1]),
    ])
  func buffers(buffer: StreamBuffer, expected: [Int]) {
    Numbers.with { numbers in
      let recorder = Recorder<NumberState>()
      let subscription = numbers.subscriber().subscribe(demand: 0, buffer: buffer) { recorder.record($0) }
      numbers.publish(.data(1), .data(2), .data(3), .data(4))
      #expect(subscription.dropped == 4 - expected.count)
      subscription.requestAll()
      #expect(recorder.events.compactMap(\.value) == expected)
    }
  }

  @Test("a full subscriber is back-pressure for the producer, through operators")
  func backPressure() {
    Numbers.with { numbers in
      let subscription = numbers.subscriber().mapValues { $0 }.filterValues { _ in true }
        .subscribe(demand: 0, buffer: .bounded(2)) { _ in }
      #expect(numbers.publisher.publish(1) == .published)
      #expect(numbers.publisher.ready().state == .fulfilled)
      #expect(numbers.publisher.publish(2) == .full)
      let ready = numbers.publisher.ready()
      #expect(ready.state == .pending)
      subscription.request(1)
      #expect(ready.state == .fulfilled)
      #expect(numbers.publisher.publish(result: .failure(TestError(3))) == .full)
      let cancelled = numbers.publisher.ready()
      numbers.publish(.cancelled)
      #expect(cancelled.state == .cancelled)
      #expect(
        numbers.publisher.publish(4) == .cancelled && numbers.publisher.publish(error: TestError(5)) == .cancelled)
      withExtendedLifetime(subscription) {}
    }
  }

  @Test("a subscription that a callback of ready() cancels gets nothing more")
  func cancelledWhenReady() {
    Numbers.with { numbers in
      let recorder = Recorder<NumberState>()
      let subscription = numbers.subscriber().subscribe(demand: 0, buffer: .bounded(1)) { recorder.record($0) }
      #expect(numbers.publisher.publish(1) == .full)
      numbers.publisher.ready().whenFulfilled(on: .immediate) { subscription.cancel() }
      subscription.request(1)
      #expect(recorder.events == [])
    }
  }

  @Test("a full subscriber is back-pressure for the inner streams of a flat map", arguments: strategies)
  func innerBackPressure(strategy: FlatMapStrategy) {
    Numbers.with { source in
      Numbers.with { other in
        let subscription = source.subscriber().flatMapValues(strategy) { _ in other.subscriber() }
          .subscribe(demand: 0, buffer: .bounded(1)) { _ in }
        source.publish(.data(0))
        #expect(other.publisher.publish(1) == .full)
        let ready = other.publisher.ready()
        #expect(ready.state == .pending)
        subscription.request(1)
        #expect(ready.state == .fulfilled)
      }
    }
  }

  @Test("a buffer bounded to 0 states holds one")
  func boundOfNone() {
    Numbers.with { numbers in
      let subscription = numbers.subscriber().subscribe(demand: 0, buffer: .bounded(0)) { _ in }
      #expect(numbers.publisher.publish(1) == .full)
      subscription.requestAll()
      #expect(numbers.publisher.publish(2) == .published)
    }
  }

  @Test("a callback in a context gets states as they are asked for")
  func context() {
    Numbers.with { numbers in
      let queue = DispatchQueue(label: "test")
      let recorder = Recorder<NumberState>()
      let subscription = numbers.subscriber().subscribe(on: .queue(queue), demand: 1) { recorder.record($0) }
      queue.suspend()
      numbers.publish(.data(1), .data(2))
      #expect(recorder.events == [], "nothing runs outside the queue")
      queue.resume()
      queue.drain()
      #expect(recorder.events == [.data(1)])
      subscription.request(1)
      queue.drain()
      #expect(recorder.events == [.data(1), .data(2)])
      withExtendedLifetime(subscription) {}
    }
  }

  @Test("a negative demand is 0, and a negative request is ignored")
  func negative() {
    Numbers.with { numbers in
      let recorder = Recorder<NumberState>()
      let subscription = numbers.subscriber().subscribe(demand: -2) { recorder.record($0) }
      numbers.publish(.data(1), .data(2))
      subscription.request(-1)
      #expect(recorder.events == [])
      subscription.request(1)
      #expect(recorder.events == [.data(1)])
    }
  }

  @Test("a released subscription gets nothing more, and leaves the stream")
  func released() {
    Numbers.with { numbers in
      withLifetimeTracking { tracker in
        let recorder = Recorder<NumberState>()
        var subscription: StreamSubscription? = numbers.subscriber()
          .subscribe(demand: 3) { [held = tracker.track()] in
            held.touch()
            recorder.record($0)
          }
        numbers.publish(.data(1))
        #expect(recorder.events == [.data(1)] && subscription != nil)
        subscription = nil
        #expect(tracker.live == 0)
        numbers.publish(.data(2))
        #expect(recorder.count == 1)
      }
    }
  }
}
