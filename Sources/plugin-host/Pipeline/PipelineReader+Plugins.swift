import PluginRuntime

/// The list of plugins in a pipeline file.
extension PipelineReader {
  /// Reads plugins: a name each, or a mapping with `plugin`, `isolation` and `capabilities`.
  func readPlugins(_ node: YAMLNode, of pipeline: inout Pipeline) {
    for node in document.elements(of: node, what: "\"plugins\"") ?? [] {
      guard case .mapping = node.content else {
        pipeline.plugins += document.text(of: node, what: "a plugin's name").map { [$0] } ?? []
        continue
      }
      let known = ["plugin", "isolation", "capabilities"]
      guard let record = document.record(of: node, what: "a plugin", known: known),
        let plugin = document.required("plugin", of: record, what: "a plugin"),
        let name = document.text(of: plugin, what: "a plugin's name")
      else { continue }
      pipeline.plugins.append(name)
      let place = record["isolation"].flatMap(place)
      if let place { pipeline.places[name.value] = place }
      guard let capabilities = record["capabilities"] else { continue }
      pipeline.capabilities[name.value] = texts(capabilities)
      // In this process nothing could be refused.
      if place == .inProcess {
        document.report(capabilities.location, "\"capabilities\" are for plugins with \"isolation: process\"")
      }
      pipeline.places[name.value] = .process
    }
  }

  private func place(_ node: YAMLNode) -> PluginPlace? {
    guard let text = document.text(of: node, what: "\"isolation\"") else { return nil }
    if let place = PluginPlace(rawValue: text.value) { return place }
    let names = PluginPlace.allCases.map(\.rawValue)
    document.report(
      text.location, "\"isolation\" must be \(names.joined(separator: " or ")); this is \"\(text.value)\"")
    return nil
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
  /// The capabilities of a plugin. The texts have been checked; relative paths start from the folder of the file.
  func capabilities(of plugin: String, folder: String) -> Capabilities {
    var capabilities = Capabilities()
    for text in self.capabilities[plugin] ?? [] { try? capabilities.allow(text.value, from: folder) }
    return capabilities
  }
}
