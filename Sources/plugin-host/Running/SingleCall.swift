import PluginRuntime
import Promises

/// A single call of a function, with a display of its progress.
@MainActor
final class SingleCall {
  nonisolated let function: FunctionDescription
  private nonisolated let plugin: PluginDescription
  private nonisolated let session: Session
  private let board: ProgressBoard
  private let call: TimedCall
  /// Nil while the call is not settled.
  private(set) var outcome: Result<PluginValue, CallFailure>?

  /// The ids of plugin and function, for the JSON of a failure.
  nonisolated var facts: FailureFacts { FailureFacts(plugin: plugin.id, function: function.name) }

  /// The function's name for people: `digest.sha256`.
  nonisolated var label: String { "\(plugin.shortName).\(function.name)" }

  /// Whether the call was given up, so that the function may still run on its thread.
  var isGivenUp: Bool {
    switch outcome {
    case .failure(.timedOut), .failure(.interrupted), nil: true
    default: false
    }
  }

  /// - Parameter thread: the thread on which the call is made; nil: any.
  init(
    _ function: FunctionDescription, of plugin: PluginDescription, in session: Session, on lane: CallLane? = nil,
    display: any ProgressDisplay
  ) {
    self.function = function
    self.plugin = plugin
    self.session = session
    call = TimedCall(in: session, on: lane)
    let row = StepRow(name: function.name, call: "\(plugin.shortName).\(function.name)")
    board = ProgressBoard(rows: [row], display: display, loop: session.loop)
    session.show(on: board)
  }

  /// Returns the time limit for reading the arguments, as long as that of the call.
  static func readingLimit(
    _ timeout: Seconds, of function: FunctionDescription, of plugin: PluginDescription,
    from start: ContinuousClock.Instant
  ) -> CommandLineArguments.Limit {
    let failure = CallFailure.timedOut(seconds: timeout.value).failure(
      at: "\(plugin.shortName).\(function.name)", facts: FailureFacts(plugin: plugin.id, function: function.name))
    return CommandLineArguments.Limit(deadline: start + timeout.duration, failure: failure)
  }

  /// Makes the call. `used` is the part of the time limit that has passed.
  func start(_ arguments: [Argument], timeout: Seconds?, after used: Duration = .zero) {
    board.enter(.running(StepState.Report()), step: 0)
    call.outcome.then(
      { [self] in settle(.success($0)) }, { [self] in settle(.failure(CallFailure(reason: $0))) })
    let reports = PostedReports(session.loop) { [self] in board.report($0, step: 0) }
    call.start(timeout: timeout?.value, after: used) { [self] _ in
      session.call(function, of: plugin, arguments) { reports.post($0) }
    }
  }

  /// Converts the call's failure to the command's. If the arguments were wrong, it has the function's usage, once.
  nonisolated func failure(_ failure: CallFailure) -> Failure {
    var result = failure.failure(at: label, facts: facts)
    let usage = "\(function.signature)"
    if failure.status == .usage, !result.lines.contains(where: { $0.hasSuffix(": \(usage)") }) {
      result.lines.append("plugin-host: usage: \(usage)")
    }
    return result
  }

  /// Discards the call.
  func interrupt() {
    call.giveUp(.interrupted)
    board.finish()
  }

  private nonisolated func settle(_ outcome: Result<PluginValue, CallFailure>) {
    session.loop.post { [self] in
      self.outcome = outcome
      board.finish()
    }
  }
}
