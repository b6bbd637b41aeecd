import PluginRuntime
import Promises

/// The call of one function by itself, with its progress shown.
@MainActor
final class SingleCall {
  nonisolated let function: FunctionDescription
  private nonisolated let plugin: PluginDescription
  private nonisolated let session: Session
  private let board: ProgressBoard
  private let attempt: Attempt
  /// Nil while the call is not settled.
  private(set) var outcome: Result<PluginValue, CallFailure>?
  /// The error of a library or a plugin by which the call was rejected.
  private(set) var reason: PromiseError?

  /// The ids for programs.
  nonisolated var names: (plugin: String, function: String) { (plugin.id, function.name) }

  /// For people: `digest.sha256`.
  nonisolated var label: String { "\(plugin.shortName).\(function.name)" }

  init(
    _ function: FunctionDescription, of plugin: PluginDescription, in session: Session, display: any ProgressDisplay
  ) {
    self.function = function
    self.plugin = plugin
    self.session = session
    attempt = Attempt(in: session)
    let row = StepRow(name: function.name, call: "\(plugin.shortName).\(function.name)")
    board = ProgressBoard(rows: [row], display: display, loop: session.loop)
    session.show(on: board)
  }

  func start(_ arguments: [Argument], timeout: Seconds?) {
    board.enter(.running(StepState.Report()), step: 0)
    attempt.outcome.then(
      { [self] in settle(.success($0)) }, { [self] in settle(.failure(CallFailure(reason: $0)), $0 as? PromiseError) })
    attempt.start(timeout: timeout?.value) { [self] in
      session.host.call(function.name, of: plugin.id, arguments) { [self] report in
        session.loop.post { self.board.report(StepState.Report(report), step: 0) }
      }
    }
  }

  /// Discards the call.
  func interrupt() {
    attempt.giveUp(.interrupted)
    board.finish()
  }

  private nonisolated func settle(_ outcome: Result<PluginValue, CallFailure>, _ reason: PromiseError? = nil) {
    session.loop.post { [self] in
      self.reason = reason
      self.outcome = outcome
      board.finish()
    }
  }
}
