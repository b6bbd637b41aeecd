import Testing

@testable import Promises

@Suite("Engine: hashes of keys")
struct KeyHashes {
  /// Compares with another implementation of SipHash-1-3, which was checked against the vectors of the paper.
  @Test(
    "a key's hash is its SipHash-1-3",
    arguments: [
      ("", 0x4fa5_2d1b), ("a", 0x5f11_3431), ("name", 0x9a05_2dad), ("12345678", 0xb9ed_cb92),
      ("A key of more than sixteen bytes", 0x889d_b5a2),
    ] as [(String, UInt32)])
  func vectors(key: String, hash: UInt32) {
    let bytes = Array(key.utf8)
    #expect(unsafe bytes.withUnsafeBytes { unsafe KeyHash.of($0, 0x0706_0504_0302_0100) } == hash)
  }
}
