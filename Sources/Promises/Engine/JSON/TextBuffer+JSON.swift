extension TextBuffer {
  /// Writes UTF-8 as a JSON string.
  mutating func write(quoted bytes: UnsafeRawBufferPointer, asciiOnly: Bool) {
    write(UInt8(ascii: "\""))
    var index = 0
    var written = 0
    while index < bytes.count {
      let byte = unsafe bytes[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") || (byte >= 0x80 && asciiOnly)
      else {
        index += 1
        continue
      }
      unsafe write(UnsafeRawBufferPointer(rebasing: bytes[written..<index]))
      index += byte < 0x80 ? write(escaped: byte) : unsafe write(escapedCharacterOf: bytes, at: index)
      written = index
    }
    unsafe write(UnsafeRawBufferPointer(rebasing: bytes[written..<index]))
    write(UInt8(ascii: "\""))
  }

  /// Writes a one-byte character as an escape sequence. Returns the length of the character in bytes, as does the next
  /// function.
  private mutating func write(escaped byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\""): write("\\\"")
    case UInt8(ascii: "\\"): write("\\\\")
    case 0x08: write("\\b")
    case 0x0c: write("\\f")
    case 0x0a: write("\\n")
    case 0x0d: write("\\r")
    case 0x09: write("\\t")
    default: write(unit: UInt32(byte))
    }
    return 1
  }

  private mutating func write(escapedCharacterOf bytes: UnsafeRawBufferPointer, at index: Int) -> Int {
    let first = unsafe UInt32(bytes[index])
    // Bounded: bytes that another thread changes while a call copies them need not be UTF-8.
    let length = min(first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4, bytes.count - index)
    var scalar = first & (0x7f >> UInt32(length))
    for offset in 1..<length { scalar = unsafe scalar << 6 | UInt32(bytes[index + offset] & 0x3f) }
    if scalar < 0x10000 {
      write(unit: scalar)
    } else {
      write(unit: 0xd800 + (scalar - 0x10000) >> 10)
      write(unit: 0xdc00 + (scalar - 0x10000) & 0x3ff)
    }
    return length
  }

  private mutating func write(unit: UInt32) {
    write("\\u")
    write(hexadecimal: UInt64(unit), digits: 4)
  }

  /// Writes bytes in base64 with padding (RFC 4648, section 4).
  mutating func write(base64 bytes: UnsafeRawBufferPointer) {
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      var bits: UInt32 = 0
      for offset in 0..<3 { bits = bits << 8 | (offset < count ? unsafe UInt32(bytes[start + offset]) : 0) }
      for digit in 0..<4 {
        write(digit <= count ? TextBuffer.base64Digit(bits >> UInt32(18 - 6 * digit) & 63) : UInt8(ascii: "="))
      }
    }
  }

  private static func base64Digit(_ number: UInt32) -> UInt8 {
    let digits: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return unsafe digits.utf8Start[Int(number)]
  }
}
