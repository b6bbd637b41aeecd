import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: jobs that an executor drops")
struct DroppedTurns {
  private let executor = ManualExecutor()
  private let log = Recorder<String>()

  private func dropAll() { executor.take().forEach { $0.drop() } }

  @Test("a state whose job is dropped is delivered with the next one", arguments: 0..<3)
  func waits(form: Int) {
    Numbers.with { numbers in
      let subscriber = form == 1 ? numbers.subscriber().mapValues { $0 } : numbers.subscriber()
      let subscription =
        form == 2 ? subscriber.subscribe(on: executor.here, demand: 8) { log.record("\($0)") } : nil
      if form != 2 { subscriber.subscribe(on: executor.here) { log.record("\($0)") } }
      numbers.publish(.data(1))
      dropAll()
      #expect(executor.count == 0 && log.count == 0)
      numbers.publish(.data(2), .data(3), .cancelled)
      executor.runAll()
      #expect(log.events == ["1", "2", "3", "Cancelled."])
      withExtendedLifetime((subscriber, subscription)) {}
    }
  }

  @Test("a callback that is added meanwhile gets the states from then on")
  func added() {
    Numbers.with { numbers in
      let subscriber = numbers.subscriber().onNewData(on: executor.here) { log.record("a\($0)") }
      numbers.publish(.data(1))
      dropAll()
      subscriber.onNewData(on: executor.here) { log.record("b\($0)") }
      executor.runAll()
      #expect(log.events == ["a1"])
      numbers.publish(.data(2))
      executor.runAll()
      #expect(log.events == ["a1", "a2", "b2"])
      withExtendedLifetime(subscriber) {}
    }
  }

  @Test(
    "two jobs in turn that are dropped, or one for a limited buffer, release the callbacks", arguments: [false, true])
  func shutDown(isLimited: Bool) {
    Numbers.with { numbers in
      withLifetimeTracking { tracker in
        let buffer: StreamBuffer = isLimited ? .bounded(1) : .unbounded
        let subscription = numbers.subscriber().subscribe(on: executor.here, demand: 8, buffer: buffer) {
          [held = tracker.track(log)] in held.payload.record("\($0)")
        }
        for _ in 0..<(isLimited ? 1 : 2) {
          #expect(tracker.live == 1)
          numbers.publish(.data(1))
          dropAll()
        }
        #expect(tracker.live == 0 && log.count == 0)
        withExtendedLifetime(subscription) {}
      }
    }
  }

  @Test("a job that has run makes up for one that was dropped")
  func again() {
    Numbers.with { numbers in
      let subscriber = numbers.subscriber().onNewData(on: executor.here) { log.record("\($0)") }
      for round in 0..<3 {
        numbers.publish(.data(round))
        dropAll()
        numbers.publish(.data(round))
        executor.runAll()
      }
      #expect(log.events == ["0", "0", "1", "1", "2", "2"])
      withExtendedLifetime(subscriber) {}
    }
  }

  @Test("if the job for the end is dropped, the callbacks are released uncalled")
  func end() {
    Numbers.with { numbers in
      withLifetimeTracking { tracker in
        let subscriber = numbers.subscriber().subscribe(on: executor.here) { [held = tracker.track(log)] in
          held.payload.record("\($0)")
        }
        numbers.publish(.data(1), .cancelled)
        dropAll()
        #expect(executor.count == 0 && log.count == 0 && tracker.live == 0)
        withExtendedLifetime(subscriber) {}
      }
    }
  }

  @Test("a subscriber that is released after its job was dropped releases its states and callbacks")
  func released() {
    Numbers.with { numbers in
      withLifetimeTracking { tracker in
        let subscriber = numbers.subscriber().subscribe(on: executor.here) { [held = tracker.track(log)] in
          held.payload.record("\($0)")
        }
        numbers.publish(.data(1))
        dropAll()
        #expect(tracker.live == 1)
        withExtendedLifetime(subscriber) {}
      }
    }
  }
}
