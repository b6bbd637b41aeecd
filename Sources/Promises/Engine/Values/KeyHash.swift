import CPlatform
import Synchronization

/// SipHash-1-3 of a map's keys, with a secret of this process. Keys come from files and networks: with a known
/// function, an attacker could choose them so that all collide.
enum KeyHash {
  private static let secret = Atomic<UInt64>(0)

  static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 { unsafe of(bytes, key()) }

  static func of(_ bytes: UnsafeRawBufferPointer, _ key: UInt64) -> UInt32 {
    var state = State(key)
    let words = bytes.count / 8
    for word in 0..<words {
      state.add(UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: word * 8, as: UInt64.self)))
    }
    var last = UInt64(truncatingIfNeeded: bytes.count) << 56
    for offset in 0..<bytes.count & 7 { last |= unsafe UInt64(bytes[words * 8 + offset]) << UInt64(offset * 8) }
    state.add(last)
    return state.end()
  }

  private static func key() -> UInt64 {
    var known = secret.load(ordering: .relaxed)
    while known == 0 {
      // The first thread chooses the secret for all. Relaxed, because the word itself is all that is shared.
      let chosen = platform_random() | 1
      let (exchanged, original) = secret.weakCompareExchange(expected: 0, desired: chosen, ordering: .relaxed)
      known = exchanged ? chosen : original
    }
    return known
  }

  private struct State {
    var (a, b, c, d): (UInt64, UInt64, UInt64, UInt64)

    init(_ key: UInt64) {
      // The second half of the key is the first half, mixed.
      let other = (key ^ key >> 31) &* 0x9e37_79b9_7f4a_7c15
      a = key ^ 0x736f_6d65_7073_6575
      b = other ^ 0x646f_7261_6e64_6f6d
      c = key ^ 0x6c79_6765_6e65_7261
      d = other ^ 0x7465_6462_7974_6573
    }

    mutating func add(_ word: UInt64) {
      d ^= word
      round()
      a ^= word
    }

    mutating func end() -> UInt32 {
      c ^= 0xff
      for _ in 0..<3 { round() }
      let hash = a ^ b ^ c ^ d
      return UInt32(truncatingIfNeeded: hash ^ hash >> 32)
    }

    private mutating func round() {
      a = a &+ b
      c = c &+ d
      b = b << 13 | b >> 51
      d = d << 16 | d >> 48
      b ^= a
      d ^= c
      a = a << 32 | a >> 32
      a = a &+ d
      c = c &+ b
      b = b << 17 | b >> 47
      d = d << 21 | d >> 43
      b ^= c
      d ^= a
      c = c << 32 | c >> 32
    }
  }
}
