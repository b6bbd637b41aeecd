import ArgumentParser

/// The process in which a plugin runs.
enum PluginPlace: String, CaseIterable, ExpressibleByArgument, Sendable {
  case inProcess = "in-process"
  /// A worker process of its own.
  case process
}
