/// Random values of types, preferring those that functions often handle wrongly: 0, 1, -1, limits, empty texts.
extension Dice {
  /// Returns a random number of elements below 300, with a preference for 0 and 1.
  mutating func count() -> Int { roll(4) == 0 ? roll(2) : roll(300) }

  /// Returns a random value in its C form; `nil` for a type whose values cannot be generated.
  mutating func bytes(of type: ValueType) -> [UInt8]? {
    switch type {
    case .scalar(let scalar): return bytes(of: scalar)
    case .array(let element, let count):
      var all: [UInt8] = []
      for _ in 0..<count {
        guard let bytes = bytes(of: element) else { return nil }
        all += bytes
      }
      return all
    case .inlineText(let size):
      let text = Array(self.text().prefix(size - 1))
      return text + [UInt8](repeating: 0, count: size - text.count)
    case .structure(let structure):
      guard let layout = StructLayout(structure) else { return nil }
      var all = [UInt8](repeating: 0, count: layout.whole.size)
      // Data behind an address are left out, and their count is 0.
      let counts = Set(structure.fields.compactMap(\.type.countName))
      for (field, offset) in zip(structure.fields, layout.offsets) where !counts.contains(field.name) {
        guard let bytes = bytes(of: field.type) else { return nil }
        all.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      }
      return all
    case .optional(let type) where type.isAddress: return [UInt8](repeating: 0, count: 8)
    default: return nil
    }
  }

  private mutating func bytes(of type: ScalarType) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: type.size) { bytes, count in
      count = type.size
      guard let memory = UnsafeMutableRawPointer(bytes.baseAddress) else { return }
      switch type.form {
      case .bool: type.store(bits: Int64(roll(2)), at: memory)
      case .float: _ = type.store(.double(number()), at: memory)
      case .signed, .unsigned: type.store(bits: integer(), at: memory)
      }
    }
  }

  /// Texts of languages that libraries parse.
  private static let sources = [
    "<a b=\"c\">d</a>", "{\"a\": [1]}", "SELECT 1", "(a (b c))", "http://a.b/c?d=e", "2001-02-03", "[a]",
  ]

  /// Returns a text with its NUL.
  mutating func text() -> [UInt8] {
    let texts =
      ["", "a", "text", "12", "-1.5e3", "/nonexistent/file", "/etc/passwd", "/dev/null", "r", "rb", "a=b&c=d", "äö😀"]
      + ["sha256", "RSA", "UTF-8", "xterm", ":memory:", "127.0.0.1", "int"] + Self.sources
    let pick = roll(texts.count + 1)
    let text = pick < texts.count ? texts[pick] : String(repeating: "x", count: roll(200))
    return Array(text.utf8) + [0]
  }

  /// Returns `count` bytes of UTF-8, without a NUL. The last letter may have two bytes: functions that assume a longer
  /// one read beyond the text. Some are a text that libraries parse, with spaces behind it.
  mutating func text(_ count: Int) -> [UInt8] {
    if roll(4) == 0 {
      let source = Array(Self.sources[roll(Self.sources.count)].utf8.prefix(count))
      return source + [UInt8](repeating: 0x20, count: count - source.count)
    }
    let letters = Array("a1 /<%\"".utf8)
    let text = (0..<count).map { _ in letters[roll(letters.count)] }
    return count > 1 && roll(2) == 0 ? text.dropLast(2) + Array("ä".utf8) : text
  }

  private mutating func integer() -> Int64 {
    let few: [Int64] = [0, 1, 2, 3, 4, 7, 8, 10, 16, 32, 64, 100, 255, -1, 1000]
    switch roll(12) {
    case 0: return Int64(bitPattern: next())
    case 1: return Int64(truncatingIfNeeded: next() & 0xFFFF)
    default: return few[roll(few.count)]
    }
  }

  private mutating func number() -> Double {
    let few = [0, 1, -1, 0.5, -2.25, 1e10, 1e-10, .pi, .infinity, .nan, 180]
    return few[roll(few.count)]
  }
}
