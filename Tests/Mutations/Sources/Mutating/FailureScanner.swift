/// Finds the first failure in the output of Swift Testing, which comes in pieces.
package struct FailureScanner {
  /// The beginning of a line whose end has not arrived.
  private var rest: [UInt8] = []
  /// Whether a test has failed.
  package private(set) var hasFailure = false

  package init() {}

  /// Takes the next piece of the output.
  package mutating func take(_ piece: some Collection<UInt8>) {
    guard !hasFailure else { return }
    rest += piece
    guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { return }
    for line in rest[..<end].split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line, as: UTF8.self)
      if Self.isFailure(text) { hasFailure = true }
    }
    rest.removeSubrange(...end)
  }

  /// Whether a line reports a failure, which is neither a warning nor a known issue. A test may have written other text
  /// before the report, without a line break. The mark may be coloured.
  static func isFailure(_ line: String) -> Bool {
    guard line.contains("✘") else { return false }
    let plain = line.replacing(/\u{1B}\[[0-9;]*m/, with: "")
    guard let mark = plain.firstRange(of: "✘ ") else { return false }
    let report = plain[mark.upperBound...]
    return ["Test ", "Suite "].contains { report.hasPrefix($0) }
      && [" recorded an issue ", " failed after "].contains { report.contains($0) }
  }
}
