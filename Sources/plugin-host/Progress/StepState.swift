/// The state of a step, for display.
enum StepState: Equatable, Sendable {
  /// Waiting for its inputs.
  case waiting
  case running(Report)
  /// The call was rejected, with that reason; its substitute runs.
  case rescuing(from: String, Report)
  case fulfilled(result: String)
  /// The step's own call was rejected; `message` is the reason.
  case rejected(message: String)
  case timedOut(message: String)
  /// Never started, because the step of that name was not fulfilled.
  case notRun(because: String)
  /// Its condition, or that of a step whose result it uses, did not hold.
  case skipped
  /// Given up, because the user interrupted the pipeline.
  case interrupted

  /// The plugin's report on its work.
  struct Report: Equatable, Sendable {
    /// The completed part, from 0 to 1; nil if unknown.
    var fraction: Double?
    var message: String = ""
  }

  /// The last report of the step's current call; nil without one.
  var report: Report? {
    switch self {
    case .running(let report), .rescuing(_, let report): report
    default: nil
    }
  }

  var isSettled: Bool {
    switch self {
    case .waiting, .running, .rescuing: false
    case .fulfilled, .rejected, .timedOut, .notRun, .skipped, .interrupted: true
    }
  }
}

/// A step, for display.
struct StepRow: Sendable {
  /// The step's name.
  var name: String
  /// The called function: `deflate.compress`.
  var call: String
  var state = StepState.waiting
  /// The times at which the step's call began and was settled; nil before.
  var began: ContinuousClock.Instant?
  var ended: ContinuousClock.Instant?

  /// Returns the time from the beginning of the step's call to its end, or to `now` while it runs; nil if it never
  /// began.
  func duration(now: ContinuousClock.Instant) -> Duration? {
    began.map { (ended ?? now) - $0 }
  }

  /// Enters a state. Records the time of the step's beginning or end.
  mutating func enter(_ state: StepState, now: ContinuousClock.Instant) {
    self.state = state
    if began == nil, case .running = state { began = now }
    if state.isSettled { ended = now }
  }
}

extension Duration {
  /// The duration for display: `0.12 s`, `75.3 s`, `12 min 5 s`.
  var text: String {
    let hundredths = Int64((self / .milliseconds(10)).rounded())
    if hundredths < 6_000 {
      let rest = String(hundredths % 100)
      return "\(hundredths / 100).\(rest.count < 2 ? "0" : "")\(rest) s"
    }
    return "\(hundredths / 6_000) min \(hundredths % 6_000 / 100) s"
  }
}
