import PluginRuntime

/// One line of a session: `NAME = PLUGIN.FUNCTION ARGUMENT...`, a command, or `$NAME`.
struct ShellLine: Equatable {
  /// A variable, or a part of its value: `$db`, `$rows[0].name`, `${name.part}`.
  struct Reference: Equatable {
    var name: String
    var path: ResultPath
  }

  enum Part: Equatable {
    /// A text; `isQuoted`: its characters are literal.
    case text(String, isQuoted: Bool)
    case reference(Reference)
  }

  /// Parts without white space between them.
  struct Word: Equatable {
    var parts: [Part]

    /// The text of a word without quotes and variables; nil for others.
    var plain: String? {
      guard case .text(let text, isQuoted: false)? = parts.first, parts.count == 1 else { return nil }
      return text
    }

    /// The parts with all text quoted.
    var literal: [Part] {
      parts.map { part in if case .text(let text, _) = part { .text(text, isQuoted: true) } else { part } }
    }
  }

  /// The error for a line that cannot be read. The column counts characters from 1.
  struct ParseError: Error, Equatable {
    var column: Int
    var message: String

    var failure: Failure { Failure(.usage, lines: ["plugin-host: column \(column): \(message)".displayLine]) }
  }

  /// The variable that gets the value.
  var target: String?
  /// The words after the target; empty for a blank line.
  var words: [Word]

  init(parsing text: String) throws(ParseError) {
    var lexer = ShellLexer(text)
    words = try lexer.words()
    guard let first = words.first?.plain else { return }
    if words.dropFirst().first?.plain == "=" {
      guard Self.isName(first) else {
        throw ParseError(column: 1, message: "\"\(first)\" cannot be a variable: \(Self.rule)")
      }
      target = first
      words.removeFirst(2)
      if words.isEmpty { throw ParseError(column: text.count + 1, message: "a call or a variable must follow \"=\"") }
    } else if let name = first.cut(at: "=")?.before, Self.isName(name) {
      throw ParseError(column: 1, message: "\"=\" needs spaces: \(name) = ...")
    }
  }

  /// Whether the text can name a variable.
  static func isName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, ShellLexer.isNameStart(first) else { return false }
    return text.unicodeScalars.allSatisfy { ShellLexer.isNamePart($0) }
  }

  private static let rule = "a name is a letter or _, then letters, digits and _"
}
