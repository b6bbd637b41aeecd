extension SignatureCursor {
  /// Reads a "string" with JSON escapes. The next token is its opening quote.
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

  /// Reads an escape after its backslash.
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

/// Formats a number with at least four hexadecimal digits.
private func hexadecimal(_ number: UInt32) -> String {
  let digits = String(number, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
