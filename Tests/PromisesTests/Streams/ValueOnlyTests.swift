import Dispatch
import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: value-only and update-only subscribers")
struct ValueOnlyTests {
  @Test("PG74: didUpdate fires for values, and for errors if asked to")
  func didUpdate() {
    Numbers.with { numbers in
      let source = numbers.subscriber()
      let values = Recorder<Bool>()
      let both = Recorder<Bool>()
      let subscribers = [
        source.didUpdate().subscribe { values.record($0.isCancelled) },
        source.didUpdate(includeErrors: true).subscribe { both.record($0.isCancelled) },
      ]
      numbers.publish(.data(1), .error(TestError(2)), .cancelled)
      #expect(values.events == [false, true])
      #expect(both.events == [false, false, true])
      withExtendedLifetime(subscribers) {}
    }
  }

  @Test("PG75: an update-only subscriber calls back without a payload, and at the end", arguments: [false, true])
  func updateOnly(isOnQueue: Bool) {
    Numbers.with { numbers in
      let queue = DispatchQueue(label: "test")
      let updates = Recorder<Void>()
      let ends = Recorder<Void>()
      let subscriber: UpdateOnlySubscriber = numbers.subscriber().didUpdate()
      if isOnQueue {
        subscriber.onNewData(on: .queue(queue)) { updates.record() }.onCancelled(on: .queue(queue)) { ends.record() }
      } else {
        subscriber.onNewData { updates.record() }.onCancelled { ends.record() }
      }
      numbers.publish(.data(1), .error(TestError(3)), .data(2), .cancelled)
      queue.drain()
      #expect(updates.count == 2 && ends.count == 1, "an error is no update")
    }
  }

  @Test("PG76: an update-only subscriber becomes a full one, and the end reaches it")
  func fullUpdates() {
    Numbers.with { numbers in
      let full: Subscriber<Void, TestError> = numbers.subscriber().didUpdate(includeErrors: true).fullSubscriber()
      let recorder = Recorder<String>()
      full.subscribe { recorder.record("\($0)") }
      numbers.publish(.data(1), .error(TestError(2)), .cancelled)
      #expect(recorder.events == ["()", "()", "Cancelled."])
    }
  }

  @Test("PG77: valueOnly ignores errors and keeps its source")
  func valueOnly() {
    Numbers.with { numbers in
      let received: Received<Int, Never> = Received(numbers.subscriber().valueOnly())
      numbers.publish(.data(1), .error(TestError(2)), .data(3))
      #expect(received.states == [.data(1), .data(3)] && !received.subscriber.isCancelled)
      numbers.publish(.cancelled)
      #expect(received.states == [.data(1), .data(3), .cancelled] && received.subscriber.isCancelled)
    }
  }

  @Test("PG78, PG79: a value-only subscriber calls back with values and at the end", arguments: [false, true])
  func callbacks(isOnQueue: Bool) {
    Numbers.with { numbers in
      let queue = DispatchQueue(label: "test")
      let values = Recorder<Int>()
      let ends = Recorder<Void>()
      let subscriber: ValueOnlySubscriber<Int> = numbers.subscriber().valueOnly()
      if isOnQueue {
        subscriber.onNewData(on: .queue(queue)) { values.record($0) }.onCancelled(on: .queue(queue)) { ends.record() }
      } else {
        subscriber.onNewData { values.record($0) }.onCancelled { ends.record() }
      }
      numbers.publish(.data(1), .error(TestError(2)), .cancelled)
      queue.drain()
      #expect(values.events == [1] && ends.count == 1)
      subscriber.onNewData { values.record($0) }
      if isOnQueue {
        queue.sync { _ = subscriber.onCancelled(on: .queue(queue)) { ends.record() } }
        queue.drain()
      } else {
        subscriber.onCancelled { ends.record() }
      }
      #expect(values.events == [1] && ends.count == 2)
    }
  }

  @Test("PG80, PG81, PG82: a value-only stream is mapped and compacted, and the derived one keeps it")
  func derive() {
    Numbers.with { numbers in
      let mapped = Received(numbers.subscriber().valueOnly().mapValues { $0 * 10 })
      let compacted = Received(numbers.subscriber().valueOnly().compactMapValues { $0 == 1 ? nil : $0 })
      let unwrapped: Received<Int, Never> = Received(
        numbers.subscriber().mapValues { $0 == 1 ? nil : $0 }.valueOnly().filterNil())
      numbers.publish(.data(1), .data(2), .error(TestError(3)), .cancelled)
      #expect(mapped.states == [.data(10), .data(20), .cancelled])
      #expect(compacted.states == [.data(2), .cancelled] && unwrapped.states == compacted.states)
    }
  }

  @Test("PG83: distinctValues of a value-only stream does not see errors")
  func distinct() {
    Numbers.with { numbers in
      let received = Received(numbers.subscriber().valueOnly().distinctValues())
      numbers.publish(.data(1), .error(TestError(2)), .data(1), .data(2), .data(1))
      #expect(received.values == [1, 2, 1])
    }
  }

  @Test("PG84: value-only streams combine; the first end ends the combination")
  func combine() {
    Numbers.with { numbers in
      let other = Stream<String, TestError>()
      let both = numbers.subscriber().valueOnly().combineWith(other.subscriber().valueOnly())
      let three = Subscriber.combine(both, .of(true))
      let recorder = Recorder<String>()
      both.subscribe { recorder.record("\($0)") }
      numbers.publish(.data(1), .error(TestError(2)))
      other.publish(.data("a"), .data("b"), .cancelled)
      #expect(recorder.events == ["\((1, "a"))", "\((1, "b"))", "Cancelled."])
      #expect(three.isCancelled)
    }
  }

  @Test("PG85: a value-only subscriber becomes a full one, and the end reaches it")
  func full() {
    Numbers.with { numbers in
      let full = Received(numbers.subscriber().valueOnly().fullSubscriber(errorType: OtherError.self))
      let inferred: Received<Int, OtherError> = Received(numbers.subscriber().valueOnly().fullSubscriber())
      let states: [StreamState<Int, OtherError>] = [.data(1), .cancelled]
      numbers.publish(.data(1), .error(TestError(2)), .cancelled)
      #expect(full.states == states && inferred.states == states)
    }
  }
}
