/// The error of a malformed signature.
public struct SignatureError: Error, Sendable, Equatable {
  /// The text of the signature.
  public let text: String
  /// The column of the mistake's first character, counted in Unicode scalars from 1.
  public let column: Int
  /// The text found there: "'int32'", "the end of the signature".
  public let found: String
  /// The text expected there.
  public let expected: String
}

extension SignatureError: CustomStringConvertible {
  /// The error in words, then the text, then a caret under the mistake. A long text is reduced to the surroundings of
  /// the mistake.
  public var description: String {
    let scalars = Array(text.unicodeScalars.prefix(column + Self.context))
    let start = column > 2 * Self.context ? column - Self.context : 0
    // Characters that would move the caret from its column are shown as a space.
    let shown = scalars.dropFirst(start).map { $0.properties.isWhitespace || $0.value < 32 ? " " : String($0) }.joined()
    let line = (start > 0 ? "..." : "") + shown
    let caret = String(repeating: " ", count: column - 1 - start + (start > 0 ? 3 : 0)) + "^"
    return "column \(column): found \(found), expected \(expected)\n  \(line)\n  \(caret)"
  }

  /// The number of characters shown on each side of a mistake that is far from the beginning.
  private static var context: Int { 120 }
}
