import ArgumentParser
import PluginRuntime

/// The process in which a plugin runs.
enum PluginPlace: String, CaseIterable, ExpressibleByArgument, Sendable {
  case inProcess = "in-process"
  /// A worker process of its own.
  case process
}

/// The entry of a pipeline file about the process of a plugin.
struct PluginPlacement: Equatable, Sendable {
  /// `nil`: the command line decides.
  var place: PluginPlace?
  /// The number of worker processes.
  var pool = 1
  var limits = CallLimits()
}
