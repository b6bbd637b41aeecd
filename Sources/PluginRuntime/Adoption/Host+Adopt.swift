extension Host {
  /// Verifies an adopted library's file as that of a plugin, maps it and looks up its functions. Its constructors run,
  /// and it stays mapped.
  public static func inspect(_ adoption: Adoption) throws(PluginError) -> PluginDescription {
    try PluginDescriptor.adopting(adoption).descriptor.description
  }

  /// Loads a library as a plugin of this host, with the functions of the library. It is verified first, as a plugin's
  /// file is.
  ///
  /// Any number of hosts, and of ids, may adopt the same library. Adopting the same library under the same id again
  /// returns its description; another plugin with that id is refused.
  @discardableResult
  public func adopt(_ adoption: Adoption) throws(PluginError) -> PluginDescription { try adopt(adoption, thread: nil) }

  /// Adopts a library as `adopt(_:)` does, and runs all of its functions on one thread, as `load(_:on:)` does.
  @discardableResult
  public func adopt(_ adoption: Adoption, on thread: SerialThread) throws(PluginError) -> PluginDescription {
    try thread.waitStarted(adoption.library) { [self] () throws(PluginError) in try adopt(adoption, thread: thread) }
  }

  /// Reads the description of a library that is to be adopted on a thread: its initialisers run there.
  public static func inspect(
    _ adoption: Adoption, on thread: SerialThread
  ) throws(PluginError) -> PluginDescription {
    try thread.waitStarted(adoption.library) { () throws(PluginError) in try inspect(adoption) }
  }

  private func adopt(_ adoption: Adoption, thread: SerialThread?) throws(PluginError) -> PluginDescription {
    try loading.withLock { () throws(PluginError) in
      guard activity.isOpen else {
        throw PluginError(.closed, adoption.id, "cannot be adopted: the host is shutting down")
      }
      if let loaded = registry[adoption.id]?.description, loaded.adoption == adoption { return loaded }
      let (descriptor, library) = try PluginDescriptor.adopting(adoption)
      if let other = registry.description(of: adoption.id) {
        throw PluginError(
          .duplicate, descriptor.description.path,
          "is adopted as '\(adoption.id)', which is the id of \(other.path) already")
      }
      registry.add(try LoadedPlugin(descriptor, of: library, host: self, thread: thread))
      return descriptor.description
    }
  }
}
