import Dispatch

extension Host {
  /// Ends every plugin, those in other processes first. New calls are rejected; those under way have until the deadline
  /// to settle, and those pending then are discarded and rejected with a `PluginError` of kind `closed`. Then each
  /// unload() is called, the last loaded first. Before that, objects that calls returned, `own(f) ptr<Name>`, are
  /// destroyed, the last made first; those that a call still uses never are. A second call is a no-op.
  ///
  /// After the deadline, discard blocks, destructors and threads of plugins have that time again, and discard blocks
  /// and threads a second at least. A call that is given up after the deadline, of a plugin without a thread of its
  /// own, runs its discard block here, without a limit. A function in another process whose call was given up has
  /// until the deadline to return; `load()`, `unload()` and the exit of such a process have their own time limits.
  ///
  /// Do not call it within a function of a plugin: it would wait for itself until the deadline.
  ///
  /// - Returns: the ids of the plugins in this process whose unload() was not called, because one of their functions,
  ///   discard blocks or destructors had not returned, or because code of another plugin ran on their thread. A plugin
  ///   in another process logs a warning instead.
  @discardableResult
  public func unloadAll(deadline: Duration = .seconds(5)) -> [String] {
    unloadAll(deadline: deadline, destructors: deadline)
  }

  /// - Parameter destructors: the time limit for the destructors of all objects.
  func unloadAll(deadline: Duration, destructors: Duration) -> [String] {
    let time = ContinuousClock.now + deadline
    guard activity.close(deadline: deadline) else { return [] }
    let loaded = loading.withLock { registry.all }
    for plugin in loaded {
      for call in plugin.calls.beginClosing() + plugin.queued { call.giveUp() }
    }
    // Before any unload(): a destructor may use all of its library.
    let stuck = objects.close(deadline: destructors)
    var skipped: [String] = []
    for plugin in registry.remotes.reversed() { plugin.unload(deadline: max(.zero, time - .now)) }
    let end = DispatchTime.now() + max(destructors, .seconds(1)).interval
    for plugin in loaded.reversed() {
      let id = plugin.description.id
      if stuck.contains(id) || !plugin.unload(deadline: end) { skipped.append(id) }
    }
    // Code that has not returned may still use its arguments.
    if skipped.isEmpty { retainedArguments.clear() }
    return skipped
  }
}
