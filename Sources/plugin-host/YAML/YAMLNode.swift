/// A node of a YAML file, with the location of its beginning.
struct YAMLNode: Sendable {
  /// The content of a node. An alias has the content of the node with its anchor.
  enum Content: Sendable {
    case scalar(String, isPlain: Bool)
    case sequence([YAMLNode])
    case mapping([(key: YAMLNode, value: YAMLNode)])
  }

  var content: Content
  /// The explicit tag, in its long form: `tag:yaml.org,2002:str`. Nil if there is none.
  var tag: String?
  var location: Location

  /// The text of a scalar; nil for another node.
  var text: String? {
    guard case .scalar(let text, _) = content else { return nil }
    return text
  }

  /// Whether the node is null: an empty scalar, `~` or `null`, without quotes.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return Content.nulls.contains(text)
  }

  /// The kind of node, for messages: `a list`.
  var kind: String {
    switch content {
    case .mapping: "a mapping"
    case .sequence: "a list"
    case .scalar(let text, _): isNull ? "empty" : "the text \"\(text.displayLine.truncated(to: 40))\""
    }
  }
}
