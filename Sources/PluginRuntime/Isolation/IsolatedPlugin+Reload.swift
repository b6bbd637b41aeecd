import Promises
import Synchronization

extension IsolatedPlugin {
  /// Exchanges the workers for new ones, which load the file as it is now. The file is verified like any other.
  ///
  /// Calls three functions of the plugin without parameters, if it has them, each with the time limit
  /// `IsolationOptions.loadTimeout`. They may return promises.
  ///
  /// - `quiesce()` in the old workers, before the new ones start, to release a port or a lock file. New calls wait from
  ///   then on until the exchange is over. If it exceeds its limit, the reload fails, and the worker lives on.
  /// - `health()` in the new workers, before they get calls.
  /// - `resume()` in the old workers, if the new ones are not used after all, once these have ended. A worker whose
  ///   `resume()` is rejected is ended, with its calls; the next call starts another one, which loads the old file.
  ///
  /// When it returns, new calls are made by the new workers. Calls under way end in the old ones, until the deadline;
  /// then they are rejected with a `PluginError` of the kind `closed`.
  ///
  /// - Parameters:
  ///   - adoption: the adoption of the new workers, for an adopted library; `nil`: that of the old ones.
  ///   - deadline: the time for the calls that are under way in the old workers.
  /// - Throws: `PluginError` of the kind `rolledBack`, with the reason: the file is refused, has another id, requires a
  ///   plugin that is not loaded, or one of the functions was rejected. The old workers take calls as before.
  ///   `closed` after `unload`.
  @discardableResult
  public func reload(
    adopting adoption: Adoption? = nil, deadline: Duration = .seconds(5)
  ) throws(PluginError) -> PluginDescription {
    try exchange.withLock { () throws(PluginError) in
      let old = state.withLock(\.active)
      let description = old[0].description
      try checkOpen(description)
      // Released without the lock.
      defer { _ = takeLoaded() }
      let new = try successors(of: old, description, adoption)
      state.withLock { state in
        (state.active, state.loaded) = (new, [])
        state.draining += old
        state.reloads += 1
      }
      flow.release()
      for process in old { drain(process, until: .now + deadline) }
      return new[0].description
    }
  }

  /// Removes and returns the workers that a reload has started.
  private func takeLoaded() -> [PluginProcess] {
    state.withLock { state in
      defer { state.loaded = [] }
      return state.loaded
    }
  }

  /// Throws if the plugin is unloaded, or `unload` waits for the end of a reload.
  private func checkOpen(_ description: PluginDescription) throws(PluginError) {
    guard !state.withLock(\.isClosed) else {
      throw PluginError(.closed, description.id, "cannot be reloaded: it was unloaded")
    }
  }

  /// Starts new workers, and checks that they are fit for calls. If one fails, the old workers continue as before.
  private func successors(
    of old: [PluginProcess], _ description: PluginDescription, _ adoption: Adoption?
  ) throws(PluginError) -> [PluginProcess] {
    var quiesced: [PluginProcess] = []
    var new: [PluginProcess] = []
    do throws(PluginError) {
      if description.functions.contains(where: { $0.name == "quiesce" }) { flow.hold() }
      for process in old {
        quiesced.append(process)
        try process.perform("quiesce", sparesWorker: true)
      }
      try checkOpen(description)
      try Self.start(settings.replacing(description, adopting: adoption), &new)
      state.withLock { [new] in $0.loaded = new }
      for process in new { try process.perform("health") }
      return new
    } catch {
      for process in new { process.beginClosing(end: .now) }
      // They may hold a port or a lock that the old workers take back.
      for process in new { process.waitUntilEnded() }
      for process in quiesced {
        let generation = process.generation
        do throws(PluginError) {
          try process.perform("resume")
        } catch {
          settings.host.log(.error, description.id, "\(error)")
          // It may lack the port or the lock that it has released.
          process.kill(generation, "its resume() was rejected")
        }
      }
      flow.release()
      throw .rolledBack(description.id, because: "\(error)")
    }
  }

  /// Lets a worker end its calls, then ends it.
  private func drain(_ process: PluginProcess, until end: ContinuousClock.Instant) {
    process.beginClosing(end: end)
    WorkerLink.deliveries.run { [self] in
      process.waitUntilEnded()
      state.withLock { state in state.draining.removeAll { $0 === process } }
    }
  }
}

extension PluginError {
  /// Returns the error for a reload after which the old workers continue.
  public static func rolledBack(_ plugin: String, because reason: String) -> PluginError {
    PluginError(
      .rolledBack, plugin, "keeps the file that was loaded before, because the new one failed: \(reason)")
  }
}
