import PluginRuntime
import Promises

/// The machine-readable facts about a failure: its place and its reason.
struct FailureFacts: Equatable, Sendable {
  /// The ids of the plugin and the function that were called.
  var plugin: String?
  var function: String?
  /// The name of the pipeline's step.
  var step: String?
  /// The line of the script, counted from 1.
  var line: Int?
  var reason: RejectedReason?
}

/// The reason that a plugin or its library gave for a rejection.
enum RejectedReason: Equatable, Sendable {
  case error(PromiseError)
  /// The errors of other calls that led to that of this one, the nearest first.
  case causes([PluginError])
  /// A value in the form in which it is printed, without secrets.
  case value(PluginValue)
}
