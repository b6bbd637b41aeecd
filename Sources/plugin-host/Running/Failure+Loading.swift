import PluginRuntime

extension Failure {
  /// The failure to load a plugin, in this process or in a worker, with `place` before its message.
  init(loading error: PluginError, at place: String = "") {
    self.init(error.isLate ? .timedOut : .notLoaded, error, place: place)
  }

  /// The failure to load an adopted library.
  init(loading error: PluginError, of adoption: Adoption) {
    let place = adoption.file.map { "\($0): " } ?? ""
    let failure = Failure(loading: error, at: error.subject == adoption.file ? "" : place)
    let note = AdoptionFile.note(on: error, in: adoption)
    self.init(failure.status, lines: failure.lines + [note].compactMap(\.self))
  }

  /// The failure of a worker to unload its plugin.
  init(unloading error: PluginError) {
    self.init(error.isLate ? .timedOut : .rejected, error)
    facts.plugin = error.subject
  }
}

extension PluginError {
  /// Whether a worker was killed since code of the plugin did not return in time.
  fileprivate var isLate: Bool {
    if case .workerEnded(let end) = kind { end.isLate } else { false }
  }
}
