/// UTF-8 as in table 3-7 of Unicode 15: no overlong forms, no surrogates, nothing above U+10FFFF.
///
/// The standard library's own check is not part of Embedded Swift.
package enum Text {
  /// Whether the bytes are well-formed.
  package static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool { unsafe validPrefix(bytes) == bytes.count }

  /// The number of bytes before the first character that is malformed or truncated.
  static func validPrefix(_ bytes: UnsafeRawBufferPointer) -> Int {
    var index = 0
    while index < bytes.count {
      let first = unsafe bytes[index]
      guard first >= 0x80 else {
        index += 1
        continue
      }
      let rest: Int
      var second: ClosedRange<UInt8> = 0x80...0xbf
      switch first {
      case 0xc2...0xdf: rest = 1
      case 0xe0: (rest, second) = (2, 0xa0...0xbf)
      case 0xed: (rest, second) = (2, 0x80...0x9f)
      case 0xe1...0xef: rest = 2
      case 0xf0: (rest, second) = (3, 0x90...0xbf)
      case 0xf1...0xf3: rest = 3
      case 0xf4: (rest, second) = (3, 0x80...0x8f)
      default: return index
      }
      guard bytes.count - index > rest, unsafe second.contains(bytes[index + 1]) else { return index }
      for offset in 1...rest where unsafe bytes[index + offset] & 0xc0 != 0x80 { return index }
      index += rest + 1
    }
    return index
  }

  /// The UTF-8 bytes of a character, the first in the lowest byte, and their number.
  static func encode(_ scalar: UInt32) -> (bytes: UInt32, count: Int) {
    switch scalar {
    case ..<0x80: (scalar, 1)
    case ..<0x800: (0xc0 | scalar >> 6 | (0x80 | scalar & 0x3f) << 8, 2)
    case ..<0x10000:
      (0xe0 | scalar >> 12 | (0x80 | scalar >> 6 & 0x3f) << 8 | (0x80 | scalar & 0x3f) << 16, 3)
    default:
      (
        0xf0 | scalar >> 18 | (0x80 | scalar >> 12 & 0x3f) << 8 | (0x80 | scalar >> 6 & 0x3f) << 16
          | (0x80 | scalar & 0x3f) << 24, 4
      )
    }
  }
}
