import PluginRuntime

/// One check of a plugin, made in a process of its own.
struct CheckJob {
  enum Kind: String {
    case load = "load and unload"
    case types = "signatures"
    case calls = "calls"
    case leaks = "leaks"
    case cancelling = "cancellation"
  }

  let kind: Kind
  /// The checked function; `nil` for `load` and `types`.
  let function: FunctionDescription?

  var name: String { function.map { "\($0.name): \(kind.rawValue)" } ?? kind.rawValue }

  /// Returns all checks of a plugin. Includes functions that cannot be called with random arguments: their checks
  /// report that.
  static func all(of plugin: PluginDescription, skipping names: Set<String>, hasTypes: Bool) -> [CheckJob] {
    var jobs = [CheckJob(kind: .load, function: nil)]
    if hasTypes { jobs.append(CheckJob(kind: .types, function: nil)) }
    for function in plugin.functions where !names.contains(function.name) {
      jobs.append(CheckJob(kind: .calls, function: function))
      jobs.append(CheckJob(kind: .leaks, function: function))
      if case .promise = function.signature.result { jobs.append(CheckJob(kind: .cancelling, function: function)) }
    }
    return jobs
  }
}

/// The outcome of one check.
struct CheckResult {
  let name: String
  /// Faults of the plugin.
  var findings: [String] = []
  /// Remarks that are not faults, such as a function that could not be called.
  var notes: [String] = []
  /// Whether the check has a result; false if it could not be made, for a reason in `notes`.
  var isMade = true
  /// The number of calls that were started.
  var calls = 0
}
