import PluginRuntime
import Promises
import Testing

extension IsolationOptions {
  /// Workers that are the plugin-host beside the program that runs the tests, with time limits for tests.
  static var tests: IsolationOptions {
    var options = IsolationOptions(program: WorkerProgram(path: Fixture.pluginHost))
    // Long, for a loaded machine starts processes slowly.
    options.startTimeout = .seconds(60)
    options.loadTimeout = .seconds(60)
    options.grace = .seconds(60)
    options.backoff = .milliseconds(1)
    return options
  }
}

extension IsolatedPlugin {
  /// A fresh copy of a fixture, in a worker.
  static func loading(
    _ fixture: String, _ flags: [String] = [], host: Host.Options = Host.Options(),
    _ change: (inout IsolationOptions) -> Void = { _ in }
  ) throws -> IsolatedPlugin {
    var options = IsolationOptions.tests
    change(&options)
    return try IsolatedPlugin(loading: try Fixture.plugin(fixture, flags), options, host: host)
  }

  /// Calls a function with values and waits for the outcome, a minute at most.
  func outcome(_ function: String, _ arguments: PluginValue..., timeout: Duration? = nil) async throws -> Outcome {
    try await call(function, arguments.map { .value($0) }, timeout: timeout).outcomeInTime()
  }
}

extension Promise<PluginValue> {
  /// Waits for the outcome of the promise, a minute at most.
  func outcomeInTime(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Outcome {
    try await waiting(for: { self.state != .pending }, sourceLocation: sourceLocation)
    return state == .fulfilled ? .fulfilled(value ?? .void) : .rejected(rejectReason)
  }
}

extension Outcome {
  /// The end of the worker that the call was in.
  var workerEnd: WorkerEnd? {
    if case .workerEnded(let end)? = pluginError?.kind { return end }
    return nil
  }
}
