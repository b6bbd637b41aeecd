/// Bytes as text, by RFC 4648 with padding.
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
}
