/// Reads JSON front to back without making a tree of it: clang's output about a header has millions of bytes, of which
/// few matter.
struct JSONScanner {
  struct Malformed: Error {
    let offset: Int
  }

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The next character that is not white space; 0 at the end.
  private mutating func next() -> UInt8 {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"): position += 1
      default: return bytes[position]
      }
    }
    return 0
  }

  private mutating func took(_ character: Unicode.Scalar) -> Bool {
    guard next() == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func take(_ character: Unicode.Scalar) throws(Malformed) {
    guard took(character) else { throw Malformed(offset: position) }
  }

  /// The scanner's place in an object or an array. The caller that begins one reads it to its end.
  struct Place {
    fileprivate var isFirst = true
  }

  mutating func beginObject() throws(Malformed) -> Place {
    try take("{")
    return Place()
  }

  /// The key of the next member, whose value has to be read before the one after it; nil at the object's end.
  mutating func key(_ place: inout Place) throws(Malformed) -> String? {
    if took("}") { return nil }
    if !place.isFirst { try take(",") }
    place.isFirst = false
    let key = try string()
    try take(":")
    return key
  }

  mutating func beginArray() throws(Malformed) -> Place {
    try take("[")
    return Place()
  }

  /// Whether there is one more element, which has to be read before the one after it.
  mutating func element(_ place: inout Place) throws(Malformed) -> Bool {
    if took("]") { return false }
    if !place.isFirst { try take(",") }
    place.isFirst = false
    return true
  }

  mutating func string() throws(Malformed) -> String {
    try take("\"")
    let start = position
    while position < bytes.count, bytes[position] != UInt8(ascii: "\""), bytes[position] != UInt8(ascii: "\\") {
      position += 1
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
      position += 1
      return String(decoding: bytes[start..<position - 1], as: UTF8.self)
    }
    var text = Array(bytes[start..<position])
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
      if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
    }
    throw Malformed(offset: position)
  }

  private mutating func escape(into text: inout [UInt8]) throws(Malformed) {
    guard position < bytes.count else { throw Malformed(offset: position) }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "n"): text.append(UInt8(ascii: "\n"))
    case UInt8(ascii: "t"): text.append(UInt8(ascii: "\t"))
    case UInt8(ascii: "r"): text.append(UInt8(ascii: "\r"))
    case UInt8(ascii: "b"): text.append(8)
    case UInt8(ascii: "f"): text.append(12)
    case UInt8(ascii: "u"):
      let end = min(position + 4, bytes.count)
      guard let unit = UInt32(String(decoding: bytes[position..<end], as: UTF8.self), radix: 16) else {
        throw Malformed(offset: position)
      }
      position = end
      // clang writes UTF-8 as it is, and escapes controls alone: a surrogate is none of its making.
      text += Array(String(Unicode.Scalar(unit) ?? "\u{FFFD}").utf8)
    default: text.append(byte)
    }
  }

  /// Reads true or false.
  mutating func bool() throws(Malformed) -> Bool {
    let isTrue = next() == UInt8(ascii: "t")
    try skip()
    return isTrue
  }

  /// Reads a whole number.
  mutating func integer() throws(Malformed) -> Int {
    _ = next()
    let start = position
    try skip()
    guard let number = Int(String(decoding: bytes[start..<position], as: UTF8.self)) else {
      throw Malformed(offset: start)
    }
    return number
  }

  /// Reads a value of any depth, and drops it.
  mutating func skip() throws(Malformed) {
    var depth = 0
    repeat {
      switch next() {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        position += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"): position += 1
      case UInt8(ascii: "\""): try skipString()
      case 0: throw Malformed(offset: position)
      default:
        let start = position
        while position < bytes.count, isWord(bytes[position]) { position += 1 }
        if position == start { throw Malformed(offset: position) }
      }
    } while depth > 0
  }

  private func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "E"),
      UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private mutating func skipString() throws(Malformed) {
    position += 1
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return
      case UInt8(ascii: "\\"): position += 2
      default: position += 1
      }
    }
    throw Malformed(offset: position)
  }
}
