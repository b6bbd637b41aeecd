/// Base64 by RFC 4648, with padding.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    let length = (bytes.count + 2) / 3 * 4
    return String(unsafeUninitializedCapacity: length) { output in
      var written = 0
      for start in stride(from: 0, to: bytes.count, by: 3) {
        let rest = bytes.count - start
        let second = rest > 1 ? UInt32(bytes[start + 1]) : 0
        let third = rest > 2 ? UInt32(bytes[start + 2]) : 0
        let group = UInt32(bytes[start]) << 16 | second << 8 | third
        for digit in 0..<4 {
          output[written] =
            digit <= rest ? alphabet[Int(group >> UInt32(18 - 6 * digit) & 63)] : UInt8(ascii: "=")
          written += 1
        }
      }
      return written
    }
  }

  /// Decodes padded text; `nil` if it is malformed.
  static func decode(_ text: String) -> [UInt8]? {
    let utf8 = Array(text.utf8)
    guard utf8.count % 4 == 0 else { return nil }
    let padding = utf8.suffix(2).count { $0 == UInt8(ascii: "=") }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count / 4 * 3)
    var group: UInt32 = 0
    for (index, character) in utf8.dropLast(padding).enumerated() {
      guard let digit = values[Int(character)] else { return nil }
      group = group << 6 | digit
      if index % 4 > 0 { bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(6 - 2 * (index % 4)))) }
    }
    // The unused bits of the last digit must be 0, so that each content has only one encoding.
    return group & (1 << UInt32(2 * padding) - 1) == 0 ? bytes : nil
  }

  /// The value of each character as a digit.
  private static let values: [UInt32?] = (0..<256).map { character in
    alphabet.firstIndex(of: UInt8(character)).map { UInt32($0) }
  }
}
