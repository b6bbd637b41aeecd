import CReport

/// Times contestants in turn: each runs once in every round, and they take turns at running first.
public struct Stopwatch: Sendable {
  /// The number of rounds.
  public var rounds: Int
  /// The approximate time of one contestant in a round, in nanoseconds.
  public var slice = 5e5
  /// The number of runs of each contestant before the rounds, twice: to warm up, and for the number of runs in a round.
  public var trials: Int

  /// Creates a stopwatch with a number of rounds.
  public init(rounds: Int, trials: Int = 10) {
    self.rounds = rounds
    self.trials = trials
  }

  /// Runs the workload a number of times, on any thread, and returns the time in nanoseconds.
  public typealias Contestant = (_ times: Int) -> Double

  /// Returns nanoseconds per item of each contestant, round by round; one run is `items` items.
  public func race(items: Int, _ contestants: [Contestant]) -> [[Double]] {
    for contestant in contestants { _ = contestant(trials) }
    let repeats = contestants.map { max(1, Int(slice / ($0(trials) / Double(trials)))) }
    var times = contestants.map { _ in [Double]() }
    for round in 0..<rounds {
      for turn in contestants.indices {
        let which = (round + turn) % contestants.count
        times[which].append(contestants[which](repeats[which]) / Double(repeats[which] * items))
      }
    }
    return times
  }

  /// Returns the nanoseconds that `work` takes for a number of runs.
  public static func time(_ times: Int, _ work: () -> Void) -> Double {
    let start = statistics_run()
    for _ in 0..<times { work() }
    return statistics_run() - start
  }

  /// Returns the nanoseconds that pass while `work` runs a number of times, with other threads and processes.
  public static func wallTime(_ times: Int, _ work: () -> Void) -> Double {
    let start = statistics_passed()
    for _ in 0..<times { work() }
    return statistics_passed() - start
  }
}

/// Prints a row of the table.
public func report(_ row: String, against reference: [Double], ours: [Double], budget: Double) {
  var reference = reference
  var ours = ours
  report_comparison(row, statistics_compare(&reference, &ours, Int32(ours.count)), budget)
}

/// Prints a row of the table without a budget. Returns our median, in nanoseconds.
@discardableResult
public func report(_ row: String, against reference: [Double], ours: [Double]) -> Double {
  var reference = reference
  var ours = ours
  let measured = statistics_compare(&reference, &ours, Int32(ours.count))
  report_ratio(row, measured)
  return measured.ours
}
