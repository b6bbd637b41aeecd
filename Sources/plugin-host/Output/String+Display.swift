extension Unicode.Scalar {
  /// Whether a terminal may interpret the scalar as a command: C0, DEL and C1.
  var isControl: Bool { value < 0x20 || (0x7F...0x9F).contains(value) }

  /// Whether the scalar can change the display of a line: a control character, which may be a command for the terminal,
  /// or an embedding, override or isolate of Unicode Standard Annex 9, which changes the order of the text.
  var isHarmful: Bool { isControl || (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value) }

  /// The width in terminal columns: 0 for a combining scalar, 2 for wide East Asian letters and emoji.
  var columns: Int {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format, .control: return 0
    default: return Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
  }

  /// The blocks whose letters are wide or full-width (Unicode Standard Annex 11).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
    0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
  ]
}

extension String {
  /// The text on one line, with a space for each run of harmful characters, such as line breaks and the beginnings of
  /// escape sequences: a terminal must not obey a plugin's text. Secrets are hidden, and a text of megabytes is cut.
  var displayLine: String { Redaction.apply(self).cut.singleLine }

  /// The length in bytes after which a plugin's line or message is cut.
  static let longestLine = 1 << 20

  /// The text, cut after the longest line, with the number of bytes that are left out.
  var cut: String {
    let rest = utf8.count - Self.longestLine
    guard rest > 0 else { return self }
    return "\(String(decoding: utf8.prefix(Self.longestLine), as: UTF8.self))... (\(rest) more bytes)"
  }

  /// The text with each harmful character except tab replaced by a space, so that a terminal can show a line that a
  /// plugin wrote.
  var harmlessLine: String {
    guard unicodeScalars.contains(where: \.isHarmful) else { return self }
    var line = String.UnicodeScalarView()
    for scalar in unicodeScalars { line.append(scalar.isHarmful && scalar != "\t" ? " " : scalar) }
    return String(line)
  }

  /// The text with a space for each run of harmful characters.
  var singleLine: String {
    var line = ""
    var gap = false
    for scalar in unicodeScalars {
      if scalar.isHarmful {
        gap = true
      } else {
        if gap && !line.isEmpty { line += " " }
        gap = false
        line.unicodeScalars.append(scalar)
      }
    }
    return line
  }

  /// The width in terminal columns.
  var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

  /// Truncates the text to at most `width` columns; `mark` replaces the rest.
  func truncated(to width: Int, mark: String = "…") -> String {
    guard start(of: width) != nil else { return self }
    let capacity = width - mark.columns
    guard capacity >= 0 else { return "" }
    return (start(of: capacity) ?? self) + mark
  }

  /// Returns the beginning of the text that fills at most `width` columns; nil if all of it fits. Reads no further than
  /// that.
  private func start(of width: Int) -> String? {
    var used = 0
    for index in unicodeScalars.indices {
      used += unicodeScalars[index].columns
      if used > width { return String(unicodeScalars[..<index]) }
    }
    return nil
  }

  /// Pads the text with spaces to `width` columns.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - columns))
  }
}
