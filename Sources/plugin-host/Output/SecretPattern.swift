/// The forms of a secret in output: as it is, and in JSON within JSON at any depth.
///
/// Each depth doubles the backslashes and adds one before a quote: `"`, `\"`, `\\\"`. So a run of backslashes matches
/// if it is at least as long as in the secret.
struct SecretPattern: Sendable {
  let text: String
  private let parts: [Part]
  /// The number of backslashes after the last part.
  private let last: Int

  /// A scalar, and the backslashes before it.
  private struct Part: Sendable {
    var backslashes: Int
    var bytes: [UInt8]
    /// Its code units of UTF-16, for `\u0022`.
    var units: [UInt16]
    /// The letter of its short escape: the n of `\n`.
    var letter: UInt8?
    /// Whether backslashes may stand before the scalar itself.
    var isQuoted: Bool

    init(_ scalar: Unicode.Scalar, after backslashes: Int) {
      self.backslashes = backslashes
      bytes = Array(String(scalar).utf8)
      units = Array(String(scalar).utf16)
      letter = Self.letters[scalar]
      isQuoted = backslashes > 0 || scalar == "\"" || scalar == "/"
    }

    private static let letters: [Unicode.Scalar: UInt8] = [
      "\u{8}": UInt8(ascii: "b"), "\t": UInt8(ascii: "t"), "\n": UInt8(ascii: "n"), "\u{C}": UInt8(ascii: "f"),
      "\r": UInt8(ascii: "r"),
    ]
  }

  /// `text` must not be empty.
  init(_ text: String) {
    self.text = text
    var parts: [Part] = []
    var run = 0
    for scalar in text.unicodeScalars {
      if scalar == "\\" {
        run += 1
      } else {
        parts.append(Part(scalar, after: run))
        run = 0
      }
    }
    self.parts = parts
    last = run
  }

  func occurs(in bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { first(in: $0, from: 0) } != nil
  }

  /// The bytes with `replacement` in place of each occurrence.
  func replacing(in bytes: [UInt8], with replacement: [UInt8]) -> [UInt8] {
    bytes.withUnsafeBufferPointer { buffer in
      guard var next = first(in: buffer, from: 0) else { return bytes }
      var result: [UInt8] = []
      var start = 0
      while true {
        result += buffer[start..<next.lowerBound]
        result += replacement
        start = next.upperBound
        guard let found = first(in: buffer, from: start) else { return result + buffer[start...] }
        next = found
      }
    }
  }

  private typealias Buffer = UnsafeBufferPointer<UInt8>

  private func first(in bytes: Buffer, from start: Int) -> Range<Int>? {
    let first = parts.first.flatMap { $0.backslashes == 0 ? $0.bytes[0] : nil } ?? Self.backslash
    for place in start..<bytes.count where bytes[place] == first || bytes[place] == Self.backslash {
      // An occurrence begins with the whole run of backslashes before it, which may be long.
      if place > start, bytes[place] == Self.backslash, bytes[place - 1] == Self.backslash { continue }
      if let end = end(in: bytes, from: place) { return place..<end }
    }
    return nil
  }

  /// The end of an occurrence that begins at `start`.
  private func end(in bytes: Buffer, from start: Int) -> Int? {
    var place = start
    for part in parts {
      let run = Self.run(in: bytes, at: place)
      guard run >= part.backslashes else { return nil }
      place += run
      let isEscaped = run > part.backslashes
      if !isEscaped || part.isQuoted, bytes[place...].starts(with: part.bytes) {
        place += part.bytes.count
      } else if isEscaped, let letter = part.letter, place < bytes.count, bytes[place] == letter {
        place += 1
      } else if isEscaped, let end = Self.end(of: part.units, in: bytes, from: place) {
        place = end
      } else {
        return nil
      }
    }
    guard last > 0 else { return place }
    // The rest of the run belongs to the character after the secret.
    let run = Self.run(in: bytes, at: place)
    var own = last
    guard run >= own else { return nil }
    while own * 2 <= run { own *= 2 }
    return place + own
  }

  private static let backslash = UInt8(ascii: "\\")

  private static func run(in bytes: Buffer, at start: Int) -> Int {
    var end = start
    while end < bytes.count, bytes[end] == backslash { end += 1 }
    return end - start
  }

  /// The end of code units as `u0022`, with backslashes between two of them. The place is after the first backslashes.
  private static func end(of units: [UInt16], in bytes: Buffer, from start: Int) -> Int? {
    var place = start
    for unit in units {
      place += run(in: bytes, at: place)
      guard place + 5 <= bytes.count, bytes[place] == UInt8(ascii: "u"),
        UInt16(String(decoding: bytes[place + 1..<place + 5], as: UTF8.self), radix: 16) == unit
      else { return nil }
      place += 5
    }
    return place
  }
}
