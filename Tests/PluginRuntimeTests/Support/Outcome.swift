import PluginRuntime
import Promises
import PromisesTestSupport

/// The outcome of a promise. Reasons are of any type; those of these tests are values.
enum Outcome: @unchecked Sendable {
  case fulfilled(PluginValue)
  case rejected(Any?)

  var value: PluginValue? {
    if case .fulfilled(let value) = self { return value }
    return nil
  }

  var reason: Any? {
    if case .rejected(let reason) = self { return reason }
    return nil
  }

  var pluginError: PluginError? { reason as? PluginError }
  var promiseError: PromiseError? { reason as? PromiseError }

  /// The value as JSON; otherwise a description of the outcome, for the message of a test.
  var json: String { value?.json ?? "\(self)" }
  /// The message of a plugin's error; otherwise a description of the outcome.
  var message: String { pluginError?.message ?? "\(self)" }
}

extension Promise<PluginValue> {
  /// Waits for the promise, and returns its outcome.
  func outcome() async -> Outcome {
    await withCheckedContinuation { continuation in
      self.then(
        { continuation.resume(returning: Outcome.fulfilled($0)) },
        { continuation.resume(returning: Outcome.rejected($0)) })
    }
  }
}

extension Host {
  /// Returns a host with one plugin, freshly built.
  static func loading(_ fixture: String, _ options: Options = Options()) throws -> Host {
    let host = Host(options)
    try host.load(try Fixture.plugin(fixture))
    return host
  }

  /// Returns a host with one plugin, freshly built, that records the lines of its log.
  static func loading(_ fixture: String, log: Recorder<String>) throws -> Host {
    try loading(fixture, Options(log: { log.record("\($0) \($1): \($2)") }))
  }

  /// Calls a function of a fixture with values and waits for the outcome.
  func outcome(_ function: String, of plugin: String, _ arguments: [Argument] = []) async -> Outcome {
    await call(function, of: plugin, arguments).outcome()
  }

  /// Calls a function of a fixture with arguments as JSON, as an object or an array of them, and waits for the outcome.
  func outcome(_ function: String, of plugin: String, json arguments: String) async -> Outcome {
    do {
      return await outcome(
        function, of: plugin, try Argument.arguments(try JSONText(parsing: Array(arguments.utf8))))
    } catch {
      return .rejected(error)
    }
  }
}

/// A suite whose calls are of one plugin.
protocol CallsPlugin {
  /// The id of the plugin.
  static var plugin: String { get }
  var host: Host { get }
}

extension CallsPlugin {
  /// Calls a function of the plugin with values and waits for the outcome.
  func outcome(_ function: String, _ values: PluginValue...) async -> Outcome {
    await host.outcome(function, of: Self.plugin, values.map { .value($0) })
  }

  /// Calls a function of the plugin with arguments and waits for the outcome.
  func outcome(_ function: String, _ first: Argument, _ others: Argument...) async -> Outcome {
    await host.outcome(function, of: Self.plugin, [first] + others)
  }

  /// Calls a function of the plugin with arguments as JSON and waits for the outcome.
  func outcome(_ function: String, json arguments: String) async -> Outcome {
    await host.outcome(function, of: Self.plugin, json: arguments)
  }

  func json(_ function: String, _ arguments: String) async -> String {
    await outcome(function, json: arguments).json
  }

  func message(_ function: String, _ arguments: String) async -> String {
    await outcome(function, json: arguments).message
  }
}
