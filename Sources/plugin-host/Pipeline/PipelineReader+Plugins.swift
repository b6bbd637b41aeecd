import PluginRuntime

/// Reads the list of plugins in a pipeline file.
extension PipelineReader {
  /// Reads plugins: a name each, or a mapping with `plugin`, `isolation`, `pool`, `limits` and `capabilities`.
  func readPlugins(_ node: YAMLNode, of pipeline: inout Pipeline) {
    var listed: [String: Located<String>] = [:]
    for node in document.elements(of: node, what: "\"plugins\"") ?? [] {
      guard let (name, setting) = plugin(node) else { continue }
      pipeline.plugins.append(name)
      if let first = listed[name.value] {
        if setting != pipeline.setting(of: name.value) {
          document.report(name.location, Pipeline.contradiction(first, in: document.file))
        }
        continue
      }
      listed[name.value] = name
      guard setting != Pipeline.PluginSetting() else { continue }
      pipeline.places[name.value] = setting.placement
      pipeline.capabilities[name.value] = setting.capabilities
    }
  }

  private func plugin(_ node: YAMLNode) -> (name: Located<String>, setting: Pipeline.PluginSetting)? {
    guard case .mapping = node.content else {
      return fixed(node, what: "a plugin's name").map { ($0, Pipeline.PluginSetting()) }
    }
    let known = ["plugin", "isolation", "pool", "limits", "capabilities"]
    guard let record = document.record(of: node, what: "a plugin", known: known),
      let plugin = document.required("plugin", of: record, what: "a plugin"),
      let name = fixed(plugin, what: "a plugin's name")
    else { return nil }
    return (name, setting(record))
  }

  private func setting(_ record: YAMLDocument.Record) -> Pipeline.PluginSetting {
    var placement = placement(record)
    guard let node = record["capabilities"] else { return Pipeline.PluginSetting(placement: placement) }
    // Capabilities can be enforced only in worker processes.
    if placement.place?.isHere == true {
      document.report(node.location, "\"capabilities\" are for plugins with \"isolation: process\"")
    }
    placement.place = .process
    return Pipeline.PluginSetting(placement: placement, capabilities: texts(node))
  }

  private func texts(_ node: YAMLNode) -> [Located<String>] {
    let elements = document.elements(of: node, what: "\"capabilities\"") ?? []
    return elements.compactMap { element in
      guard let text = fixed(element, what: "a capability") else { return nil }
      var capabilities = Capabilities()
      do throws(CapabilityMistake) {
        try capabilities.allow(text.value)
      } catch {
        document.report(text.location, "\(error)")
      }
      return text
    }
  }
}

extension Pipeline {
  /// The settings of a plugin in the list; all are `nil`, or the defaults, for a plugin that is only named.
  struct PluginSetting: Equatable {
    var placement = PluginPlacement()
    var capabilities: [Located<String>]?

    static func == (one: PluginSetting, other: PluginSetting) -> Bool {
      one.placement == other.placement && one.capabilities?.map(\.value) == other.capabilities?.map(\.value)
    }
  }

  func setting(of plugin: String) -> PluginSetting {
    PluginSetting(placement: places[plugin] ?? PluginPlacement(), capabilities: capabilities[plugin])
  }

  /// Returns the message for a plugin whose settings differ from those where it is listed first.
  static func contradiction(_ first: Located<String>, in file: SourceFile) -> String {
    "the plugin has other settings where it is listed before, \"\(first.value)\" at "
      + "\(file.path):\(first.location.line):\(first.location.column)"
  }

  /// Returns the capabilities of a plugin. The texts have been checked; relative paths start from the folder of their
  /// file.
  func capabilities(of plugin: String) -> Capabilities {
    var capabilities = Capabilities()
    let folder = folders[plugin] ?? "."
    for text in self.capabilities[plugin] ?? [] { try? capabilities.allow(text.value, from: folder) }
    WritableFolders.resolvePaths(of: &capabilities)
    return capabilities
  }
}
