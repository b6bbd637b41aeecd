import Yams

/// The nodes of a YAML file. Reading collects mistakes and goes on, so that one run shows them all.
final class YAMLDocument {
  let file: SourceFile
  private(set) var mistakes: [Mistake] = []

  init(file: SourceFile) {
    self.file = file
  }

  /// The file's one node; nil if there is none, with a mistake that says why.
  func root() -> Node? {
    do {
      // The encoding is given because the library's default looks into the environment, and prints what it finds.
      let parser = try Parser(yaml: file.text, encoding: .utf8)
      if let node = try parser.singleRoot() { return node }
      report(Location(line: 1, column: 1), "the file is empty")
    } catch let error as YamlError {
      mistakes.append(Mistake(error, in: file))
    } catch {
      report(Location(line: 1, column: 1), "\(error)")
    }
    return nil
  }

  func report(_ location: Location, _ message: String) {
    mistakes.append(Mistake(location: location, message: message))
  }

  /// One key of a mapping, and what stands under it.
  struct Field {
    var key: Located<String>
    var value: Node
  }

  /// The fields of a mapping in the file's order; nil if the node is none. `what` names it in a message: `a step`.
  func fields(of node: Node, what: String) -> [Field]? {
    if hasForeignTag(node) { return nil }
    guard case .mapping(let mapping) = node else {
      report(node.location, "\(what) must be a mapping, \"key: value\" lines; this is \(node.kind)")
      return nil
    }
    return mapping.compactMap { key, value in
      guard case .scalar(let scalar) = key else {
        report(key.location, "a key must be a word; this is \(key.kind)")
        return nil
      }
      return Field(key: Located(value: scalar.string, location: key.location), value: value)
    }
  }

  /// The fields of a mapping that knows only the keys `known`.
  func record(of node: Node, what: String, known: [String]) -> Record? {
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

  /// What stands under a key; nil if nothing does, with a mistake.
  func required(_ key: String, of record: Record, what: String) -> Node? {
    if record[key] == nil { report(record.location, "\(what) needs the key \"\(key)\"") }
    return record[key]
  }

  /// The fields of a mapping by their keys.
  struct Record {
    var location: Location
    var fields: [String: Field] = [:]

    subscript(key: String) -> Node? { fields[key]?.value }
  }

  /// The text of a scalar, as it is written: `1.10` and `yes` stay what they are. Nil if the node is none, or is null,
  /// with a mistake.
  func text(of node: Node, what: String) -> Located<String>? {
    if hasForeignTag(node) { return nil }
    guard case .scalar(let scalar) = node else {
      report(node.location, "\(what) must be a text or number; this is \(node.kind)")
      return nil
    }
    if node.isNull {
      report(node.location, "\(what) is missing; write \"\" for an empty text")
      return nil
    }
    return Located(value: scalar.string, location: node.location)
  }

  /// The elements of a sequence; nil if the node is none, with a mistake.
  func elements(of node: Node, what: String) -> [Node]? {
    if hasForeignTag(node) { return nil }
    guard case .sequence(let sequence) = node else {
      report(node.location, "\(what) must be a list, [a, b] or \"- a\" lines; this is \(node.kind)")
      return nil
    }
    return Array(sequence)
  }

  /// Whether a tag asks for a type that has no meaning here; then there is a mistake already.
  private func hasForeignTag(_ node: Node) -> Bool {
    let name = node.tag.description
    let core = "tag:yaml.org,2002:"
    let known = ["str", "int", "float", "bool", "null", "map", "seq", "timestamp", "merge", "value"].map { core + $0 }
    guard !name.isEmpty, !known.contains(name) else { return false }
    let shown = name.hasPrefix(core) ? "!!" + name.dropFirst(core.count) : name
    report(node.location, "the tag \(shown) has no meaning here: types come from signatures")
    return true
  }
}

extension Node {
  /// Where it begins. For what an alias stands for, that is where the anchor is.
  var location: Location {
    Location(line: max(1, mark?.line ?? 1), column: max(1, mark?.column ?? 1))
  }

  /// Whether it is null: nothing, `~` or `null`, without quotes.
  var isNull: Bool {
    guard case .scalar(let scalar) = self, scalar.style == .plain || scalar.style == .any else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
  }

  /// In a message: `a list`.
  var kind: String {
    switch self {
    case .mapping: "a mapping"
    case .sequence: "a list"
    case .scalar(let scalar): isNull ? "empty" : "the text \"\(scalar.string.displayLine.truncated(to: 40))\""
    case .alias: "an alias"
    }
  }
}
