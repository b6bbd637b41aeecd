/// Reads JSON (RFC 8259) front to back, piece by piece, in linear time and without a tree: a caller that needs few of a
/// text's values skips the rest.
package struct JSONScanner {
  let bytes: [UInt8]
  /// The number of bytes read.
  package internal(set) var position = 0

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next byte that is not white space, unread; `nil` at the end.
  package var next: UInt8? {
    mutating get {
      while position < bytes.count {
        switch bytes[position] {
        case 0x20, 0x09, 0x0A, 0x0D: position += 1
        default: return bytes[position]
        }
      }
      return nil
    }
  }

  /// The position in an object or an array, which the caller reads to its end.
  package struct Place {
    fileprivate var isFirst = true
  }

  package mutating func beginObject() throws(JSONError) -> Place {
    guard take("{") else { throw error("an object") }
    return Place()
  }

  /// Reads the name of the next member, and returns it with its offset; `nil` at the object's end. The value has to be
  /// read before the next call.
  package mutating func member(_ place: inout Place) throws(JSONError) -> (name: String, offset: Int)? {
    if take("}") { return nil }
    if !place.isFirst, !take(",") { throw error("',' or '}'") }
    place.isFirst = false
    guard next == UInt8(ascii: "\"") else { throw error("a \"name\"") }
    let offset = position
    let name = try string()
    guard take(":") else { throw error("':'") }
    return (name, offset)
  }

  package mutating func beginArray() throws(JSONError) -> Place {
    guard take("[") else { throw error("an array") }
    return Place()
  }

  /// Whether the array has one more element, which has to be read before the next call.
  package mutating func element(_ place: inout Place) throws(JSONError) -> Bool {
    if take("]") { return false }
    if !place.isFirst, !take(",") { throw error("',' or ']'") }
    place.isFirst = false
    return true
  }

  package mutating func bool() throws(JSONError) -> Bool {
    if take(word: "true") { return true }
    guard take(word: "false") else { throw error("true or false") }
    return false
  }

  /// Reads a number, and returns its text.
  package mutating func number() throws(JSONError) -> String {
    _ = next
    let start = position
    while position < bytes.count, Self.isPartOfNumber(bytes[position]) { position += 1 }
    let digits = String(decoding: bytes[start..<position], as: UTF8.self)
    guard ScalarType.isNumber(digits) else {
      throw JSONError(offset: start, found: "'\(digits.prefix(40))'", expected: "a JSON number, such as -1.5e3")
    }
    return digits
  }

  /// Skips a value of any depth. Only its end is searched for: malformed parts may pass.
  package mutating func skip() throws(JSONError) {
    var depth = 0
    repeat {
      switch next {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"): position += 1
      case UInt8(ascii: "\""): try skipString()
      default:
        let start = position
        while position < bytes.count, Self.isPartOfWord(bytes[position]) { position += 1 }
        if position == start { throw error("a JSON value") }
      }
    } while depth > 0
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func take(word: StaticString) -> Bool {
    _ = next
    let isNext = bytes[position...].starts(
      with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    if isNext { position += word.utf8CodeUnitCount }
    return isNext
  }

  /// Returns an error at the position, with the text found there.
  func error(_ expected: String) -> JSONError {
    guard position < bytes.count else {
      return JSONError(offset: position, found: "the end of the text", expected: expected)
    }
    let word = bytes[position...].prefix(20).prefix { $0 > 0x20 && !",:]}".utf8.contains($0) }
    let shown = String(validating: word.isEmpty ? bytes[position...position] : word, as: UTF8.self)
    return JSONError(offset: position, found: shown.map { "'\($0)'" } ?? "bytes that are not UTF-8", expected: expected)
  }

  private mutating func skipString() throws(JSONError) {
    let opening = position
    position += 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < bytes.count else { throw unended(opening) }
    position += 1
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private static func isPartOfWord(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || isPartOfNumber(byte)
  }
}
