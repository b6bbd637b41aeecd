/// Reads a signature token by token, with the column of each token.
struct SignatureCursor {
  let text: String
  let scalars: [Unicode.Scalar]
  /// The index of the next scalar to read.
  var position = 0

  init(_ text: String) throws(SignatureError) {
    self.text = text
    scalars = Array(text.unicodeScalars.prefix(SignatureLimits.length + 1))
    guard scalars.count <= SignatureLimits.length else {
      throw SignatureError(
        text: text, column: SignatureLimits.length + 1, found: "more than \(SignatureLimits.length) characters",
        expected: "a shorter signature")
    }
  }

  /// A token. Identifiers and numbers are both words: the parser distinguishes them.
  enum Token: Equatable {
    case end
    case word(String)
    /// One of ( ) { } [ ] < > : ; , = ! ? & | @ or "->" or "...", and any character that signatures do not use.
    case symbol(String)
    /// The opening quote of a string; `string()` reads the rest.
    case quote
  }

  /// Returns the next token and its column, without reading it.
  var next: (token: Token, column: Int) {
    let start = skippingSpace
    guard start < scalars.count else { return (.end, start + 1) }
    switch scalars[start] {
    case "\"": return (.quote, start + 1)
    case "-" where start + 1 < scalars.count && scalars[start + 1] == ">": return (.symbol("->"), start + 1)
    case "." where scalars[start...].starts(with: ["." as Unicode.Scalar, ".", "."]): return (.symbol("..."), start + 1)
    case let first where isWord(first):
      return (.word(String(String.UnicodeScalarView(scalars[start..<endOfWord(from: start)]))), start + 1)
    case let other: return (.symbol(String(other)), start + 1)
    }
  }

  /// Reads the next token, a word or a symbol.
  mutating func advance() {
    let (token, column) = next
    switch token {
    case .end: position = scalars.count
    case .word(let word), .symbol(let word): position = column - 1 + word.unicodeScalars.count
    case .quote: position = column
    }
  }

  /// Reads the next token if it is this symbol; returns whether it was.
  mutating func skip(_ symbol: String) -> Bool {
    guard next.token == .symbol(symbol) else { return false }
    advance()
    return true
  }

  /// Reads the next token if it is this word; returns whether it was.
  mutating func skip(word: String) -> Bool {
    guard next.token == .word(word) else { return false }
    advance()
    return true
  }

  mutating func require(_ symbol: String, or others: String = "") throws(SignatureError) {
    if !skip(symbol) { throw error(expected: "'\(symbol)'\(others)") }
  }

  /// Returns an error at the next token.
  func error(expected: String) -> SignatureError {
    let (token, column) = next
    return error(at: column, found: Self.name(token), expected: expected)
  }

  func error(at column: Int, found: String, expected: String) -> SignatureError {
    SignatureError(text: text, column: column, found: found, expected: expected)
  }

  private static func name(_ token: Token) -> String {
    switch token {
    case .end: "the end of the signature"
    case .word(let text), .symbol(let text): "'\(text)'"
    case .quote: "a string"
    }
  }

  private var skippingSpace: Int {
    var index = position
    while index < scalars.count, [" ", "\t", "\n", "\r"].contains(scalars[index]) { index += 1 }
    return index
  }

  /// Finds the end of a word. A word extends as far as a number or a name could, so that an error shows all of it:
  /// '0x1F', '1.2.3'.
  private func endOfWord(from start: Int) -> Int {
    var index = start + 1
    while index < scalars.count {
      let isExponentSign =
        (scalars[index] == "+" || scalars[index] == "-") && (scalars[index - 1] == "e" || scalars[index - 1] == "E")
        && !scalars[start].properties.isAlphabetic
      guard isWord(scalars[index]) && scalars[index] != "-" || isExponentSign else { break }
      index += 1
    }
    return index
  }

  private func isWord(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "." || scalar == "-" || scalar.properties.isAlphabetic
      || scalar.properties.numericType != nil
  }
}
