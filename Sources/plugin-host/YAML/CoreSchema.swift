import PluginRuntime

extension PluginValue {
  /// The value of a scalar without quotes, by the core schema of YAML 1.2. Nil for a number that no type holds.
  init?(plain text: String) {
    switch text {
    case _ where YAMLNode.Content.nulls.contains(text): self = .void
    case "true", "True", "TRUE": self = .bool(true)
    case "false", "False", "FALSE": self = .bool(false)
    case ".nan", ".NaN", ".NAN": self = .double(.nan)
    case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": self = .double(.infinity)
    case "-.inf", "-.Inf", "-.INF": self = .double(-.infinity)
    default:
      if let number = Self.integer(plain: text) {
        self = number
      } else if Self.isNumeral(text) {
        guard let number = try? ValueType.f64.value(fromText: text) else { return nil }
        self = number
      } else {
        self = .string(text)
      }
    }
  }

  /// Returns the integer of 64 bits that the text is; nil for other texts.
  static func integer(plain text: String) -> PluginValue? {
    let radix = text.hasPrefix("0o") ? 8 : text.hasPrefix("0x") ? 16 : 10
    let digits = radix == 10 ? text[...] : text.dropFirst(2)
    // Only decimal numbers have a sign.
    if radix != 10, ["+", "-"].contains(digits.first) { return nil }
    guard let number = Int128(digits, radix: radix) else { return nil }
    return Int64(exactly: number).map { .int($0) } ?? UInt64(exactly: number).map { .uint($0) }
  }

  /// Whether the text is a number in decimal digits, of any size.
  private static func isNumeral(_ text: String) -> Bool {
    text.utf8.allSatisfy { "+-.eE0123456789".utf8.contains($0) } && Double(text) != nil
  }
}
