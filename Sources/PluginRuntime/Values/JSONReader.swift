/// Reads JSON by RFC 8259, in linear time. Names must be unique in their object.
struct JSONReader {
  private let bytes: [UInt8]
  /// The number of bytes read.
  private(set) var position = 0
  private var depth = 0

  /// The maximum nesting depth of values, larger than that of any signature.
  private static let nesting = 128

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Reads one value.
  mutating func value() throws(JSONError) -> JSONText {
    guard depth < Self.nesting else { throw error("values within one another at most \(Self.nesting) times") }
    depth += 1
    defer { depth -= 1 }
    switch next {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case let byte? where byte == UInt8(ascii: "-") || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte:
      return .number(try number())
    case UInt8(ascii: "t") where skip("true"): return .bool(true)
    case UInt8(ascii: "f") where skip("false"): return .bool(false)
    case UInt8(ascii: "n") where skip("null"): return .null
    default: throw error("a value of JSON")
    }
  }

  /// Checks that only white space is left.
  mutating func end() throws(JSONError) {
    if next != nil { throw error("the end of the text") }
  }

  /// The next byte that is not white space. It is not read.
  private var next: UInt8? {
    mutating get {
      while position < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[position]) { position += 1 }
      return position < bytes.count ? bytes[position] : nil
    }
  }

  private mutating func skip(_ word: StaticString) -> Bool {
    let isNext = bytes[position...].starts(
      with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    if isNext { position += word.utf8CodeUnitCount }
    return isNext
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func array() throws(JSONError) -> JSONText {
    position += 1
    var elements: [JSONText] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    repeat { elements.append(try value()) } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "]")) else { throw error("',' or ']'") }
    return .array(elements)
  }

  private mutating func object() throws(JSONError) -> JSONText {
    position += 1
    var members: [(name: String, value: JSONText)] = []
    var names: Set<String> = []
    if take(UInt8(ascii: "}")) { return .object(members) }
    repeat {
      guard next == UInt8(ascii: "\"") else { throw error("a \"name\"") }
      let start = position
      let name = try string()
      guard names.insert(name).inserted else {
        throw JSONError(offset: start, found: "a second \(PluginValue.string(name).json)", expected: "another name")
      }
      guard take(UInt8(ascii: ":")) else { throw error("':'") }
      members.append((name, try value()))
    } while take(UInt8(ascii: ","))
    guard take(UInt8(ascii: "}")) else { throw error("',' or '}'") }
    return .object(members)
  }

  private mutating func number() throws(JSONError) -> String {
    let start = position
    while position < bytes.count, Self.isPartOfNumber(bytes[position]) { position += 1 }
    let digits = String(decoding: bytes[start..<position], as: UTF8.self)
    guard ScalarLiteral.isNumber(digits) else {
      throw JSONError(offset: start, found: "'\(digits.prefix(40))'", expected: "a number of JSON")
    }
    return digits
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  private func error(_ expected: String) -> JSONError {
    guard position < bytes.count else {
      return JSONError(offset: position, found: "the end of the text", expected: expected)
    }
    let word = bytes[position...].prefix(20).prefix { $0 > 0x20 && !",:]}".utf8.contains($0) }
    let shown = String(validating: word.isEmpty ? bytes[position...position] : word, as: UTF8.self)
    return JSONError(offset: position, found: shown.map { "'\($0)'" } ?? "what is no JSON", expected: expected)
  }
}

extension JSONReader {
  /// Reads a string. Its opening quote is next.
  private mutating func string() throws(JSONError) -> String {
    let opening = position
    position += 1
    var utf8: [UInt8] = []
    while position < bytes.count {
      let start = position
      while position < bytes.count, bytes[position] >= 0x20, bytes[position] != UInt8(ascii: "\""),
        bytes[position] != UInt8(ascii: "\\")
      { position += 1 }
      utf8 += bytes[start..<position]
      guard position < bytes.count else { break }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        guard let text = String(validating: utf8, as: UTF8.self) else {
          throw JSONError(offset: opening, found: "a string that is not UTF-8", expected: "UTF-8")
        }
        return text
      case UInt8(ascii: "\\"): utf8 += UTF8.encode(try escape()).unsafelyUnwrapped
      default: throw error("the escape of a control character")
      }
    }
    throw JSONError(
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
