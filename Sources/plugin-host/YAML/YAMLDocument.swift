import PluginRuntime

/// The nodes of a YAML file. Reading continues after a mistake, so that one run reports all.
final class YAMLDocument {
  let file: SourceFile
  private(set) var mistakes: [Mistake] = []

  init(file: SourceFile) {
    self.file = file
  }

  /// Returns the file's root node; nil, after reporting a mistake, if there is none.
  func root() -> YAMLNode? {
    do {
      if let node = try YAMLComposer.root(of: file) { return node }
      report(Location(line: 1, column: 1, file: file.number), "the file is empty")
    } catch {
      mistakes.append(error.mistake)
    }
    return nil
  }

  func report(_ location: Location, _ message: String) {
    mistakes.report(location, message)
  }

  /// One key of a mapping, and the node under it.
  struct Field {
    var key: Located<String>
    var value: YAMLNode
  }

  /// Returns the fields of a mapping in the file's order; nil, after reporting a mistake, if the node is not a mapping.
  /// `what` names the node in messages: `a step`.
  func fields(of node: YAMLNode, what: String) -> [Field]? {
    if hasForeignTag(node) { return nil }
    guard case .mapping(let mapping) = node.content else {
      report(node.location, "\(what) must be a mapping, \"key: value\" lines; this is \(node.kind)")
      return nil
    }
    return mapping.compactMap { key, value in
      guard let name = key.text else {
        report(key.location, "a key must be a word; this is \(key.kind)")
        return nil
      }
      return Field(key: Located(value: name, location: key.location), value: value)
    }
  }

  /// Returns the fields of a mapping whose only valid keys are `known`.
  func record(of node: YAMLNode, what: String, known: [String]) -> Record? {
    guard let fields = fields(of: node, what: what) else { return nil }
    var record = Record(location: node.location)
    for field in fields {
      if known.contains(field.key.value) {
        record.fields[field.key.value] = field
      } else {
        let hint = Suggestion.near(field.key.value, among: known)
        let list = known.joined(separator: ", ")
        report(
          field.key.location, "\(what) has no key \"\(field.key.value)\"\(hint.isEmpty ? "; it has \(list)" : hint)")
      }
    }
    return record
  }

  /// Returns the node under a key; nil, after reporting a mistake, if there is none.
  func required(_ key: String, of record: Record, what: String) -> YAMLNode? {
    if record[key] == nil { report(record.location, "\(what) needs the key \"\(key)\"") }
    return record[key]
  }

  /// The fields of a mapping by their keys.
  struct Record {
    var location: Location
    var fields: [String: Field] = [:]

    subscript(key: String) -> YAMLNode? { fields[key]?.value }
  }

  /// Returns the text of a scalar as written: `1.10` and `yes` stay texts. Nil, after reporting a mistake, for null and
  /// for other nodes.
  ///
  /// - Parameter mayBeEmpty: whether the text can be empty, which the message for null then says.
  func text(of node: YAMLNode, what: String, mayBeEmpty: Bool = true) -> Located<String>? {
    if hasForeignTag(node) { return nil }
    guard let text = node.text else {
      report(node.location, "\(what) must be a text or number; this is \(node.kind)")
      return nil
    }
    if node.isNull {
      report(node.location, "\(what) is missing" + (mayBeEmpty ? "; write \"\" for an empty text" : ""))
      return nil
    }
    return Located(value: text, location: node.location)
  }

  /// Returns the elements of a sequence; nil, after reporting a mistake, for other nodes.
  func elements(of node: YAMLNode, what: String) -> [YAMLNode]? {
    if hasForeignTag(node) { return nil }
    guard case .sequence(let elements) = node.content else {
      report(node.location, "\(what) must be a list, [a, b] or \"- a\" lines; this is \(node.kind)")
      return nil
    }
    return elements
  }

  /// Whether a tag requests an unsupported type. Reports the mistake if so.
  private func hasForeignTag(_ node: YAMLNode) -> Bool {
    guard let name = node.tag, name != "!" else { return false }
    let core = "tag:yaml.org,2002:"
    let known = ["str", "int", "float", "bool", "null", "map", "seq", "timestamp", "merge", "value"].map { core + $0 }
    guard !known.contains(name) else { return false }
    let shown = name.hasPrefix(core) ? "!!" + name.dropFirst(core.count) : name
    report(node.location, "the tag \(shown) has no meaning here: types come from signatures")
    return true
  }
}
