import PluginRuntime

/// A setting of the user for a plugin: `PLUGIN:KEY=VALUE`.
struct PluginSetting: Equatable, Sendable {
  /// An id, or the last component of one.
  var plugin: String
  var key: String
  var value: String

  /// Nil if the text does not have that form.
  init?(_ text: String) {
    guard let (plugin, setting) = text.cut(at: ":"), let (key, value) = setting.cut(at: "=") else { return nil }
    (self.plugin, self.key, self.value) = (plugin, key, value)
    if plugin.isEmpty || key.isEmpty || !RawText.isText(text) { return nil }
  }

  init(plugin: String, key: String, value: String) {
    self.plugin = plugin
    self.key = key
    self.value = value
  }
}

extension [PluginSetting] {
  /// Returns the settings by plugin id and key. The later of two settings for one key wins.
  func resolved(for plugins: [PluginDescription]) throws(Failure) -> [String: [String: String]] {
    var configuration: [String: [String: String]] = [:]
    for setting in self {
      switch plugins.lookup(setting.plugin) {
      case .found(let plugin): configuration[plugin.id, default: [:]][setting.key] = setting.value
      case .ambiguous(let ids):
        let list = ids.joined(separator: " or ")
        throw Failure(.usage, "configuration of \"\(setting.plugin)\": this may be \(list); write the whole id")
      case .unknown:
        let names = plugins.flatMap { [$0.id, $0.shortName] }
        let hint = Suggestion.near(setting.plugin, among: names)
        throw Failure(.usage, "configuration of \"\(setting.plugin)\": no such plugin is used here\(hint)")
      }
    }
    return configuration
  }
}
