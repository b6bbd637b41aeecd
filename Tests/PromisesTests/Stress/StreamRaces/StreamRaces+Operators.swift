import Dispatch
import Promises
import PromisesTestSupport
import Testing

// Operators and consumers that drop or hold states by their rules, raced on the real clock.
extension StreamRaces {
  private typealias Event = StreamModel.Event

  /// Publishes from two threads, and runs `body` on a third one; then ends the stream. Returns the model.
  private static func race(
    _ publisher: Publisher<Event, Never>, _ body: @escaping () -> Void = {}
  ) -> StreamModel {
    let reference = Recorder<StreamModel.State>()
    let subscriber = publisher.subscriber().subscribe { reference.record($0) }
    let progress = (0..<producers).map { _ in StreamModel.Progress() }
    onThreads(producers + 1) { thread in
      if thread < producers { progress.publish(events, of: thread) { publisher } } else { body() }
    }
    publisher.cancelAll()
    defer { withExtendedLifetime(subscriber) {} }
    return StreamModel(reference.events, producers: producers)
  }

  /// The places of the received events: in order, and none twice. Waits for the end, which the thread of a timer may
  /// still have to deliver.
  private static func places(_ received: Recorder<StreamModel.State>, in model: StreamModel) -> [Int] {
    let states = received.wait { $0 == .cancelled }
    let places = states.compactMap { $0.value.flatMap(model.place) }
    #expect(zip(places, places.dropFirst()).allSatisfy(<), seed)
    #expect(states.count == places.count + 1, seed)
    return places
  }

  @Test("debounce and throttle keep the order, and lose neither the first state of an interval nor the last of all")
  func timed() {
    for round in 0..<Self.rounds {
      let publisher = Publisher<Event, Never>()
      let source = publisher.subscriber()
      let interval = Duration.microseconds(1 + round * 20)
      let streams = [
        source.debounce(for: interval), source.throttle(for: interval), source.throttle(for: interval, latest: false),
      ]
      let received = streams.map { stream in
        let log = Recorder<StreamModel.State>()
        stream.subscribe { log.record($0) }
        return log
      }
      let model = Self.race(publisher)
      let places = received.map { Self.places($0, in: model) }
      #expect(places[0].last == model.events.count - 1 && places[1].last == model.events.count - 1, seed)
      #expect(places[1].first == 0 && places[2].first == 0, seed)
      withExtendedLifetime(streams) {}
    }
  }

  @Test("a timeout that races with states passes them without a gap, then publishes its error and ends, or never")
  func timedOut() {
    for round in 0..<Self.rounds {
      // Stateful, so that a callback gets the error also if the time was over before it was added.
      let publisher = StatefulPublisher<Int, TestError>()
      let log = Recorder<StreamState<Int, TestError>>()
      let interval = Duration.microseconds(1 + round * 10)
      let stream = publisher.subscriber().timeout(after: interval, error: TestError(1)).subscribe { log.record($0) }
      onThreads(1) { _ in for number in 0..<Self.events { publisher.publish(number) } }
      publisher.cancelAll()
      // The thread of the timer may still have to deliver the end.
      var states = Array(log.wait { $0 == .cancelled }.dropLast())
      if states.last == .error(TestError(1)) { states.removeLast() } else { #expect(states.count == Self.events, seed) }
      #expect(states == (0..<states.count).map { .data($0) }, seed)
      withExtendedLifetime(stream) {}
    }
  }

  @Test("demand and buffers: threads that ask get each state once; full buffers drop by their policy and count")
  func demand() {
    for round in 0..<Self.rounds {
      let publisher = Publisher<Event, Never>()
      let source = publisher.subscriber().mapValues { $0 }
      let buffers: [StreamBuffer] = [.unbounded, .bounded(4), .newest(3), .oldest(3)]
      let received = buffers.map { _ in Recorder<StreamModel.State>() }
      let subscriptions = zip(buffers, received).map { buffer, log in
        source.subscribe(demand: 1, buffer: buffer) { log.record($0) }
      }
      let model = Self.race(publisher) {
        var dice = Dice(seed: round)
        for _ in 0..<50 { for subscription in subscriptions { subscription.request(dice.roll(4)) } }
      }
      for subscription in subscriptions { subscription.requestAll() }
      let places = received.map { Self.places($0, in: model) }
      for (places, subscription) in zip(places, subscriptions) {
        #expect(places.count + subscription.dropped == model.events.count, seed)
      }
      #expect(places[0].count == model.events.count && places[1].count == model.events.count, seed)
      #expect(places[2].last == model.events.count - 1 && places[3].first == 0, seed)
    }
  }

  @Test("iterators of several tasks that share an asynchronous sequence get each state once, in order")
  func sequences() async {
    for _ in 0..<Self.rounds {
      let publisher = Publisher<Event, Never>()
      let shared = publisher.subscriber().values()
      let tasks = (0..<3).map { _ in
        Task {
          var got: [Event] = []
          for await event in shared { got.append(event) }
          return got
        }
      }
      let model = Self.race(publisher)
      var all: [Int] = []
      for task in tasks {
        let places = await task.value.compactMap(model.place)
        #expect(zip(places, places.dropFirst()).allSatisfy(<), seed)
        all += places
      }
      #expect(all.sorted() == Array(model.events.indices), seed)
    }
  }

  @Test("each of two iterators gets one of two states, though one of them takes both at once")
  func groups() async {
    for _ in 0..<Self.rounds * 50 {
      let publisher = Publisher<Int, Never>()
      let shared = publisher.subscriber().values()
      let tasks = (0..<2).map { _ in
        Task {
          var iterator = shared.makeAsyncIterator()
          return await iterator.next()
        }
      }
      onThreads(1) { _ in for number in 0..<2 { publisher.publish(number) } }
      publisher.cancelAll()
      var states: [Int?] = []
      for task in tasks { states.append(await task.value) }
      #expect(states == [0, 1] || states == [1, 0])
    }
  }

  @Test("merged inner streams that several threads start and publish lose nothing")
  func innerStreams() {
    for _ in 0..<Self.rounds {
      let outer = Publisher<Int, Never>()
      let inner = (0..<Self.producers).map { _ in Publisher<Event, Never>() }
      // A thread may start the inner stream of another one after that has published: replayed, the events are there.
      let replayed = inner.map { $0.subscriber().replay(Self.events) }
      let log = Recorder<StreamModel.State>()
      let flat = outer.subscriber().flatMapValues { replayed[$0] }.subscribe { log.record($0) }
      onThreads(Self.producers) { producer in
        outer.publish(producer)
        for number in 0..<Self.events { inner[producer].publish(Event(producer: producer, number: number)) }
        inner[producer].cancelAll()
      }
      outer.cancelAll()
      let model = StreamModel(log.events, producers: Self.producers)
      #expect(model.events.count == Self.producers * Self.events, seed)
      withExtendedLifetime(flat) {}
    }
  }

  @Test("retry with errors of several threads keeps the order, and is subscribed to the last attempt")
  func retried() {
    for _ in 0..<Self.rounds {
      let source = Publisher<Int, TestError>()
      let attempts = Counter()
      let log = Recorder<StreamState<Int, TestError>>()
      let retried = Subscriber.retry(Self.events) {
        attempts.add()
        return source.subscriber()
      }
      retried.subscribe { log.record($0) }
      onThreads(2) { thread in
        for number in 0..<Self.events / 2 {
          if thread == 0 { source.publish(number) } else { source.publish(error: TestError(number)) }
        }
      }
      source.publish(Self.events)
      source.cancelAll()
      let values = log.events.compactMap(\.value)
      #expect(log.events.last == .cancelled && log.count == values.count + 1, seed)
      #expect(zip(values, values.dropFirst()).allSatisfy(<) && values.last == Self.events, seed)
      #expect(attempts.value > 1 && attempts.value <= Self.events / 2 + 1, seed)
      withExtendedLifetime(retried) {}
    }
  }
}
