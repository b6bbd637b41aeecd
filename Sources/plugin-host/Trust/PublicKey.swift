import CCrypto

/// A public key of Ed25519, by which a publisher's signatures are verified.
struct PublicKey: Hashable, Sendable, CustomStringConvertible {
  private let bytes: [UInt8]

  /// The 32 bytes as hexadecimal digits.
  var description: String { Hexadecimal.text(bytes) }

  /// `nil` if these are not 32 bytes.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// Reads a key in the form of `openssl pkey -pubout`, or of 64 hexadecimal digits; `nil` if it is none.
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

  /// Whether a signature of 64 bytes is this publisher's for a content.
  func verifies(_ signature: [UInt8], of content: [UInt8]) -> Bool {
    // Without the configuration of the system, which could name libraries to be loaded.
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil)
    guard signature.count == 64, let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count),
      let context = EVP_MD_CTX_new()
    else { return false }
    defer {
      EVP_MD_CTX_free(context)
      EVP_PKEY_free(key)
    }
    return EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1
      && EVP_DigestVerify(context, signature, signature.count, content, content.count) == 1
  }

  private static func base64(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: text.utf8.count)
    let count = EVP_DecodeBlock(&bytes, Array(text.utf8), Int32(text.utf8.count))
    guard count >= 0 else { return nil }
    return Array(bytes.prefix(Int(count) - text.reversed().prefix { $0 == "=" }.count))
  }
}
