/// A mistake in the text of a signature.
public struct SignatureError: Error, Sendable, Equatable {
  /// The text with the mistake.
  public let text: String
  /// Where it is: the column of its first character; the first column is 1.
  public let column: Int
  /// What stands there: "'int32'", "the end of the signature".
  public let found: String
  /// What should stand there.
  public let expected: String
}

extension SignatureError: CustomStringConvertible {
  /// The mistake in words, then the text, then a caret under the mistake. Of a long text only what is around it.
  public var description: String {
    let scalars = Array(text.unicodeScalars.prefix(column + Self.context))
    let start = column > 2 * Self.context ? column - Self.context : 0
    // Whatever could move the caret from its column is shown as a space.
    let shown = scalars.dropFirst(start).map { $0.properties.isWhitespace || $0.value < 32 ? " " : String($0) }.joined()
    let line = (start > 0 ? "..." : "") + shown
    let caret = String(repeating: " ", count: column - 1 - start + (start > 0 ? 3 : 0)) + "^"
    return "column \(column): found \(found), expected \(expected)\n  \(line)\n  \(caret)"
  }

  /// How much of the text is shown on each side of a mistake that is far from the beginning.
  private static var context: Int { 120 }
}
