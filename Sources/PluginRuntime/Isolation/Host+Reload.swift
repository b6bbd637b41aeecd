extension Host {
  /// Loads the file of a plugin in worker processes again: `IsolatedPlugin.reload` has the steps.
  ///
  /// - Parameters:
  ///   - plugin: the plugin's id.
  ///   - adoption: the adoption of the new workers, for an adopted library; `nil`: that of the old ones.
  ///   - deadline: the time for the calls that are under way in the old workers.
  /// - Throws: `PluginError`: `unknownPlugin`; `notReloadable` for a plugin of this process; `rolledBack`, with the
  ///   reason, if the new file is not used; `closed` while the host shuts down.
  @discardableResult
  public func reload(
    _ plugin: String, adopting adoption: Adoption? = nil, deadline: Duration = .seconds(5)
  ) throws(PluginError) -> PluginDescription {
    guard activity.isOpen else {
      throw PluginError(.closed, plugin, "cannot be reloaded: the host is shutting down")
    }
    if let remote = registry.remote(plugin) { return try remote.reload(adopting: adoption, deadline: deadline) }
    guard registry[plugin] == nil else {
      throw PluginError(
        .notReloadable, plugin,
        "runs in this process, where its objects and callbacks may be in use; load it in a worker process")
    }
    throw PluginError(.unknownPlugin, plugin, "no plugin of this id is loaded")
  }

  /// Returns the active generation of a plugin in worker processes (`PluginGeneration`); `nil` for others.
  public func generation(of plugin: String) -> PluginGeneration? {
    (registry.remote(plugin) as? IsolatedPlugin)?.generation
  }

  /// Ends one plugin in worker processes: `IsolatedPlugin.unload` has the steps. Its id is free afterwards.
  ///
  /// - Throws: `PluginError`: `unknownPlugin` if no plugin of that id runs in a worker process.
  public func unload(_ plugin: String, deadline: Duration = .seconds(5)) throws(PluginError) {
    guard let remote = registry.removeRemote(plugin) else {
      throw PluginError(.unknownPlugin, plugin, "no plugin of this id runs in a worker process")
    }
    remote.unload(deadline: deadline)
  }
}
