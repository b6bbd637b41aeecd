import Promises
import PromisesTestSupport
import Synchronization
import Testing

/// The sequential model of a stream: the order in which a reference subscriber got all events, and bounds of the place
/// in it at which something happened.
///
///     events     a0  b0  a1  a2  b1  b2
///     done       \_____/                    their publishing calls have returned:  the place is 2 or later
///     started    \_________________/        those of the others have not begun:    the place is 5 or earlier
struct StreamModel {
  struct Event: Hashable, Sendable {
    let producer: Int
    let number: Int
  }

  typealias State = StreamState<Event, Never>

  /// The calls of the producers up to a moment.
  struct Moment: Sendable {
    let done: [Int]
    let started: [Int]
  }

  /// The calls of a producer.
  final class Progress: Sendable {
    let started = Atomic<Int>(0)
    let done = Atomic<Int>(0)
  }

  let events: [Event]
  private let places: [Event: Int]
  private let counts: [Int]

  /// Makes the model of the states of the reference subscriber.
  init(_ states: [State], producers: Int) {
    events = states.compactMap(\.value)
    #expect(states.last == .cancelled && states.count == events.count + 1)
    #expect(Set(events).count == events.count)
    places = Dictionary(events.enumerated().map { ($1, $0) }) { first, _ in first }
    let events = events
    counts = (0..<producers).map { producer in
      let numbers = events.filter { $0.producer == producer }.map(\.number)
      #expect(numbers == Array(0..<numbers.count))
      return numbers.count
    }
  }

  func place(of event: Event) -> Int? { places[event] }

  /// The first place at which the moment can be.
  func earliest(_ moment: Moment) -> Int {
    let last = moment.done.enumerated().map { places[Event(producer: $0, number: min($1, counts[$0]) - 1)] ?? -1 }
    return last.reduce(-1, max) + 1
  }

  /// The last place at which the moment can be.
  func latest(_ moment: Moment) -> Int {
    let next = moment.started.enumerated().map { places[Event(producer: $0, number: $1)] ?? events.count }
    return next.reduce(events.count, min)
  }
}

extension [StreamModel.Progress] {
  /// The moment: calls that have returned by now, and calls that have begun.
  var moment: StreamModel.Moment {
    let done = map { $0.done.load(ordering: .acquiring) }
    return StreamModel.Moment(done: done, started: map { $0.started.load(ordering: .acquiring) })
  }

  /// Publishes the events of a producer, until `publisher` returns nil.
  func publish(_ count: Int, of producer: Int, to publisher: () -> Publisher<StreamModel.Event, Never>?) {
    for number in 0..<count {
      guard let publisher = publisher() else { return }
      self[producer].started.store(number + 1, ordering: .releasing)
      publisher.publish(StreamModel.Event(producer: producer, number: number))
      self[producer].done.store(number + 1, ordering: .releasing)
    }
  }
}
