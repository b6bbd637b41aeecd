import CReport

/// Times contestants in turn: in each round every one runs once, and the first to run changes.
public struct Stopwatch: Sendable {
  /// How many rounds there are.
  public var rounds: Int
  /// How many nanoseconds one contestant runs in a round, about.
  public var slice = 5e5

  /// A stopwatch for so many rounds.
  public init(rounds: Int) { self.rounds = rounds }

  /// Runs what it is about so many times, on whatever thread, and tells how many nanoseconds that took.
  public typealias Contestant = (_ times: Int) -> Double

  /// Nanoseconds per item of each contestant, round by round; once is so many items.
  public func race(items: Int, _ contestants: [Contestant]) -> [[Double]] {
    for contestant in contestants { _ = contestant(10) }
    let repeats = contestants.map { max(1, Int(slice / ($0(10) / 10))) }
    var times = contestants.map { _ in [Double]() }
    for round in 0..<rounds {
      for turn in contestants.indices {
        let which = (round + turn) % contestants.count
        times[which].append(contestants[which](repeats[which]) / Double(repeats[which] * items))
      }
    }
    return times
  }

  /// Nanoseconds that `work` takes, done so many times.
  public static func time(_ times: Int, _ work: () -> Void) -> Double {
    let start = statistics_run()
    for _ in 0..<times { work() }
    return statistics_run() - start
  }
}

/// A row of the table.
public func report(_ row: String, against reference: [Double], ours: [Double], budget: Double) {
  var reference = reference
  var ours = ours
  report_comparison(row, statistics_compare(&reference, &ours, Int32(ours.count)), budget)
}

/// A row of the table without a budget. Returns the median of ours, in nanoseconds.
@discardableResult
public func report(_ row: String, against reference: [Double], ours: [Double]) -> Double {
  var reference = reference
  var ours = ours
  let measured = statistics_compare(&reference, &ours, Int32(ours.count))
  report_ratio(row, measured)
  return measured.ours
}
