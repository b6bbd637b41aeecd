/// The order in which plugins are loaded: each after those that it requires, otherwise as given.
enum LoadOrder {
  static func sort(_ plugins: [PluginDescription]) throws(PluginError) -> [PluginDescription] {
    var byID: [String: PluginDescription] = [:]
    for plugin in plugins where byID[plugin.id] == nil { byID[plugin.id] = plugin }
    var sorted: [PluginDescription] = []
    var isPlaced: Set<String> = []
    for plugin in plugins {
      // A depth-first walk with its own stack: the depth of requirements has no limit.
      var path = [(plugin: plugin, next: 0)]
      while let (current, next) = path.last {
        if isPlaced.contains(current.id) && next == 0 {
          path.removeLast()
        } else if next < current.required.count {
          path[path.count - 1].next += 1
          let id = current.required[next]
          if let start = path.firstIndex(where: { $0.plugin.id == id }) { throw cycle(path[start...].map(\.plugin)) }
          // A plugin that is not among these may be loaded already: loading checks that.
          if let requirement = byID[id], !isPlaced.contains(id) { path.append((requirement, 0)) }
        } else {
          isPlaced.insert(current.id)
          sorted.append(current)
          path.removeLast()
        }
      }
    }
    // Loading refuses a second file with the same id.
    return sorted + plugins.filter { plugin in !sorted.contains { $0.path == plugin.path } }
  }

  static func cycle(_ plugins: [PluginDescription]) -> PluginError {
    let ids = plugins.map(\.id) + [plugins[0].id]
    let message =
      plugins.count == 1 ? "requires itself" : "is in a cycle of requirements: \(ids.joined(separator: " requires "))"
    return PluginError(.requirementCycle(ids), plugins[0].path, message)
  }
}
