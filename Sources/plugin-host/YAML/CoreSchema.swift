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
      } else if text.utf8.contains(where: { $0 >= 0x30 && $0 <= 0x39 }), Double(text) != nil {
        guard let number = try? ValueType.f64.value(fromText: text) else { return nil }
        self = number
      } else {
        self = .string(text)
      }
    }
  }

  /// Returns the integer of 64 bits that the text is; nil for other texts.
  static func integer(plain text: String) -> PluginValue? {
    if text.hasPrefix("0o"), text.utf8.dropFirst(2).first != UInt8(ascii: "+") {
      guard let number = UInt64(text.dropFirst(2), radix: 8) else { return nil }
      return Int64(exactly: number).map { .int($0) } ?? .uint(number)
    }
    return [ValueType.i64, .u64].lazy.compactMap { try? $0.value(fromText: text) }.first
  }
}
