import Dispatch
import Promises
import PromisesTestSupport
import Testing

/// A subscriber that came and left, or stayed, while others published: its states, and the moments.
struct StreamVisit: Sendable {
  typealias Event = StreamModel.Event
  typealias Chain = Subscriber<Event, Never>

  enum Leaving: CaseIterable { case cancel, release, stay }

  private let log: Recorder<StreamModel.State>
  private let leaving: Leaving
  private let subscriber: Chain?
  private let hasLatest: Bool
  /// Whether `cancel()` drops states that wait in an operator.
  private let dropsAtCancel: Bool
  private let begun, added, leaves, left: StreamModel.Moment

  /// Subscribes through up to three operators that pass all events, waits for some events, and leaves.
  init(
    _ publisher: Publisher<Event, Never>, _ queue: DispatchQueue, _ progress: [StreamModel.Progress],
    _ dice: inout Dice
  ) {
    let log = Recorder<StreamModel.State>()
    hasLatest = publisher is StatefulPublisher<Event, Never>
    begun = progress.moment
    var subscriber: Chain? = publisher.subscriber()
    var dropsAtCancel = false
    for _ in 0..<dice.roll(4) {
      let step = dice.roll(8)
      subscriber = subscriber.map { StreamVisit.derive($0, step) }
      if step == 3 || step == 4 { dropsAtCancel = true }
    }
    if dice.roll(3) == 0 {
      subscriber?.subscribe(on: .queue(queue)) { log.record($0) }
    } else {
      subscriber?.subscribe { log.record($0) }
    }
    added = progress.moment
    let target = log.count + dice.roll(20)
    for _ in 0..<dice.roll(2000) where log.count < target {}
    leaving = Leaving.allCases[dice.roll(3)]
    leaves = progress.moment
    switch leaving {
    case .cancel: subscriber?.cancel()
    case .release: subscriber = nil
    case .stay: break
    }
    left = progress.moment
    self.log = log
    self.subscriber = subscriber
    self.dropsAtCancel = dropsAtCancel
  }

  /// Derives a stream of the same events.
  private static func derive(_ source: Chain, _ step: Int) -> Chain {
    switch step {
    case 0: source.stateful()
    case 1: source.distinctValues()
    case 2: source.replay(3)
    case 3: source.flatMapValues(.concat) { Chain.of($0).prefix(1) }
    case 4: source.window(1).flatMapValues(.concat) { $0 }
    case 5: source.buffer(1).mapValues { $0[0] }
    case 6: source.filterValues { _ in true }
    default: source.mapValues { $0 }
    }
  }

  /// Compares its states with the model: a part of the order without a gap, between the moments when it came and left.
  func check(against model: StreamModel) {
    let states = log.events
    let got = states.compactMap { $0.value.flatMap(model.place) }
    // The places of the part. Of an empty one only the beginning is known.
    let first = got.first ?? min(model.latest(added), model.events.count)
    let end = first + got.count
    #expect(got == Array(first..<end), seed)
    let hasEnded = states.last == .cancelled
    #expect(states.count == got.count + (hasEnded ? 1 : 0), seed)
    if leaving != .release { #expect(hasEnded, seed) }
    // Nothing is lost at the beginning, and nothing that was over is delivered, but for the latest state.
    if !got.isEmpty {
      let replayed = hasLatest ? 1 : 0
      #expect(first >= model.earliest(begun) - replayed && first <= max(0, model.latest(added) - replayed), seed)
    } else if hasLatest && leaving != .release && !(leaving == .cancel && dropsAtCancel) {
      #expect(model.earliest(begun) == 0, seed)
    }
    // Nor at the end.
    switch leaving {
    case .stay: #expect(end == model.events.count, seed)
    case .cancel:
      #expect(end >= model.earliest(leaves) || dropsAtCancel, seed)
      #expect(end <= model.latest(left), seed)
    case .release: #expect(hasEnded ? end == model.events.count : end <= model.latest(left), seed)
    }
  }
}

/// The comment of a failure: the seed that repeats the run.
var seed: Comment { "STREAM_RACES_SEED=\(Dice.run)" }
