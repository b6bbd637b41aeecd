import Dispatch
import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: subscribing")
struct SubscribingTests {
  @Test("PG42: a callback gets the states after it was added, and none before")
  func cut() {
    Numbers.with { numbers in
      let subscriber = numbers.subscriber()
      let first = Received(subscriber)
      numbers.publish(.data(1))
      let second = Received(subscriber)
      numbers.publish(.data(2))
      #expect(first.values == [1, 2])
      #expect(second.values == [2])
      numbers.publish(.error(TestError(3)))
      let late = [Received(subscriber), Received(numbers.subscriber())]
      #expect(late.allSatisfy { $0.states.isEmpty })
      numbers.publish(.data(4))
      #expect(late.allSatisfy { $0.states == [.data(4)] })
    }
  }

  @Test("PG43: releasing the publisher ends the stream; releasing a subscriber silences it")
  func lifetimes() {
    let numbers = Numbers()
    let received = Received(numbers.subscriber())
    let silenced = Recorder<NumberState>()
    let elsewhere = Recorder<NumberState>()
    let queue = DispatchQueue(label: "test")
    var subscriber: Subscriber? = numbers.subscriber().subscribe { silenced.record($0) }
      .subscribe(on: .queue(queue)) { elsewhere.record($0) }
    #expect(subscriber != nil)
    numbers.publish(.data(1))
    queue.drain()
    subscriber = nil
    numbers.publish(.data(2))
    numbers.release()
    queue.drain()
    #expect(received.states == [.data(1), .data(2), .cancelled])
    #expect(silenced.events == [.data(1)])
    #expect(elsewhere.events == [.data(1)])
  }

  @Test("PG43: a chain lives by its last element, with the callbacks in it")
  func chains() {
    Numbers.with { numbers in
      let middle = Recorder<Int>()
      var end: Received<String, TestError>? = Received(
        numbers.subscriber().onNewData { middle.record($0) }.mapValues { $0 + 1 }.mapValues { "\($0)" })
      numbers.publish(.data(1))
      #expect(middle.events == [1] && end?.values == ["2"])
      end = nil
      numbers.publish(.data(2))
      #expect(middle.events == [1])
    }
  }

  @Test("PG43: a released chain frees its functions and callbacks")
  func releases() {
    Numbers.with { numbers in
      withLifetimeTracking { tracker in
        let tracked = [tracker.track(), tracker.track()]
        let received = Received(
          numbers.subscriber().onNewData { [one = tracked[0]] _ in one.touch() }
            .filterValues { [other = tracked[1]] _ in
              other.touch()
              return true
            })
        numbers.publish(.data(1))
        #expect(received.values == [1])
      }
    }
  }

  @Test("PG45: a subscriber knows whether its stream has ended")
  func isCancelled() {
    Numbers.with { numbers in
      let subscriber = numbers.subscriber()
      let derived = [subscriber, subscriber.mapValues { $0 }, subscriber.stateful(), subscriber.replay(2)]
      #expect(derived.map(\.isCancelled) == [false, false, false, false])
      numbers.publish(.cancelled)
      #expect(derived.map(\.isCancelled) == [true, true, true, true])
    }
  }

  @Test("PG46: subscribe gets every state, in the call or on a queue; after the end, the end")
  func subscribe() {
    Numbers.with { numbers in
      let queue = DispatchQueue(label: "test")
      let key = DispatchSpecificKey<Bool>()
      queue.setSpecific(key: key, value: true)
      let recorder = Recorder<NumberState>()
      let places = Recorder<Bool>()
      let subscriber = numbers.subscriber()
      subscriber.subscribe(on: .queue(queue)) { state in
        recorder.record(state)
        places.record(DispatchQueue.getSpecific(key: key) == true)
      }
      numbers.publish(.data(1), .error(TestError(2)), .cancelled)
      queue.drain()
      #expect(recorder.events == [.data(1), .error(TestError(2)), .cancelled])
      #expect(places.events == [true, true, true])
      #expect(Received(subscriber).states == [.cancelled])
    }
  }

  @Test("PG46: a callback on the main context runs on the main queue")
  func main() async {
    let numbers = Numbers()
    let places = Recorder<Bool>()
    let subscriber = numbers.subscriber().subscribe(on: .main) { _ in places.record(isOnMainQueue()) }
    numbers.publish(.data(1))
    await mainQueueDrained()
    #expect(places.events == [true])
    withExtendedLifetime((numbers, subscriber)) {}
  }

  @Test(
    "PG46, PG47, PG48, PG49: callbacks with .main use the main actor's state, in order, for values, errors and the end")
  @MainActor
  func mainActor() async {
    let numbers = Numbers()
    let log = Lines()
    let subscriber = numbers.subscriber()
    subscriber.subscribe(on: .main) { log.lines.append("state \($0)") }
      .onNewData(on: .main) { log.lines.append("value \($0)") }
      .onError(on: .main) { log.lines.append("error \($0.code)") }
      .onCancelled(on: .main) { log.lines.append("end") }
    let subscription = subscriber.subscribe(on: .main, demand: 1) { log.lines.append("asked for \($0)") }
    numbers.publish(.data(1), .error(TestError(2)), .cancelled)
    #expect(log.lines == [], "nothing runs inside the publishing call")
    // Each pass of the main queue delivers one state to each callback.
    for _ in 0..<8 { await mainQueueDrained() }
    #expect(
      log.lines.filter { $0.hasPrefix("value") || $0.hasPrefix("error") || $0 == "end" } == [
        "value 1", "error 2", "end",
      ])
    #expect(log.lines.filter { $0.hasPrefix("state") }.count == 3)
    #expect(log.lines.filter { $0.hasPrefix("asked") } == ["asked for 1"])
    withExtendedLifetime((numbers, subscriber, subscription)) {}
  }

  @MainActor
  private final class Lines {
    var lines: [String] = []
  }

  @Test("PG47, PG48, PG49: callbacks for values, for errors, and for the end", arguments: [false, true])
  func kinds(isOnQueue: Bool) {
    Numbers.with { numbers in
      let queue = DispatchQueue(label: "test")
      let values = Recorder<Int>()
      let errors = Recorder<TestError>()
      let ends = Recorder<Void>()
      let subscriber = numbers.subscriber()
      if isOnQueue {
        queue.suspend()
        subscriber.onNewData(on: .queue(queue)) { values.record($0) }
          .onError(on: .queue(queue)) { errors.record($0) }
          .onCancelled(on: .queue(queue)) { ends.record() }
      } else {
        subscriber.onNewData { values.record($0) }.onError { errors.record($0) }.onCancelled { ends.record() }
      }
      numbers.publish(.data(1), .error(TestError(2)), .data(3))
      if isOnQueue {
        #expect(values.count == 0 && errors.count == 0, "nothing runs outside the queue")
        queue.resume()
        queue.drain()
      }
      #expect(values.events == [1, 3] && errors.events == [TestError(2)] && ends.count == 0)
      if isOnQueue { queue.suspend() }
      numbers.publish(.cancelled)
      if isOnQueue {
        #expect(ends.count == 0)
        queue.resume()
        queue.drain()
      }
      #expect(values.count == 2 && errors.count == 1 && ends.count == 1)
    }
  }

  @Test("PG50: cancel ends one subscriber, once for each callback, and releases the callbacks")
  func cancel() {
    Numbers.with { numbers in
      withLifetimeTracking { tracker in
        let other = Received(numbers.subscriber())
        let subscriber = numbers.subscriber()
        let first = Received(subscriber)
        let second = Received(subscriber)
        let derived = Received(subscriber.mapValues { $0 * 10 })
        subscriber.subscribe { [tracked = tracker.track()] _ in tracked.touch() }
        numbers.publish(.data(1))
        subscriber.cancel()
        #expect(tracker.live == 0)
        subscriber.cancel()
        numbers.publish(.data(2), .cancelled)
        #expect(first.states == [.data(1), .cancelled] && second.states == first.states)
        #expect(derived.states == [.data(10), .cancelled])
        #expect(other.states == [.data(1), .data(2), .cancelled])
      }
    }
  }

  @Test("PG50: a callback may cancel its own subscriber, and then gets the end")
  func cancelInside() {
    Numbers.with { numbers in
      let subscriber = numbers.subscriber()
      let recorder = Recorder<NumberState>()
      subscriber.subscribe { [unowned subscriber] state in
        recorder.record(state)
        subscriber.cancel()
      }
      numbers.publish(.data(1), .data(2))
      #expect(recorder.events == [.data(1), .cancelled])
      withExtendedLifetime(subscriber) {}
    }
  }

  @Test("PG88: many callbacks and subscribers come and leave, without recursion and without a trace")
  func many() {
    let count = Scale.million / 5
    onThread {
      Numbers.with { numbers in
        let calls = Counter()
        var subscriber: Subscriber? = numbers.subscriber()
        for _ in 0..<count { subscriber?.onNewData { _ in calls.add() } }
        numbers.publish(.data(1))
        #expect(calls.value == count)
        subscriber = nil
        numbers.publish(.data(2))
        #expect(calls.value == count)
        for _ in 0..<count { numbers.subscriber().onNewData { _ in calls.add() } }
        numbers.publish(.data(3))
        #expect(calls.value == count)
      }
    }
  }

  @Test("PG88: a chain of operators may have any length")
  func longChains() {
    let count = Scale.million / 10
    onThread {
      Numbers.with { numbers in
        var end = numbers.subscriber()
        for _ in 0..<count { end = end.mapValues { $0 + 1 } }
        let received = Received(end)
        end = Subscriber.of(0)
        numbers.publish(.data(0), .cancelled)
        #expect(received.states == [.data(count), .cancelled])
      }
    }
  }

  @Test("PG88: releasing a long chain unsubscribes it from the publisher of an open stream")
  func longChainsRelease() {
    let count = Scale.million / 10
    onThread {
      Numbers.with { numbers in
        let calls = Counter()
        var end: Subscriber? = numbers.subscriber()
        for _ in 0..<count {
          end = end?.mapValues {
            calls.add()
            return $0
          }
        }
        end = nil
        numbers.publish(.data(0))
        #expect(calls.value == 0)
      }
    }
  }
}
