extension Host {
  /// Verifies a plugin's file, maps it and reads its descriptor. Its load() is not called, but its constructors run,
  /// and it stays mapped.
  public static func inspect(_ path: String) throws(PluginError) -> PluginDescription {
    try PluginDescriptor(of: SharedLibrary(verifying: path)).description
  }

  /// Loads a plugin: verifies its file, maps it, and calls its load(). The plugins that it requires must be loaded
  /// before. Loading the same file again, by any path, returns its description; another file with the same id is
  /// refused.
  @discardableResult
  public func load(_ path: String) throws(PluginError) -> PluginDescription { try load(path, thread: nil) }

  private func load(_ path: String, thread: SerialThread?) throws(PluginError) -> PluginDescription {
    try loading.withLock { () throws(PluginError) in
      guard activity.isOpen else {
        throw PluginError(.closed, path, "cannot be loaded: the host is shutting down")
      }
      let library = try SharedLibrary(verifying: path)
      if let loaded = registry.plugin(of: library.file) { return loaded.description }
      let descriptor = try PluginDescriptor(of: library)
      try check(descriptor.description)
      guard ClaimedFiles.claim(library.file) else {
        throw PluginError(.duplicate, library.path, "is loaded by another host of this process, or is being loaded")
      }
      do throws(PluginError) {
        let plugin = try LoadedPlugin(descriptor, of: library, host: self, thread: thread)
        if library.hasOwnPromises {
          let warning = "has a copy of libpromise of its own, so its promises and errors are not known here: "
          options.log(.warning, descriptor.description.id, warning + "link it with libpromise.so, or not at all")
        }
        try plugin.load(descriptor.load)
        registry.add(plugin)
      } catch {
        ClaimedFiles.release(library.file)
        throw error
      }
      return descriptor.description
    }
  }

  /// Loads several plugins in the order of their requirements, and returns them in that order. Stops at the first that
  /// fails; those before it stay loaded.
  @discardableResult
  public func load(_ paths: [String]) throws(PluginError) -> [PluginDescription] {
    var descriptions: [PluginDescription] = []
    for path in paths { descriptions.append(try Self.inspect(path)) }
    let sorted = try LoadOrder.sort(descriptions)
    for description in sorted { try load(description.path) }
    return sorted
  }

  /// Loads a plugin as `load(_:)` does, and runs all of its code on one thread: initialisers, load() and unload(),
  /// called functions, destructors, and handlers of discarded promises. Calls run in their order, one at a time. A
  /// thread may have several plugins.
  ///
  /// Waits for the thread.
  @discardableResult
  public func load(_ path: String, on thread: SerialThread) throws(PluginError) -> PluginDescription {
    try thread.waitStarted(path) { [self] () throws(PluginError) in try load(path, thread: thread) }
  }

  /// Reads the description of a plugin that is to be loaded on a thread: its initialisers run there.
  public static func inspect(_ path: String, on thread: SerialThread) throws(PluginError) -> PluginDescription {
    try thread.waitStarted(path) { () throws(PluginError) in try inspect(path) }
  }

  /// The loaded plugins, in the order in which they were loaded.
  public var plugins: [PluginDescription] { registry.descriptions }

  /// Checks that a plugin may be loaded beside those that are.
  func check(_ plugin: PluginDescription) throws(PluginError) {
    if let other = registry.description(of: plugin.id) {
      throw PluginError(
        .duplicate, plugin.path, "has the id '\(plugin.id)', which \(other.path) has already")
    }
    try checkRequirements(of: plugin)
  }

  /// Checks that the plugins that a plugin requires are loaded.
  func checkRequirements(of plugin: PluginDescription) throws(PluginError) {
    if plugin.required.contains(plugin.id) { throw LoadOrder.cycle([plugin]) }
    // The host of a worker process has checked them.
    if callOtherPlugin != nil { return }
    for id in plugin.required where registry.description(of: id) == nil {
      throw PluginError(.missingRequirement(id), plugin.path, "requires the plugin '\(id)', which is not loaded")
    }
  }
}

extension SerialThread {
  /// Runs a closure on the thread, and waits for it.
  ///
  /// - Throws: `PluginError` if the thread cannot be started.
  func waitStarted<Value: Sendable>(
    _ subject: String, _ body: @escaping @Sendable () throws(PluginError) -> Value
  ) throws(PluginError) -> Value {
    guard start() else {
      throw PluginError(.loadFailed, subject, "cannot be loaded: its thread cannot be started: \(SystemLimit.tasks)")
    }
    return try wait(body)
  }
}
