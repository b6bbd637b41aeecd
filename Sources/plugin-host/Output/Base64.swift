/// Base64 as RFC 4648 section 4 defines it, padded, without line breaks.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { output in
      var end = 0
      for start in stride(from: 0, to: bytes.count, by: 3) {
        let count = min(3, bytes.count - start)
        var group: UInt32 = 0
        for index in 0..<3 { group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0) }
        for index in 0..<4 {
          let symbol = alphabet[Int(group >> (18 - 6 * UInt32(index)) & 63)]
          output[end] = index <= count ? symbol : UInt8(ascii: "=")
          end += 1
        }
      }
      return end
    }
  }
}
