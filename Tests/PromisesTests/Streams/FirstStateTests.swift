import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: the future of the first state")
struct FirstStateTests {
  @Test("first is the first state from now on: a value, an error, or the end, which cancels; a stateful stream has one")
  func outcomes() {
    let ends: [(NumberState, FutureResult<Int, TestError>)] = [
      (.data(1), .fulfilled(1)), (.error(TestError(2)), .rejected(TestError(2))), (.cancelled, .cancelled(nil)),
    ]
    for (state, result) in ends {
      Numbers.with { numbers in
        let first = numbers.subscriber().first()
        #expect(first.state == .pending)
        numbers.publish(state, .data(9), .cancelled)
        #expect(first.result == result)
        #expect(numbers.subscriber().first().state == .cancelled)
      }
    }
    Numbers.with(StatefulPublisher()) { numbers in
      numbers.publish(.data(1), .data(2))
      #expect(numbers.subscriber().first().value == 2)
    }
    #expect(Subscriber<Int, TestError>.empty().first().state == .cancelled)
  }

  @Test("the future keeps the chain that it was made from, and unsubscribes with its settlement")
  func lifetime() {
    Numbers.with { numbers in
      withLifetimeTracking { tracker in
        let calls = Counter()
        let first = numbers.subscriber().mapValues { [held = tracker.track()] value in
          held.touch()
          calls.add()
          return value * 10
        }.first()
        let seen = Recorder<Int>()
        first.onSuccess { seen.record($0) }
        #expect(tracker.live == 1)
        numbers.publish(.data(1))
        #expect(tracker.live == 0 && seen.events == [10])
        numbers.publish(.data(2))
        #expect(calls.value == 1 && first.value == 10)
      }
    }
  }

  @Test("a request to cancel cancels the future, and unsubscribes, at once")
  func cancelled() {
    Numbers.with { numbers in
      withLifetimeTracking { tracker in
        let first = numbers.subscriber().filterValues { [held = tracker.track()] _ in
          held.touch()
          return true
        }.first()
        let derived = first.map { $0 }
        first.requestCancel()
        #expect(first.state == .cancelled && derived.state == .cancelled && tracker.live == 0)
        numbers.publish(.data(1))
        #expect(first.state == .cancelled)
      }
    }
  }

  @Test("without a reference to the future, its callbacks still run")
  func released() {
    Numbers.with { numbers in
      let seen = Recorder<Int>()
      numbers.subscriber().first().onSuccess { seen.record($0) }
      numbers.publish(.data(1), .data(2))
      #expect(seen.events == [1])
    }
  }
}

extension Observed {
  @Suite("Streams: reports about the future of the first state")
  struct FirstStateReports {
    @Test("the states after the first one, and the end, are not reported as second settlements")
    func reports() {
      let publisher = Publisher<Int, TestError>()
      let first = publisher.subscriber().first()
      let reports = Observed.reports {
        publisher.publish(1)
        publisher.publish(2)
        publisher.cancelAll()
        // The end follows before the future keeps its subscription.
        let ended = Subscriber<Int, TestError>.just(3).first()
        return [first.id, ended.id]
      }
      #expect(reports == [] && first.value == 1)
    }
  }
}
