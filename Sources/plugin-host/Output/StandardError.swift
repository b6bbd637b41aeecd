import Glibc

/// Lines for people, on standard error.
enum StandardError {
  /// Writes each of `lines` and a line break. Text that cannot be written is lost: no other place could show the error.
  static func write(lines: [String]) {
    write(lines.map { $0 + "\n" }.joined())
  }

  /// Writes `text` in one piece, so that lines of several threads do not mix.
  static func write(_ text: String) {
    try? FileBytes.write(Redaction.apply(RawText.string(text)).utf8, to: STDERR_FILENO)
  }

  /// Writes a line of JSON. The caller removes secrets from its values: removed from the text, a secret that is equal
  /// to a key or a bracket would damage the JSON.
  static func write(_ json: JSON) {
    try? FileBytes.write((RawText.string(json.text) + "\n").utf8, to: STDERR_FILENO)
  }
}
