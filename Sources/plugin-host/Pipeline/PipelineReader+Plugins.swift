import PluginRuntime

/// Reads the list of plugins in a pipeline file.
extension PipelineReader {
  /// Reads plugins: a name each, or a mapping with `plugin`, `isolation`, `pool`, `limits` and `capabilities`.
  func readPlugins(_ node: YAMLNode, of pipeline: inout Pipeline) {
    for node in document.elements(of: node, what: "\"plugins\"") ?? [] {
      guard case .mapping = node.content else {
        pipeline.plugins += document.text(of: node, what: "a plugin's name").map { [$0] } ?? []
        continue
      }
      let known = ["plugin", "isolation", "pool", "limits", "capabilities"]
      guard let record = document.record(of: node, what: "a plugin", known: known),
        let plugin = document.required("plugin", of: record, what: "a plugin"),
        let name = document.text(of: plugin, what: "a plugin's name")
      else { continue }
      pipeline.plugins.append(name)
      let placement = placement(record)
      pipeline.places[name.value] = placement
      guard let capabilities = record["capabilities"] else { continue }
      pipeline.capabilities[name.value] = texts(capabilities)
      // Capabilities can be enforced only in worker processes.
      if placement.place?.isHere == true {
        document.report(capabilities.location, "\"capabilities\" are for plugins with \"isolation: process\"")
      }
      pipeline.places[name.value]?.place = .process
    }
  }

  private func texts(_ node: YAMLNode) -> [Located<String>] {
    let elements = document.elements(of: node, what: "\"capabilities\"") ?? []
    return elements.compactMap { element in
      guard let text = document.text(of: element, what: "a capability") else { return nil }
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
  /// The capabilities of a plugin. The texts have been checked; relative paths start from the folder of their file.
  func capabilities(of plugin: String) -> Capabilities {
    var capabilities = Capabilities()
    let folder = folders[plugin] ?? "."
    for text in self.capabilities[plugin] ?? [] { try? capabilities.allow(text.value, from: folder) }
    return capabilities
  }
}
