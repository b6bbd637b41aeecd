/// A text with variables and results in it: `${name}` stands for a variable's value, `${steps.name.part}` for the
/// result of a step or a part of it, and `$$` for a dollar sign.
struct Template: Equatable, Sendable {
  enum Part: Equatable, Sendable {
    case text(String)
    case variable(String)
    case result(ResultReference)
    /// `${item.part}`: a part of the current element in a step with `each`.
    case item(ResultPath)

    /// The part as written in the file, except for `$$`.
    var source: String {
      switch self {
      case .text(let text): text
      case .variable(let name): "${\(name)}"
      case .result(let reference): "${steps.\(reference.step)\(reference.path.suffix)}"
      case .item(let path): "${item\(path.suffix)}"
      }
    }

    /// The part as an operand of an expression; `nil` for a text.
    var operand: Expression? {
      switch self {
      case .text: nil
      case .variable(let name): .variable(name)
      case .result(let reference): .result(reference)
      case .item(let path): .part(.variable("item"), path)
      }
    }
  }

  /// The error for a malformed template.
  struct ParseError: Error {
    var message: String
  }

  var parts: [Part] = []

  init(parsing text: String) throws(ParseError) {
    var rest = text[...]
    var literal = ""
    while let dollar = rest.firstIndex(of: "$") {
      literal += rest[..<dollar]
      rest = rest[dollar...].dropFirst()
      if rest.first == "$" {
        literal += "$"
        rest = rest.dropFirst()
      } else if rest.first == "{" {
        guard let end = rest.firstIndex(of: "}") else {
          throw ParseError(message: "\"${\" without a \"}\" after it: write ${NAME}, and $$ for a dollar sign")
        }
        let part = try Self.part(String(rest[..<end].dropFirst()))
        if !literal.isEmpty { parts.append(.text(literal)) }
        literal = ""
        parts.append(part)
        rest = rest[end...].dropFirst()
      } else {
        literal += "$"
      }
    }
    literal += rest
    if !literal.isEmpty { parts.append(.text(literal)) }
  }

  /// Parses the text between the braces.
  private static func part(_ name: String) throws(ParseError) -> Part {
    if Name.isValid(name) { return .variable(name) }
    let prefix = "steps."
    if name.hasPrefix("item.") || name.hasPrefix("item[") {
      do {
        return .item(try ResultPath(parsing: name.dropFirst("item".count)))
      } catch {
        throw ParseError(message: error.message)
      }
    }
    guard name.hasPrefix(prefix) else {
      throw ParseError(
        message: "\"${\(name)}\" does not name a variable; \"${steps.NAME}\" is a step's result, and $$ a dollar sign")
    }
    do {
      return .result(try ResultReference(parsing: name.dropFirst(prefix.count)))
    } catch {
      throw ParseError(message: error.message)
    }
  }

  /// The names of the variables in the template.
  var variables: [String] {
    parts.compactMap { part in
      guard case .variable(let name) = part else { return nil }
      return name
    }
  }

  /// Whether a part of an element of a list is in the template.
  var hasItem: Bool { parts.contains { if case .item = $0 { true } else { false } } }

  /// The results in the template.
  var results: [ResultReference] {
    parts.compactMap { part in
      guard case .result(let reference) = part else { return nil }
      return reference
    }
  }

  /// The text as written in the file, except for `$$`.
  var source: String {
    parts.map(\.source).joined()
  }

  /// Parses the text as an expression, with variables and results as operands.
  func expression() throws(Expression.EvaluationError) -> Expression {
    var text = ""
    var operands: [Expression.Embedded] = []
    for part in parts {
      let start = text.utf8.count
      text += part.source
      if let operand = part.operand {
        operands.append(Expression.Embedded(range: start..<text.utf8.count, operand: operand))
      }
    }
    return try Expression(parsing: text, names: .arguments, operands: operands)
  }

  /// Returns the length in UTF-8 of the text with the values of variables; 0 for a text of a single part, which shares
  /// the memory of the value.
  func expandedCount(with values: [String: String]) -> Int {
    guard parts.count > 1 else { return 0 }
    return parts.reduce(0) { count, part in
      switch part {
      case .text(let text): count + text.utf8.count
      case .variable(let name): count + (values[name]?.utf8.count ?? 0)
      case .result, .item: count
      }
    }
  }

  /// Returns the text with the values of variables. A value is not expanded again. Results, and variables without a
  /// value, become empty; the checker has rejected templates with such names.
  func expanded(with values: [String: String]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .variable(let name): values[name] ?? ""
      case .result, .item: ""
      }
    }.joined()
  }
}
