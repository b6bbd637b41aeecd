/// Reads the text of a signature token by token, and knows its columns.
struct SignatureCursor {
  private let text: String
  private let scalars: [Unicode.Scalar]
  private var position = 0

  init(_ text: String) {
    self.text = text
    scalars = Array(text.unicodeScalars)
  }

  /// What a token is. Words are identifiers and numbers alike: what a word may be is the parser's business.
  enum Token: Equatable {
    case end
    case word(String)
    /// One of ( ) : , = < > ! or "->"; anything else that a signature does not know stands here too.
    case symbol(String)
    /// The quote that begins a string; `string()` reads on.
    case quote
  }

  /// The next token, which stays where it is, and its column.
  var next: (token: Token, column: Int) {
    let start = skippingSpace
    guard start < scalars.count else { return (.end, start + 1) }
    switch scalars[start] {
    case "\"": return (.quote, start + 1)
    case "-" where start + 1 < scalars.count && scalars[start + 1] == ">": return (.symbol("->"), start + 1)
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

  /// Reads the next token if it is this symbol.
  mutating func skip(_ symbol: String) -> Bool {
    guard next.token == .symbol(symbol) else { return false }
    advance()
    return true
  }

  mutating func require(_ symbol: String, or others: String = "") throws(SignatureError) {
    if !skip(symbol) { throw error(expected: "'\(symbol)'\(others)") }
  }

  /// The mistake that the next token is.
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

  /// A word goes on as long as it could be a number or a name, so that a mistake is shown whole: '0x1F', '1.2.3'.
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

extension SignatureCursor {
  /// Reads a "string" with the escapes of JSON. The next token is its opening quote.
  mutating func string() throws(SignatureError) -> String {
    let opening = next.column
    var result = String.UnicodeScalarView()
    position = opening
    while position < scalars.count {
      let scalar = scalars[position]
      position += 1
      switch scalar {
      case "\"": return String(result)
      case "\\": result.append(try escape())
      case _ where scalar.value < 0x20:
        let code = hexadecimal(scalar.value)
        throw error(at: position, found: "the control character U+\(code)", expected: "its escape, \\u\(code)")
      default: result.append(scalar)
      }
    }
    throw error(
      at: scalars.count + 1, found: "the end of the signature",
      expected: "'\"', the end of the string that begins at column \(opening)")
  }

  /// Reads an escape; the backslash is read already.
  private mutating func escape() throws(SignatureError) -> Unicode.Scalar {
    let start = position
    let simple: [Unicode.Scalar: Unicode.Scalar] = [
      "\"": "\"", "\\": "\\", "/": "/", "b": "\u{8}", "f": "\u{c}", "n": "\n", "r": "\r", "t": "\t",
    ]
    guard start < scalars.count else {
      throw error(at: start + 1, found: "the end of the signature", expected: "an escape")
    }
    position += 1
    if let scalar = simple[scalars[start]] { return scalar }
    guard scalars[start] == "u" else {
      throw error(
        at: start, found: "'\\\(scalars[start])'",
        expected: "an escape of JSON: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
    }
    let unit = try codeUnit(escapedAt: start)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    // A surrogate: the first half of a pair, or a mistake.
    if unit < 0xDC00, position + 1 < scalars.count, scalars[position] == "\\", scalars[position + 1] == "u" {
      position += 2
      let second = try codeUnit(escapedAt: position - 1)
      if 0xDC00...0xDFFF ~= second, let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00)) {
        return scalar
      }
    }
    throw error(
      at: start, found: "half of a surrogate pair, '\\u\(hexadecimal(unit))'", expected: "both halves, \\uD800\\uDC00")
  }

  /// Reads the four digits of `\uXXXX`, whose `u` is at `start`.
  private mutating func codeUnit(escapedAt start: Int) throws(SignatureError) -> UInt32 {
    let digits = String(
      String.UnicodeScalarView(scalars[min(position, scalars.count)..<min(position + 4, scalars.count)]))
    guard digits.count == 4, digits.allSatisfy(\.isHexDigit), let unit = UInt32(digits, radix: 16) else {
      throw error(at: start, found: "'\\u\(digits)'", expected: "\\u and four hexadecimal digits")
    }
    position += 4
    return unit
  }
}

/// At least four digits.
private func hexadecimal(_ number: UInt32) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
