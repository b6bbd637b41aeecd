/// Splits a line into words. Quotes and backslashes work as in a POSIX shell; `#` begins a comment.
struct ShellLexer {
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  mutating func words() throws(ShellLine.ParseError) -> [ShellLine.Word] {
    var words: [ShellLine.Word] = []
    while true {
      while let next, Self.isSpace(next) { position += 1 }
      guard let next, next != "#" else { return words }
      words.append(try word())
    }
  }

  private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func word() throws(ShellLine.ParseError) -> ShellLine.Word {
    var parts: [ShellLine.Part] = []
    while let scalar = next, !Self.isSpace(scalar) {
      switch scalar {
      case "'": add(try singleQuoted(), isQuoted: true, to: &parts)
      case "\"": try doubleQuoted(into: &parts)
      case "$": parts.append(.reference(try reference()))
      case "\\":
        position += 1
        guard let escaped = next else { throw error("a character must follow \"\\\"") }
        position += 1
        add(String(escaped), isQuoted: true, to: &parts)
      default:
        // Appends all characters at once: one by one would copy a long word each time.
        let start = position
        while let scalar = self.next, !Self.isSpace(scalar), !Self.isSpecial(scalar) { position += 1 }
        add(Self.text(scalars[start..<position]), isQuoted: false, to: &parts)
      }
    }
    return ShellLine.Word(parts: parts)
  }

  /// Appends text, to the last part if that is a text of the same kind.
  private func add(_ text: String, isQuoted: Bool, to parts: inout [ShellLine.Part]) {
    if case .text(let last, isQuoted)? = parts.last {
      // By scalars, so that combining letters stay unchanged.
      var joined = last.unicodeScalars
      joined.append(contentsOf: text.unicodeScalars)
      parts[parts.count - 1] = .text(String(joined), isQuoted: isQuoted)
    } else {
      parts.append(.text(text, isQuoted: isQuoted))
    }
  }

  private mutating func singleQuoted() throws(ShellLine.ParseError) -> String {
    let start = position
    position += 1
    guard let end = scalars[position...].firstIndex(of: "'") else { throw error("\"'\" without its end", at: start) }
    defer { position = end + 1 }
    return Self.text(scalars[position..<end])
  }

  private mutating func doubleQuoted(into parts: inout [ShellLine.Part]) throws(ShellLine.ParseError) {
    let start = position
    position += 1
    // Makes "" a word, too.
    add("", isQuoted: true, to: &parts)
    while let scalar = next {
      switch scalar {
      case "\"":
        position += 1
        return
      case "$": parts.append(.reference(try reference()))
      case "\\" where position + 1 < scalars.count && Self.escapes[scalars[position + 1]] != nil:
        add(Self.escapes[scalars[position + 1]] ?? "", isQuoted: true, to: &parts)
        position += 2
      case "\\":
        add("\\", isQuoted: true, to: &parts)
        position += 1
      default:
        let start = position
        while let scalar = self.next, !["\"", "$", "\\"].contains(scalar) { position += 1 }
        add(Self.text(scalars[start..<position]), isQuoted: true, to: &parts)
      }
    }
    throw error("'\"' without its end", at: start)
  }

  /// Reads `$name.part[0]` or `${name.part[0]}`.
  private mutating func reference() throws(ShellLine.ParseError) -> ShellLine.Reference {
    let start = position
    position += 1
    let text: String
    if next == "{" {
      guard let end = scalars[position...].firstIndex(of: "}") else {
        throw error("\"${\" without a \"}\": write ${NAME}; a dollar sign is \\$ or '$'", at: start)
      }
      text = Self.text(scalars[(position + 1)..<end])
      position = end + 1
    } else {
      let first = position
      while let scalar = next, Self.isNamePart(scalar) || isPathPart { position += scalar == "[" ? 0 : 1; skipIndex() }
      text = Self.text(scalars[first..<position])
    }
    let name = String(text.unicodeScalars.prefix { Self.isNamePart($0) })
    guard ShellLine.isName(name) else {
      throw error("\"$\" must be followed by a variable's name; a dollar sign is \\$ or '$'", at: start)
    }
    do {
      return ShellLine.Reference(name: name, path: try ResultPath(parsing: text.dropFirst(name.count)))
    } catch {
      throw self.error(error.message, at: start)
    }
  }

  /// Whether a dot with a name behind it, or an index, is next.
  private var isPathPart: Bool {
    switch next {
    case ".": position + 1 < scalars.count && Self.isNamePart(scalars[position + 1])
    case "[": indexEnd != nil
    default: false
    }
  }

  /// The position after an index in brackets, if one is next.
  private var indexEnd: Int? {
    guard next == "[", let end = scalars[position...].firstIndex(of: "]"),
      Int(Self.text(scalars[(position + 1)..<end])) != nil
    else { return nil }
    return end + 1
  }

  private mutating func skipIndex() { if let end = indexEnd { position = end } }

  private func error(_ message: String, at start: Int? = nil) -> ShellLine.ParseError {
    ShellLine.ParseError(column: (start ?? position) + 1, message: message)
  }

  private static let escapes: [Unicode.Scalar: String] = ["\"": "\"", "\\": "\\", "$": "$", "n": "\n", "t": "\t"]

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\r" }

  /// Whether the character is special in a word without quotes.
  private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool { ["'", "\"", "$", "\\"].contains(scalar) }

  static func isNameStart(_ scalar: Unicode.Scalar) -> Bool {
    "a"..."z" ~= scalar || "A"..."Z" ~= scalar || scalar == "_"
  }

  static func isNamePart(_ scalar: Unicode.Scalar) -> Bool { isNameStart(scalar) || "0"..."9" ~= scalar }
}
