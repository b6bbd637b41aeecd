import CSodium

/// An Ed25519 public key, which verifies a publisher's signatures.
struct PublicKey: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  /// The 32 bytes as hexadecimal digits.
  var description: String { Hexadecimal.text(bytes) }

  /// `nil` unless there are 32 bytes.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// Reads a key in the form of `openssl pkey -pubout`, or of 64 hexadecimal digits; `nil` for other texts.
  init?(text: String) {
    let lines = text.split(whereSeparator: \.isNewline)
    if lines.count == 1, let bytes = Hexadecimal.bytes(lines[0]) {
      self.init(bytes)
      return
    }
    guard lines.first == "-----BEGIN PUBLIC KEY-----", lines.last == "-----END PUBLIC KEY-----",
      let der = Self.base64(lines.dropFirst().dropLast().joined()), der.starts(with: Self.header)
    else { return nil }
    self.init(Array(der.dropFirst(Self.header.count)))
  }

  /// The beginning of each SubjectPublicKeyInfo of Ed25519 (RFC 8410).
  private static let header: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]

  /// Whether a signature of 64 bytes over the content is this publisher's.
  func verifies(_ signature: [UInt8], of content: [UInt8]) -> Bool {
    // -1: the library has no source of random bytes, and may not be used.
    sodium_init() >= 0 && signature.count == crypto_sign_bytes()
      && crypto_sign_verify_detached(signature, content, UInt64(content.count), bytes) == 0
  }

  private static func base64(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: text.utf8.count)
    var count = 0
    guard
      sodium_base642bin(
        &bytes, bytes.count, text, text.utf8.count, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL) == 0
    else { return nil }
    return Array(bytes.prefix(count))
  }
}
