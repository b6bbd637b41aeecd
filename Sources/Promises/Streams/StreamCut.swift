/// An action on a publisher, after the events that are on their way to it.
///
///     publisher <-- subscriber <-- [ publisher ] <-- subscriber <-- [ publisher: the action ]
///                   barrier                          barrier
///
/// Events may wait in the queue of any subscriber upstream, while a thread delivers there. So a barrier passes each
/// of these queues, beginning with those of the first publishers. Behind a publisher with several sources it continues
/// when it has passed all of them. A queue whose subscriber is idle has nothing to wait for.
final class StreamCut: Sendable {
  private struct Place {
    /// Has a reference.
    let cell: CellPublisher
    /// The subscribers by which other places consume this one, and the numbers of those places.
    var consumers: [(subscriber: CellSubscriber, place: Int)] = []
  }

  /// A barrier in the queue of one subscriber. It has passed when it is released: in its turn, or with the queue of a
  /// subscriber that is cancelled.
  private final class Barrier: Sendable {
    let cut: StreamCut
    let subscriber: CellSubscriber
    let place: Int

    init(_ cut: StreamCut, _ subscriber: CellSubscriber, _ place: Int) {
      (self.cut, self.subscriber, self.place) = (cut, subscriber, place)
    }

    deinit { if cut.pass(subscriber, place) { cut.advance(from: [place]) } }
  }

  /// The publisher of the action, and those upstream.
  private let places: [Place]
  /// The number of subscribers to sources that the barrier has yet to pass, for each place. Guarded by the lock of the
  /// first place.
  nonisolated(unsafe) private var pending: [Int]
  private let closesSources: Bool
  nonisolated(unsafe) private let action: (CellPublisher) -> Void

  /// Performs the action at once, if no events are on their way, or when they have arrived. With `closesSources`, the
  /// publisher gets no events of a source that the barrier has passed.
  static func perform(
    at cell: CellPublisher, closesSources: Bool = false, _ action: @escaping (CellPublisher) -> Void
  ) {
    // Barriers are made with locks held.
    CellValue.registerSwiftTypes()
    let cut = StreamCut(cell, closesSources, action)
    // Once the barrier is on its way, other threads count.
    let first = unsafe cut.pending.indices.filter { unsafe cut.pending[$0] == 0 }
    cut.advance(from: first)
  }

  private init(_ cell: CellPublisher, _ closesSources: Bool, _ action: @escaping (CellPublisher) -> Void) {
    self.closesSources = closesSources
    unsafe self.action = action
    guard cell.ref.retain() else { fatalError("too many references to a stream") }
    var places = [Place(cell: cell)]
    var pending = [0]
    var known = [cell.ref.index: 0]
    var number = 0
    while number < places.count {
      let cell = places[number].cell
      for index in 0..<cell.sourceCount {
        let subscriber = cell.source(index)
        guard let source = subscriber.source else { continue }
        if known[source.ref.index] == nil {
          known[source.ref.index] = places.count
          places.append(Place(cell: source))
          pending.append(0)
        } else {
          source.ref.release()
        }
        places[known[source.ref.index, default: 0]].consumers.append((subscriber, number))
        pending[number] += 1
      }
      number += 1
    }
    self.places = places
    unsafe self.pending = pending
  }

  deinit { for place in places { place.cell.ref.release() } }

  /// Continues at places whose sources the barrier has passed.
  private func advance(from reached: [Int]) {
    var reached = reached
    while let number = reached.popLast() {
      let (cell, consumers) = (places[number].cell, places[number].consumers)
      if number == 0 { unsafe action(cell) }
      for (subscriber, place) in consumers {
        let isQueued = subscriber.enqueueBarrier { .barrier(.encoding(Barrier(self, subscriber, place))) }
        if !isQueued, pass(subscriber, place) { reached.append(place) }
      }
    }
  }

  /// Passes a subscriber. True if it was the last one of the place.
  private func pass(_ subscriber: CellSubscriber, _ place: Int) -> Bool {
    if closesSources, place == 0 { _ = subscriber.cancel() }
    return places[0].cell.locked { _ in
      unsafe pending[place] -= 1
      return unsafe pending[place] == 0
    }
  }
}
