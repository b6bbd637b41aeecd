import CCrypto
import Glibc

/// The SHA-256 of a file's content, as `sha256sum` prints it.
struct ContentHash: Hashable, Sendable, CustomStringConvertible {
  /// 64 hexadecimal digits in lower case.
  let description: String

  /// `nil` if the text does not have that form.
  init?(_ text: String) {
    let lower = text.lowercased()
    guard lower.utf8.count == 64, lower.allSatisfy(\.isHexDigit) else { return nil }
    description = lower
  }

  /// Computes the hash of bytes.
  init(of bytes: [UInt8]) {
    var digest = [UInt8](repeating: 0, count: 32)
    SHA256(bytes, bytes.count, &digest)
    description = Hexadecimal.text(digest)
  }

  /// Computes the hash of an open file's content. The descriptor's offset does not change.
  init(of descriptor: Int32) throws(SystemError) {
    var context = SHA256_CTX()
    SHA256_Init(&context)
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    var offset: off_t = 0
    while true {
      let count = pread(descriptor, &chunk, chunk.count, offset)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .last }
      if count == 0 { break }
      SHA256_Update(&context, &chunk, count)
      offset += off_t(count)
    }
    var digest = [UInt8](repeating: 0, count: 32)
    SHA256_Final(&digest, &context)
    description = Hexadecimal.text(digest)
  }

  /// Computes the hash of the regular file at a path.
  init(path: String) throws(SystemError) {
    let descriptor = try FileBytes.openRegular(path: path)
    defer { close(descriptor) }
    try self.init(of: descriptor)
  }
}

/// Bytes as hexadecimal digits.
enum Hexadecimal {
  static func text(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// Reads pairs of hexadecimal digits; `nil` for other text.
  static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard digits[index].isHexDigit, let byte = UInt8(String(digits[index...index + 1]), radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}
