import Dispatch
import Promises
import PromisesTestSupport
import Testing

/// Runs publishers and subscribers on several threads. One subscriber receives all events; each other one must have
/// received a part of that order without a gap.
@Suite("Stress: streams")
struct StreamRaces {
  private struct Event: Hashable, Sendable {
    let producer: Int
    let number: Int
  }

  private typealias Log = Recorder<StreamState<Event, Never>>

  private enum Leaving: CaseIterable { case cancel, release, stay }

  private struct Visit: Sendable {
    let log: Log
    let leaving: Leaving
    let subscriber: Subscriber<Event, Never>?
  }

  private static let rounds = 20
  private static let producers = 2
  private static let visitors = 3
  private static let events = 200
  private static let visits = 20

  @Test("PG41, PG42, PG43: nothing is lost, duplicated or reordered", arguments: [false, true])
  func subscribers(isStateful: Bool) {
    for round in 0..<Self.rounds {
      let publisher: Publisher<Event, Never> = isStateful ? StatefulPublisher() : Publisher()
      let reference = Log()
      let model = publisher.subscriber().subscribe { reference.record($0) }
      let queue = DispatchQueue(label: "test")
      let visits = Monitor<[Visit]>([])
      onThreads(Self.producers + Self.visitors) { thread in
        guard thread >= Self.producers else {
          for number in 0..<Self.events { publisher.publish(Event(producer: thread, number: number)) }
          return
        }
        var dice = Dice(seed: round * 100 + thread)
        for _ in 0..<Self.visits {
          let visit = Self.visit(publisher, queue, &dice)
          visits.withLock { $0.append(visit) }
        }
      }
      publisher.cancelAll()
      // Each pass of the queue delivers one event to each subscriber.
      queue.drain(passes: 2 * Self.producers * Self.events)
      Self.check(visits.withLock { $0 }, reference.events)
      withExtendedLifetime((publisher, model)) {}
    }
  }

  private static func visit(_ publisher: Publisher<Event, Never>, _ queue: DispatchQueue, _ dice: inout Dice) -> Visit {
    let log = Log()
    var subscriber: Subscriber<Event, Never>? = publisher.subscriber()
    for _ in 0..<dice.roll(4) { subscriber = dice.roll(2) == 0 ? subscriber?.mapValues { $0 } : subscriber?.stateful() }
    if dice.roll(3) == 0 {
      subscriber?.subscribe(on: .queue(queue)) { log.record($0) }
    } else {
      subscriber?.subscribe { log.record($0) }
    }
    let target = log.count + dice.roll(20)
    for _ in 0..<dice.roll(2000) where log.count < target {}
    let leaving = Leaving.allCases[dice.roll(3)]
    switch leaving {
    case .cancel: subscriber?.cancel()
    case .release: subscriber = nil
    case .stay: break
    }
    return Visit(log: log, leaving: leaving, subscriber: subscriber)
  }

  private static func check(_ visits: [Visit], _ reference: [StreamState<Event, Never>]) {
    let events = reference.compactMap(\.value)
    #expect(Set(events).count == producers * Self.events && events.count == producers * Self.events)
    #expect(reference.last == .cancelled && reference.count == events.count + 1)
    for producer in 0..<producers {
      #expect(events.filter { $0.producer == producer }.map(\.number) == Array(0..<Self.events))
    }
    checkParts(visits, of: events)
  }

  private static func checkParts(_ visits: [Visit], of events: [Event]) {
    let places = Dictionary(uniqueKeysWithValues: events.enumerated().map { ($1, $0) })
    for visit in visits {
      let states = visit.log.events
      let got = states.compactMap { $0.value.flatMap { places[$0] } }
      if let first = got.first { #expect(got == Array(first..<first + got.count)) }
      switch visit.leaving {
      case .cancel: #expect(states.last == .cancelled && states.count == got.count + 1)
      case .release: #expect(states.count == got.count)
      case .stay:
        #expect(states.last == .cancelled && states.count == got.count + 1)
        if let last = got.last { #expect(last == events.count - 1) }
      }
    }
  }

  @Test(
    "PG41, PG43: a publisher that dies while others publish and subscribe ends each stream, after a part without a gap")
  func dying() {
    for round in 0..<Self.rounds {
      let reference = Log()
      let visits = Monitor<[Visit]>([])
      let shared = Monitor<Publisher<Event, Never>?>(round % 2 == 0 ? Publisher() : StatefulPublisher())
      let model = shared.withLock { $0!.subscriber().subscribe { reference.record($0) } }
      let queue = DispatchQueue(label: "test")
      onThreads(Self.producers + Self.visitors) { thread in
        guard thread >= Self.producers else {
          for number in 0..<Self.events {
            guard let publisher = shared.withLock({ $0 }) else { return }
            publisher.publish(Event(producer: thread, number: number))
          }
          return
        }
        var dice = Dice(seed: round * 100 + thread)
        for visit in 0..<Self.visits {
          if thread == Self.producers && visit == dice.roll(Self.visits) { shared.withLock { $0 = nil } }
          guard let publisher = shared.withLock({ $0 }) else { return }
          let visit = Self.visit(publisher, queue, &dice)
          visits.withLock { $0.append(visit) }
        }
      }
      shared.withLock { $0 = nil }
      queue.drain(passes: 2 * Self.producers * Self.events)
      let events = reference.events.compactMap(\.value)
      #expect(reference.events.last == .cancelled && Set(events).count == events.count)
      for producer in 0..<Self.producers {
        let numbers = events.filter { $0.producer == producer }.map(\.number)
        #expect(numbers == Array(0..<numbers.count))
      }
      Self.checkParts(visits.withLock { $0 }, of: events)
      withExtendedLifetime(model) {}
    }
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

/// A pseudo-random generator with the same numbers in each run.
struct Dice {
  private var state: UInt64
  init(seed: Int) { state = UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 | 1 }

  /// Returns a number from 0 up to but not including `sides`.
  mutating func roll(_ sides: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(sides))
  }
}
