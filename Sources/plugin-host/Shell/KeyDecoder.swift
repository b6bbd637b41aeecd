/// A key press, decoded from the bytes of a terminal.
enum Key: Equatable {
  case text(String)
  case enter, tab, backspace, delete, interrupt, end, left, right, up, down, home, lineEnd, wordLeft, wordRight
  case killToEnd, killToStart, killWord, clear
  /// A key without a meaning here.
  case other
}

/// Decodes the bytes of a terminal to keys: UTF-8, control characters, and the escape sequences of xterm and VT220.
struct KeyDecoder {
  private var pending: [UInt8] = []

  /// Takes the next byte. Returns a key if one is complete.
  mutating func key(_ byte: UInt8) -> Key? {
    pending.append(byte)
    guard let key = Self.decode(pending) else { return nil }
    pending = []
    return key
  }

  /// Returns the key of a whole sequence; nil if more bytes belong to it.
  private static func decode(_ bytes: [UInt8]) -> Key? {
    let first = bytes[0]
    if first == 0x1B { return escape(Array(bytes.dropFirst())) }
    if first < 0x20 || first == 0x7F { return controls[first] ?? .other }
    let length = first < 0xC0 || first >= 0xF8 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard bytes.count >= length else { return nil }
    return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .other
  }

  private static func escape(_ bytes: [UInt8]) -> Key? {
    guard let first = bytes.first else { return nil }
    switch first {
    case UInt8(ascii: "b"): return .wordLeft
    case UInt8(ascii: "f"): return .wordRight
    case UInt8(ascii: "["), UInt8(ascii: "O"):
      // Parameters, then a letter or "~".
      guard let last = bytes.dropFirst().last, 0x40...0x7E ~= last else { return bytes.count > 16 ? .other : nil }
      return sequences[String(decoding: bytes.dropFirst(), as: UTF8.self)] ?? .other
    default: return .other
    }
  }

  private static let controls: [UInt8: Key] = [
    // Linux's code for a Ctrl-D that was typed while a call ran.
    0x00: .end,
    0x01: .home, 0x02: .left, 0x03: .interrupt, 0x04: .end, 0x05: .lineEnd, 0x06: .right, 0x08: .backspace, 0x09: .tab,
    0x0A: .enter, 0x0B: .killToEnd, 0x0C: .clear, 0x0D: .enter, 0x0E: .down, 0x10: .up, 0x15: .killToStart,
    0x17: .killWord, 0x7F: .backspace,
  ]

  private static let sequences: [String: Key] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .lineEnd, "1~": .home, "7~": .home, "4~": .lineEnd,
    "8~": .lineEnd, "3~": .delete, "1;5C": .wordRight, "1;5D": .wordLeft, "1;3C": .wordRight, "1;3D": .wordLeft,
  ]
}
