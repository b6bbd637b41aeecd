/// Writes arbitrary texts as YAML.
enum YAMLText {
  /// Returns a scalar in quotes: in double quotes, with escapes, if it has characters that break lines or cannot be
  /// printed.
  static func quoted(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: needsEscape) else {
      return "'\(text.replacing("'", with: "''"))'"
    }
    return "\"" + text.unicodeScalars.map(escaped).joined() + "\""
  }

  /// Returns a comment, on one line.
  static func comment(_ text: String) -> String {
    "# " + String(String.UnicodeScalarView(text.unicodeScalars.map { needsEscape($0) ? " " : $0 }))
  }

  /// Whether a scalar is harmful, or ends a line or begins a file in YAML.
  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isHarmful || ["\u{2028}", "\u{2029}", "\u{FEFF}", "\u{FFFE}", "\u{FFFF}"].contains(scalar)
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
    guard needsEscape(scalar) else { return String(scalar) }
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
