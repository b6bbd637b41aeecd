import ArgumentParser
import PluginRuntime

/// The process and the thread in which a plugin runs.
enum PluginIsolation: String, CaseIterable, ExpressibleByArgument, Sendable {
  case inProcess = "in-process"
  /// A thread of its own in this process.
  case thread
  /// A worker process of its own.
  case process

  /// Whether the plugin runs in this process.
  var isHere: Bool { self != .process }
}

/// The placement of a plugin in a pipeline file.
struct PluginPlacement: Equatable, Sendable {
  /// `nil`: the command line decides.
  var place: PluginIsolation?
  /// The number of worker processes.
  var pool = 1
  var limits = CallLimits()
}
