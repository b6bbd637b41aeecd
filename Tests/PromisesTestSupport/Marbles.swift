import Promises

/// Streams as diagrams, one character for each tick of a virtual clock.
///
///     a-b--(cd)-#-|      a, b, then c and d in one tick, an error, the end
///     --[ab]--|          an array in one tick
package enum Marbles {
  /// The length of a tick.
  package static let tick = Duration.milliseconds(10)
  /// The error of `#`.
  package static let error = TestError(7)

  /// Publishes the diagrams, and returns the diagram of the stream that `derive` makes of them.
  ///
  /// In each tick the clock's work runs first, then the sources publish, in their order.
  package static func run<Value>(
    _ sources: String..., ticks: Int = 24,
    derive: ([Subscriber<String, TestError>], VirtualClock) -> Subscriber<Value, TestError>
  ) -> String {
    let clock = VirtualClock()
    let publishers = sources.map { _ in Publisher<String, TestError>() }
    let recorder = Recorder<String>()
    let derived = derive(publishers.map { $0.subscriber() }, clock)
    derived.subscribe { recorder.record(text($0)) }
    let diagrams = sources.map(parse)
    var columns: [String] = []
    for tick in 0..<ticks {
      let before = tick == 0 ? 0 : recorder.count
      if tick > 0 { clock.advance(by: Marbles.tick) }
      for (publisher, diagram) in zip(publishers, diagrams) where tick < diagram.count {
        for marble in diagram[tick] { publish(marble, publisher) }
      }
      columns.append(column(Array(recorder.events[before...])))
    }
    withExtendedLifetime((publishers, derived)) {}
    while columns.last == "-" { columns.removeLast() }
    return columns.joined()
  }

  private static func publish(_ marble: Character, _ publisher: Publisher<String, TestError>) {
    switch marble {
    case "#": publisher.publish(error: error)
    case "|": publisher.cancelAll()
    default: publisher.publish(String(marble))
    }
  }

  private static func text<Value>(_ state: StreamState<Value, TestError>) -> String {
    switch state {
    case .data(let values as [String]): "[\(values.joined())]"
    case .data(let pair as (String, String)): "[\(pair.0)\(pair.1)]"
    case .data(let value): "\(value)"
    case .error: "#"
    case .cancelled: "|"
    }
  }

  private static func column(_ marbles: [String]) -> String {
    switch marbles.count {
    case 0: "-"
    case 1: marbles[0]
    default: "(\(marbles.joined()))"
    }
  }

  /// Parses a diagram into the marbles of each tick.
  private static func parse(_ diagram: String) -> [[Character]] {
    var ticks: [[Character]] = []
    var group: [Character]?
    for character in diagram {
      switch character {
      case "(": group = []
      case ")":
        ticks.append(group ?? [])
        group = nil
      case "-": ticks.append([])
      default: if group == nil { ticks.append([character]) } else { group?.append(character) }
      }
    }
    return ticks
  }
}
