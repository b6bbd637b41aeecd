import Promises

extension Host {
  /// Loads a plugin in a worker process: its code never runs in this one. The plugins that it requires must be loaded
  /// before, in this process or in others.
  ///
  /// `call` calls its functions, as those of a plugin of this process. It can call other plugins of this host.
  ///
  /// A function that requires a `token` cannot be called from another process: its calls are rejected with
  /// `notIsolated`.
  ///
  /// - Throws: `PluginError`, as `load(_:)`; `workerEnded`.
  @discardableResult
  public func load(_ path: String, isolation: IsolationOptions) throws(PluginError) -> PluginDescription {
    let source = try PluginSource(at: path)
    let file = try source.resolved()
    return try load(source, isolation) { $0.adoption == nil && .file($0.path) == file }
  }

  /// Adopts a library in a worker process: its code never runs in this one.
  ///
  /// A relative path of the library becomes absolute. Each reload follows symbolic links on the path as they are then.
  ///
  /// - Throws: `PluginError`, as `adopt(_:)` and `load(_:isolation:)`.
  @discardableResult
  public func adopt(_ adoption: Adoption, isolation: IsolationOptions) throws(PluginError) -> PluginDescription {
    let source = PluginSource(adoption)
    return try load(source, isolation) { $0.adoption == source.adoption }
  }

  /// Loads a plugin that a worker process has mapped. The worker keeps the rights with which it was started; the other
  /// options are those of `isolation`.
  ///
  /// - Throws: `PluginError`, as `load(_:isolation:)`.
  @discardableResult
  package func load(_ plugin: PreparedPlugin, isolation: IsolationOptions) throws(PluginError) -> PluginDescription {
    try load(plugin.settings.requestedSource, isolation, plugin) { _ in false }
  }

  private func load(
    _ source: PluginSource, _ isolation: IsolationOptions, _ prepared: PreparedPlugin? = nil,
    isLoaded: (PluginDescription) -> Bool
  ) throws(PluginError) -> PluginDescription {
    try loading.withLock { () throws(PluginError) in
      guard activity.isOpen else {
        throw PluginError(.closed, source.name, "cannot be loaded: the host is shutting down")
      }
      if let loaded = registry.remotes.first(where: { isLoaded($0.description) }) { return loaded.description }
      let plugin = try IsolatedPlugin(
        WorkerSettings(
          source: source, options: isolation, host: options,
          // A worker may still ask when its host has been released.
          callOtherPlugin: { [weak self] function, plugin, arguments in
            self?.call(function, of: plugin, arguments.map { .value($0) })
              ?? .reject(PluginError(.closed, plugin, "is not called: its host was released"))
          },
          requirements: { [weak self] (description) throws(PluginError) in
            try self?.checkRequirements(of: description)
          },
          check: { [weak self] (description) throws(PluginError) in try self?.check(description) }), prepared)
      registry.add(plugin)
      return plugin.description
    }
  }
}
