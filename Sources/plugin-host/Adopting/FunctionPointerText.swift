/// The names of a function pointer's parameters, which clang's types do not have: read from the text that declares it.
enum FunctionPointerText {
  /// Whether a type that clang writes is a function or its address.
  static func isFunction(_ type: String) -> Bool {
    switch CTypeParser.parse(type) {
    case .function?, .pointer(to: .function, _)?: true
    default: false
    }
  }

  /// Returns the names in `void (*visit)(void *user, int)`; nil for a parameter without one. Empty if the text is not
  /// understood.
  static func names(_ text: String) -> [String?] {
    let tokens = tokens(of: text)
    guard let end = tokens.lastIndex(of: ")") else { return [] }
    var depth = 0
    var start = end
    for index in tokens[...end].indices.reversed() {
      depth += tokens[index] == ")" ? 1 : tokens[index] == "(" ? -1 : 0
      start = index
      if depth == 0 { break }
    }
    guard depth == 0, start + 1 <= end else { return [] }
    var parts: [[String]] = [[]]
    for token in tokens[(start + 1)..<end] {
      depth += token == "(" || token == "[" ? 1 : token == ")" || token == "]" ? -1 : 0
      if token == ",", depth == 0 { parts.append([]) } else { parts[parts.count - 1].append(token) }
    }
    return parts.map(name)
  }

  private static func name(_ declaration: [String]) -> String? {
    if declaration.contains("(") { return nil }
    let words = declaration.firstIndex(of: "[").map { Array(declaration[..<$0]) } ?? declaration
    guard let last = words.last, last.first.map({ $0.isLetter || $0 == "_" }) ?? false, !keywords.contains(last),
      let before = words.dropLast().last(where: { !["const", "volatile", "restrict"].contains($0) })
    else { return nil }
    return ["struct", "union", "enum"].contains(before) ? nil : last
  }

  private static let keywords: Set<String> = [
    "void", "char", "short", "int", "long", "signed", "unsigned", "float", "double", "const", "volatile", "restrict",
    "_Bool", "bool",
  ]

  /// Splits a text into words and signs, without comments.
  private static func tokens(of text: String) -> [String] {
    var rest = text[...]
    var tokens: [String] = []
    while let first = rest.first {
      if rest.hasPrefix("/*") {
        guard let end = rest.firstRange(of: "*/") else { break }
        rest = rest[end.upperBound...]
      } else if rest.hasPrefix("//") {
        rest = rest.drop { !$0.isNewline }
      } else if first.isLetter || first.isNumber || first == "_" {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        tokens.append(String(word))
        rest = rest.dropFirst(word.count)
      } else {
        if !first.isWhitespace { tokens.append(String(first)) }
        rest = rest.dropFirst()
      }
    }
    return tokens
  }
}
