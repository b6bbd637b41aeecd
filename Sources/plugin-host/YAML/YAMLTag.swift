import PluginRuntime

extension YAMLNode.Content {
  /// The content of a node with an explicit tag: `!!str null` is a text, and `!!int "5"` a number. Throws the mistake,
  /// such as `is not !!int`, of other content. Tags that have no meaning here change nothing.
  func tagged(_ tag: String) throws(YAMLTagMistake) -> YAMLNode.Content {
    let core = "tag:yaml.org,2002:"
    let name = tag.hasPrefix(core) ? String(tag.dropFirst(core.count)) : tag
    switch (name, self) {
    case ("map", .mapping), ("seq", .sequence): return self
    case ("str", .scalar(let text, _)), ("!", .scalar(let text, _)): return .scalar(text, isPlain: false)
    case ("null", .scalar(let text, _)) where Self.nulls.contains(text): return .scalar("", isPlain: true)
    case ("bool", .scalar(let text, _)) where Self.truths.contains(text):
      return .scalar(text.lowercased(), isPlain: true)
    case ("int", .scalar(let text, _)) where PluginValue.integer(plain: text) != nil:
      return .scalar(text, isPlain: true)
    case ("float", .scalar(let text, _)):
      if case .double? = PluginValue(plain: text) { return .scalar(text, isPlain: true) }
      guard (try? ValueType.f64.value(fromText: text)) != nil else { throw YAMLTagMistake(name: name) }
      // An integer without a fraction would be one.
      return .scalar(PluginValue.integer(plain: text) == nil ? text : text + ".0", isPlain: true)
    case ("map", _), ("seq", _), ("str", _), ("null", _), ("bool", _), ("int", _), ("float", _):
      throw YAMLTagMistake(name: name)
    default: return self
    }
  }

  static let nulls = ["", "~", "null", "Null", "NULL"]
  private static let truths = ["true", "True", "TRUE", "false", "False", "FALSE"]
}

/// The error of content that does not suit its tag.
struct YAMLTagMistake: Error {
  /// The name without the prefix of the core schema.
  var name: String
}
