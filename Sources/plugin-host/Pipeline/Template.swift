/// A text with variables in it: `${name}` stands for a variable's value, `$$` for a dollar sign.
struct Template: Equatable, Sendable {
  enum Part: Equatable, Sendable {
    case text(String)
    case variable(String)
  }

  /// What is wrong with a text that is no template.
  struct Mistake: Error {
    var message: String
  }

  var parts: [Part] = []

  init(parsing text: String) throws(Mistake) {
    var rest = text[...]
    var literal = ""
    while let dollar = rest.firstIndex(of: "$") {
      literal += rest[..<dollar]
      rest = rest[dollar...].dropFirst()
      if rest.first == "$" {
        literal += "$"
        rest = rest.dropFirst()
      } else if rest.first == "{" {
        guard let end = rest.firstIndex(of: "}") else { throw Mistake(message: "\"${\" without a \"}\" after it") }
        let name = String(rest[..<end].dropFirst())
        guard Name.isValid(name) else {
          throw Mistake(message: "\"${\(name)}\" does not name a variable; write $$ for a dollar sign")
        }
        if !literal.isEmpty { parts.append(.text(literal)) }
        literal = ""
        parts.append(.variable(name))
        rest = rest[end...].dropFirst()
      } else {
        literal += "$"
      }
    }
    literal += rest
    if !literal.isEmpty { parts.append(.text(literal)) }
  }

  /// The names of the variables in it.
  var variables: [String] {
    parts.compactMap { part in
      guard case .variable(let name) = part else { return nil }
      return name
    }
  }

  /// The text with the variables' values. A value is not looked at again: what is in it is only text. A variable that
  /// has none counts as empty; the checker has seen to it that there is one.
  func expanded(with values: [String: String]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .variable(let name): values[name] ?? ""
      }
    }.joined()
  }
}

/// The names of steps and variables.
enum Name {
  /// Whether `name` is a letter or underscore, then letters, digits, `_` and `-`, all of ASCII.
  static func isValid(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLetter(first) else { return false }
    return name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
  }

  static let rule = "a name is a letter or _, then letters, digits, _ and -"

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
  }
}
