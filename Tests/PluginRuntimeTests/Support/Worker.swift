import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

extension IsolationOptions {
  /// Workers that are the plugin-host beside the program that runs the tests, with time limits for tests.
  static var tests: IsolationOptions {
    var options = IsolationOptions(program: WorkerProgram(path: Fixture.pluginHost))
    // Long, because a loaded machine starts processes slowly.
    options.startTimeout = .seconds(60)
    options.loadTimeout = .seconds(60)
    options.grace = .seconds(60)
    options.backoff = .milliseconds(1)
    return options
  }
}

extension IsolatedPlugin {
  /// Loads a fresh copy of a fixture in a worker.
  static func loading(
    _ fixture: String, _ flags: [String] = [], host: Host.Options = Host.Options(),
    _ change: (inout IsolationOptions) -> Void = { _ in }
  ) throws -> IsolatedPlugin {
    var options = IsolationOptions.tests
    change(&options)
    return try IsolatedPlugin(loading: try Fixture.plugin(fixture, flags), options, host: host)
  }

  /// Loads a fixture in a worker with capabilities. Returns `nil`, and prints a line, if the system cannot confine it.
  static func confined(
    _ fixture: String, _ capabilities: [String] = [], _ flags: [String] = []
  ) throws -> IsolatedPlugin? {
    try confined(at: Fixture.plugin(fixture, flags), capabilities)
  }

  static func confined(at path: String, _ capabilities: [String] = []) throws -> IsolatedPlugin? {
    let lines = Recorder<String>()
    var options = IsolationOptions.tests
    for text in capabilities { try? options.capabilities.allow(text) }
    let plugin = try IsolatedPlugin(
      loading: path, options, host: Host.Options(log: { _, _, text in lines.record(text) }))
    guard let gap = lines.events.first(where: { $0.contains("not enforced") }) else { return plugin }
    print("skipped: this system does not confine workers: \(gap)")
    return nil
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
  /// The right that the call was rejected for.
  var refusal: CapabilityRefusal? {
    guard case .notAllowed(let refusals)? = pluginError?.kind else { return nil }
    return refusals.first
  }

  /// The end of the worker that the call was in.
  var workerEnd: WorkerEnd? {
    if case .workerEnded(let end)? = pluginError?.kind { return end }
    return nil
  }
}
