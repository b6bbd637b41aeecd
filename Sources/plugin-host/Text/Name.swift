/// The names of steps and variables.
enum Name {
  /// Whether `name` is a letter or underscore, then letters, digits, `_` and `-`, all of ASCII.
  static func isValid(_ name: String) -> Bool {
    guard let first = name.utf8.first, isLetter(first) else { return false }
    return name.utf8.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-") }
  }

  static let rule = "a name is a letter or _, then letters, digits, _ and -"

  private static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
  }
}
