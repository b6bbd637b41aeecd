import CCrypto

/// A SHA-256 digest.
struct Digest: Hashable, Sendable {
  let bytes: [UInt8]

  /// Nil unless there are 32 bytes.
  init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// Computes the digest of everything that `add` appends.
  init(_ add: (inout Hasher) throws -> Void) rethrows {
    var hasher = Hasher()
    try add(&hasher)
    bytes = hasher.finish()
  }

  var hexadecimal: String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

extension Digest {
  /// Computes a digest of parts. Each part is preceded by its length, so that different lists of parts have different
  /// digests.
  struct Hasher {
    private var context = SHA256_CTX()

    init() { SHA256_Init(&context) }

    mutating func add(_ bytes: [UInt8]) {
      withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { _ = SHA256_Update(&context, $0.baseAddress, $0.count) }
      bytes.withUnsafeBytes { _ = SHA256_Update(&context, $0.baseAddress, $0.count) }
    }

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    fileprivate mutating func finish() -> [UInt8] {
      var digest = [UInt8](repeating: 0, count: 32)
      SHA256_Final(&digest, &context)
      return digest
    }
  }
}
