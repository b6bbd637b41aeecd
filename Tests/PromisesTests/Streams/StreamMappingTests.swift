import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: operators on single states")
struct StreamMappingTests {
  private typealias Derive<Value, Failure> = (Subscriber<Int, TestError>) -> Subscriber<Value, Failure>

  /// Returns the states that the stream of `derive` receives for 1, error 2, 3, error 4, the end.
  private func states<Value: Sendable, Failure: Sendable>(
    _ derive: Derive<Value, Failure>
  ) -> [StreamState<Value, Failure>] {
    Numbers.with { numbers in
      let received = Received(derive(numbers.subscriber()))
      numbers.publish(.data(1), .error(TestError(2)), .data(3), .error(TestError(4)), .cancelled)
      return received.states
    }
  }

  @Test("PG52: mapStates maps every state; one that maps the end stays open")
  func mapStates() {
    #expect(
      states { $0.mapStates { (state) -> StreamState<String, Never> in .data("\(state)") } }
        == ["1", "\(TestError(2))", "3", "\(TestError(4))", "Cancelled."].map { .data($0) })
    let ended = states { source in
      source.mapStates { (state) -> NumberState in state == .data(3) ? .cancelled : state }
    }
    #expect(ended == [.data(1), .error(TestError(2)), .cancelled])
    Numbers.with { numbers in
      let open = numbers.subscriber().mapStates { _ -> StreamState<Int, Never> in .data(0) }
      numbers.publish(.cancelled)
      #expect(!open.isCancelled)
    }
  }

  @Test("PG53: mapValues maps values; the rest passes")
  func mapValues() {
    #expect(
      states { $0.mapValues { "\($0)" } }
        == [.data("1"), .error(TestError(2)), .data("3"), .error(TestError(4)), .cancelled])
  }

  @Test("PG54: mapErrors maps errors; the rest passes")
  func mapErrors() {
    #expect(states { $0.mapErrors { "\($0.code)" } } == [.data(1), .error("2"), .data(3), .error("4"), .cancelled])
  }

  @Test("PG55: splitMapValues maps values to any state; cancelled ends the stream")
  func splitMapValues() {
    #expect(
      states { $0.splitMapValues { $0 == 1 ? StreamState<String, TestError>.error(TestError(9)) : .cancelled } }
        == [.error(TestError(9)), .error(TestError(2)), .cancelled])
    #expect(states { $0.splitMapValues { .data($0 * 2) } }.compactMap(\.value) == [2, 6])
  }

  @Test("PG56: splitMapErrors maps errors to any state; cancelled ends the stream")
  func splitMapErrors() {
    #expect(
      states { $0.splitMapErrors { $0.code == 2 ? StreamState<Int, Never>.data(20) : .cancelled } }
        == [.data(1), .data(20), .data(3), .cancelled])
    #expect(states { $0.splitMapErrors { .error("\($0.code)") } }.compactMap(\.error) == ["2", "4"])
  }

  @Test("PG57: compactMapStates drops a state for nil, the end too")
  func compactMapStates() {
    #expect(
      states { $0.compactMapStates { $0.value.map { StreamState<Int, Never>.data($0) } } } == [.data(1), .data(3)])
    #expect(
      states { $0.compactMapStates { (state) -> NumberState? in state.value == nil ? state : nil } }
        == [.error(TestError(2)), .error(TestError(4)), .cancelled])
  }

  @Test("PG52, PG57: a stateful stream without the end stays open, with its latest state", arguments: [false, true])
  func endOfAStatefulStream(isLate: Bool) {
    let numbers = StatefulPublisher<Int, TestError>()
    func end() {
      numbers.publish(1)
      numbers.cancelAll()
    }
    if isLate { end() }
    let dropped = numbers.subscriber().compactMapStates { $0 == .cancelled ? nil : $0 }
    let mapped = numbers.subscriber().mapStates { $0 == .cancelled ? .data(-1) : $0 }
    if !isLate { end() }
    for (derived, latest) in [(dropped, 1), (mapped, -1)] {
      #expect(!derived.isCancelled && Received(derived).states == [.data(latest)])
    }
  }

  @Test("PG58: compactMapValues drops a value for nil")
  func compactMapValues() {
    #expect(
      states { $0.compactMapValues { $0 == 1 ? nil : "\($0)" } }
        == [.error(TestError(2)), .data("3"), .error(TestError(4)), .cancelled])
  }

  @Test("PG59: compactMapErrors drops an error for nil")
  func compactMapErrors() {
    #expect(
      states { $0.compactMapErrors { $0.code == 2 ? nil : "\($0.code)" } }
        == [.data(1), .data(3), .error("4"), .cancelled])
  }

  @Test("PG60: filterStates drops any state; without the end the stream stays open")
  func filterStates() {
    #expect(states { $0.filterStates { $0.error == nil } } == [.data(1), .data(3), .cancelled])
    #expect(states { $0.filterStates { !$0.isCancelled } }.count == 4)
    Numbers.with { numbers in
      let open = numbers.subscriber().filterStates { !$0.isCancelled }
      numbers.publish(.cancelled)
      #expect(!open.isCancelled)
    }
  }

  @Test("PG61: filterValues drops values; the rest passes")
  func filterValues() {
    #expect(
      states { $0.filterValues { $0 == 3 } } == [.error(TestError(2)), .data(3), .error(TestError(4)), .cancelled])
  }

  @Test("PG62: filterErrors drops errors; the rest passes")
  func filterErrors() {
    #expect(states { $0.filterErrors { $0.code == 4 } } == [.data(1), .data(3), .error(TestError(4)), .cancelled])
  }

  @Test("PG63: filterNil unwraps values and drops nil")
  func filterNil() {
    Stream<Int?, TestError>.with { numbers in
      let received: Received<Int, TestError> = Received(numbers.subscriber().filterNil())
      numbers.publish(.data(1), .data(nil), .error(TestError(2)), .cancelled)
      #expect(received.states == [.data(1), .error(TestError(2)), .cancelled])
    }
  }

  @Test("PG52, PG60: a function is called once for each state, for any number of subscribers")
  func calls() {
    Numbers.with { numbers in
      let calls = Counter()
      let mapped = numbers.subscriber().mapValues { value in
        calls.add()
        return value
      }
      let received = [Received(mapped), Received(mapped), Received(mapped.mapValues { $0 })]
      numbers.publish(.data(1), .data(2))
      #expect(received.allSatisfy { $0.values == [1, 2] })
      #expect(calls.value == 2)
    }
  }

  @Test("PG64: distinctValues drops a value that equals the state before it, never an error; it is stateful")
  func distinctValues() {
    Numbers.with { numbers in
      let distinct = numbers.subscriber().distinctValues()
      let received = Received(distinct)
      let error = NumberState.error(TestError(9))
      numbers.publish(.data(1), .data(1), .data(2), .data(2), .data(1), error, error, .data(1))
      #expect(received.states == [.data(1), .data(2), .data(1), error, error, .data(1)])
      #expect(Received(distinct).states == [.data(1)])
    }
  }

  @Test("PG65: distinctStates drops equal errors too; it is stateful")
  func distinctStates() {
    Numbers.with { numbers in
      let distinct = numbers.subscriber().distinctStates()
      let received = Received(distinct)
      let error = NumberState.error(TestError(9))
      numbers.publish(.data(1), .data(1), error, error, .error(TestError(8)), .data(1), .cancelled)
      #expect(received.states == [.data(1), error, .error(TestError(8)), .data(1), .cancelled])
      #expect(Received(distinct).states == [.data(1), .cancelled])
    }
  }

  @Test("PG73: scanValues publishes the latest values, once there are enough; errors pass")
  func scanValues() {
    Numbers.with { numbers in
      let pairs = Received(numbers.subscriber().scanValues(2))
      let none = Received(numbers.subscriber().scanValues(0))
      numbers.publish(.data(1), .error(TestError(9)), .data(2), .data(3), .cancelled)
      #expect(pairs.states == [.error(TestError(9)), .data([1, 2]), .data([2, 3]), .cancelled])
      #expect(none.states == [.error(TestError(9)), .cancelled])
    }
  }

  @Test("PG73: a released window frees its values")
  func scanReleases() {
    Stream<Tracked<Void>, Never>.with { stream in
      withLifetimeTracking { tracker in
        let windows = stream.subscriber().scanValues(2)
        for _ in 0..<5 { stream.publish(.data(tracker.track())) }
        #expect(tracker.live == 2)
        withExtendedLifetime(windows) {}
      }
    }
  }

  @Test("PG51: bindTo publishes all states to another publisher, which it keeps; the end leaves that one open")
  func bindTo() {
    let target = Numbers()
    let received = Received(target.subscriber())
    Numbers.with { numbers in
      let bound = numbers.subscriber().bindTo(target.publisher)
      numbers.publish(.data(1), .error(TestError(2)), .cancelled)
      #expect(received.states == [.data(1), .error(TestError(2)), .cancelled])
      #expect(!target.publisher.isCancelled)
      withExtendedLifetime(bound) {}
    }
    let late = Received(target.subscriber())
    target.publish(.data(3))
    #expect(late.states == [.data(3)])
    var binding: Subscriber? = Numbers.with { $0.subscriber().startWith(5) }
    binding = Subscriber<Int, TestError>.of(4).bindTo(target.publisher)
    #expect(late.values == [3, 4])
    target.release()
    #expect(late.states == [.data(3), .data(4)])
    binding = nil
    #expect(binding == nil && late.states == [.data(3), .data(4), .cancelled])
  }
}
