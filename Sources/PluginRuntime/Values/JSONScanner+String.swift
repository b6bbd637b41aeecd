extension JSONScanner {
  /// Reads a string, which must be UTF-8.
  package mutating func string() throws(JSONError) -> String {
    let utf8 = try readString()
    guard let text = String(validating: utf8.bytes, as: UTF8.self) else {
      throw JSONError(offset: utf8.opening, found: "a string that is not UTF-8", expected: "UTF-8")
    }
    return text
  }

  /// Reads a string; U+FFFD replaces bytes that are not UTF-8.
  package mutating func repairedString() throws(JSONError) -> String {
    String(decoding: try readString().bytes, as: UTF8.self)
  }

  private mutating func readString() throws(JSONError) -> (bytes: ArraySlice<UInt8>, opening: Int) {
    guard take("\"") else { throw error("a string") }
    let opening = position - 1
    var utf8: ArraySlice<UInt8> = []
    while position < bytes.count {
      let start = position
      while position < bytes.count, bytes[position] >= 0x20, bytes[position] != UInt8(ascii: "\""),
        bytes[position] != UInt8(ascii: "\\")
      { position += 1 }
      // Without an escape, the bytes of the text are those of the string.
      if utf8.isEmpty { utf8 = bytes[start..<position] } else { utf8 += bytes[start..<position] }
      guard position < bytes.count else { break }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return (utf8, opening)
      case UInt8(ascii: "\\"): utf8 += UTF8.encode(try escape()).unsafelyUnwrapped
      default: throw error("the escape of a control character")
      }
    }
    throw unended(opening)
  }

  func unended(_ opening: Int) -> JSONError {
    JSONError(
      offset: bytes.count, found: "the end of the text", expected: "'\"', the end of the string at byte \(opening)")
  }

  private mutating func escape() throws(JSONError) -> Unicode.Scalar {
    let start = position
    guard start + 1 < bytes.count else {
      position = bytes.count
      throw error("an escape")
    }
    position += 2
    switch bytes[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(bytes[start + 1])
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{c}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): break
    default:
      throw JSONError(
        offset: start, found: "an escape that JSON does not have", expected: #"\" \\ \/ \b \f \n \r \t \uXXXX"#)
    }
    let unit = try codeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    if unit < 0xDC00, bytes[position...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) {
      position += 2
      let second = try codeUnit()
      if 0xDC00...0xDFFF ~= second, let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00)) {
        return scalar
      }
    }
    throw JSONError(offset: start, found: "half of a surrogate pair", expected: "both halves")
  }

  /// Reads the four digits of `\uXXXX`.
  private mutating func codeUnit() throws(JSONError) -> UInt32 {
    let digits = String(decoding: bytes[min(position, bytes.count)...].prefix(4), as: UTF8.self)
    guard digits.utf8.count == 4, digits.allSatisfy(\.isHexDigit), let unit = UInt32(digits, radix: 16) else {
      throw error("four hexadecimal digits")
    }
    position += 4
    return unit
  }
}
