import PluginRuntime

extension Failure {
  /// The failure to load a plugin, in this process or in a worker, with `place` before its message.
  init(loading error: PluginError, at place: String = "") {
    let isLate = if case .workerEnded(let end) = error.kind { end.isLate } else { false }
    self.init(isLate ? .timedOut : .notLoaded, error, place: place)
  }
}
