import Dispatch
import Promises
import PromisesTestSupport
import Testing

/// Runs publishers and subscribers on several threads. One subscriber receives all events; each other one must have
/// received the part of that order between the moments when it came and left.
///
/// Each run draws a seed for its dice and prints it; `STREAM_RACES_SEED` in the environment sets the seed.
@Suite("Stress: streams")
struct StreamRaces {
  /// The end of the stream: after all threads, or at a random moment.
  enum Ending: CaseIterable { case afterAll, cancelAll, release }

  static let rounds = 20
  static let producers = 2
  static let events = 200
  private static let visitors = 3
  private static let visits = 20

  @Test(
    "PG41, PG42, PG43: nothing is lost, duplicated or reordered, also if the publisher is cancelled or dies meanwhile",
    arguments: [false, true], Ending.allCases)
  func subscribers(isStateful: Bool, ending: Ending) {
    for round in 0..<Self.rounds / 2 {
      let reference = Recorder<StreamModel.State>()
      let shared = Monitor<Publisher<StreamModel.Event, Never>?>(isStateful ? StatefulPublisher() : Publisher())
      let model = shared.withLock { $0!.subscriber().subscribe { reference.record($0) } }
      let progress = (0..<Self.producers).map { _ in StreamModel.Progress() }
      let queue = DispatchQueue(label: "test")
      let visits = Monitor<[StreamVisit]>([])
      onThreads(Self.producers + Self.visitors) { thread in
        guard thread >= Self.producers else {
          return progress.publish(Self.events, of: thread) { shared.withLock { $0 } }
        }
        var dice = Dice(seed: round * 100 + thread)
        let last = thread == Self.producers ? dice.roll(Self.visits) : Self.visits
        for number in 0..<Self.visits {
          if number == last { Self.end(shared, ending) }
          guard let publisher = shared.withLock({ $0 }) else { return }
          let visit = StreamVisit(publisher, queue, progress, &dice)
          visits.withLock { $0.append(visit) }
        }
      }
      Self.end(shared, .cancelAll)
      Self.end(shared, .release)
      // Each pass of the queue delivers one event to each subscriber.
      queue.drain(passes: 2 * Self.producers * Self.events)
      let order = StreamModel(reference.events, producers: Self.producers)
      if ending == .afterAll { #expect(order.events.count == Self.producers * Self.events) }
      for visit in visits.withLock({ $0 }) { visit.check(against: order) }
      withExtendedLifetime(model) {}
    }
  }

  private static func end(_ shared: Monitor<Publisher<StreamModel.Event, Never>?>, _ ending: Ending) {
    let publisher = shared.withLock { publisher -> Publisher<StreamModel.Event, Never>? in
      defer { if ending == .release { publisher = nil } }
      return publisher
    }
    if ending == .cancelAll { publisher?.cancelAll() }
  }

  @Test("PG42: consumers that several threads add to one subscriber get the states from then on")
  func consumers() {
    for _ in 0..<Self.rounds * 10 {
      let publisher = Publisher<Int, Never>()
      let middle = publisher.subscriber().mapValues { $0 }
      let logs = (0..<4).map { _ in Recorder<Int>() }
      let kept = Monitor<[Subscriber<Int, Never>]>([])
      onThreads(logs.count) { thread in
        let consumer = thread % 2 == 0 ? middle : middle.mapValues { $0 }
        consumer.onNewData { logs[thread].record($0) }
        publisher.publish(thread)
        kept.withLock { $0.append(consumer) }
      }
      publisher.publish(logs.count)
      for (thread, log) in logs.enumerated() {
        #expect(log.events.contains(thread) && log.events.last == logs.count)
      }
      withExtendedLifetime((publisher, kept)) {}
    }
  }

  @Test("PG66, PG68: merged and combined streams lose no event of several threads")
  func joined() {
    for _ in 0..<Self.rounds {
      let publishers = (0..<3).map { _ in Publisher<Int, Never>() }
      let sources = publishers.map { $0.subscriber() }
      let merged = Recorder<StreamState<Int, Never>>()
      let combined = Recorder<StreamState<(Int, Int, Int), Never>>()
      let zipped = Recorder<StreamState<(Int, Int, Int), Never>>()
      let kept: [Any] = [
        Subscriber.merge(sources).subscribe { merged.record($0) },
        Subscriber.combine(sources[0], sources[1], sources[2]).subscribe { combined.record($0) },
        Subscriber.zip(sources[0], sources[1], sources[2]).subscribe { zipped.record($0) },
      ]
      onThreads(3) { thread in
        for number in 0..<Self.events { publishers[thread].publish(3 * number + thread) }
        publishers[thread].cancelAll()
      }
      let numbers = merged.events.compactMap(\.value)
      #expect(numbers.sorted() == Array(0..<3 * Self.events) && merged.events.last?.isCancelled == true)
      for thread in 0..<3 {
        #expect(numbers.filter { $0 % 3 == thread } == (0..<Self.events).map { 3 * $0 + thread })
      }
      // Combinations do not overtake each other, so the values of each source never decrease.
      let tuples = combined.events.compactMap(\.value)
      #expect(zip(tuples, tuples.dropFirst()).allSatisfy { $0.0 <= $1.0 && $0.1 <= $1.1 && $0.2 <= $1.2 })
      #expect(zipped.events.compactMap(\.value).map { $0.0 } == (0..<Self.events).map { 3 * $0 })
      #expect(zipped.events.compactMap(\.value).allSatisfy { $0.1 == $0.0 + 1 && $0.2 == $0.0 + 2 })
      #expect(zipped.events.last?.isCancelled == true)
      withExtendedLifetime((publishers, kept)) {}
    }
  }
}
