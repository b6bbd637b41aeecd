import Promises
import PromisesTestSupport
import Testing

// Groups and ticks on the real clock, and futures of the first state, raced with publishing.
extension StreamRaces {
  @Test("arrays within a time have each value once, in order, also if a timer fires while one fills or the end comes")
  func groups() {
    for round in 0..<Self.rounds {
      let publisher = Publisher<Int, Never>()
      let log = Recorder<StreamState<[Int], Never>>()
      let stream = publisher.subscriber().buffer(3, within: .microseconds(round * 5)).subscribe { log.record($0) }
      onThreads(1) { _ in for number in 0..<Self.events { publisher.publish(number) } }
      publisher.cancelAll()
      let arrays = log.wait { $0 == .cancelled }.compactMap(\.value)
      #expect(arrays.flatMap { $0 } == Array(0..<Self.events) && arrays.allSatisfy { (1...3).contains($0.count) })
      withExtendedLifetime(stream) {}
    }
  }

  @Test("ticks on the real clock have increasing numbers; no tick comes after the release")
  func ticks() {
    for round in 0..<Self.rounds {
      let log = Recorder<Int>()
      var stream: Subscriber<Int, Never>? = Subscriber.every(.microseconds(1 + round * 10)).onNewData { log.record($0) }
      _ = log.wait { $0 > 5 }
      stream = nil
      let numbers = log.events
      #expect(stream == nil && zip(numbers, numbers.dropFirst()).allSatisfy(<))
    }
  }

  @Test("futures of the first state that threads make while others publish get a state from then on, or the end")
  func firstStates() {
    for _ in 0..<Self.rounds {
      let publisher = Publisher<Int, Never>()
      let source = publisher.subscriber().mapValues { $0 }
      let made = Monitor<[[Future<Int, Never>]]>([])
      onThreads(4) { thread in
        guard thread > 0 else { return (0..<Self.events).forEach { publisher.publish($0) } }
        let futures = (0..<50).map { _ in source.first() }
        if thread == 1 { for future in futures { future.requestCancel() } }
        made.withLock { $0.append(futures) }
      }
      publisher.cancelAll()
      for futures in made.withLock({ $0 }) {
        let values = futures.compactMap(\.value)
        #expect(zip(values, values.dropFirst()).allSatisfy(<=) && futures.allSatisfy { $0.state != .pending })
      }
    }
  }

  @Test("errors that race with the timers of debounce and throttle come after the value before them; none is lost")
  func errors() {
    for round in 0..<Self.rounds {
      let publisher = Publisher<Int, TestError>()
      let interval = Duration.microseconds(1 + round * 5)
      let logs = (0..<2).map { _ in Recorder<StreamState<Int, TestError>>() }
      let source = publisher.subscriber()
      let streams = [source.debounce(for: interval), source.throttle(for: interval)]
      for (stream, log) in zip(streams, logs) { stream.subscribe { log.record($0) } }
      onThreads(1) { _ in
        for number in 0..<Self.events {
          publisher.publish(number)
          if number % 3 == 2 { publisher.publish(error: TestError(number)) }
        }
      }
      publisher.cancelAll()
      for log in logs {
        let states = log.wait { $0 == .cancelled }
        #expect(states.compactMap(\.error) == stride(from: 2, to: Self.events, by: 3).map { TestError($0) })
        for (index, state) in states.enumerated() {
          if let error = state.error { #expect(states[index - 1] == .data(error.code)) }
        }
      }
      withExtendedLifetime(streams) {}
    }
  }
}
