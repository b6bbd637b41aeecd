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
  /// The mistake in words, then the text, then a caret under the mistake.
  public var description: String {
    // Whatever could move the caret from its column is shown as a space.
    let line = text.unicodeScalars.map { $0.properties.isWhitespace || $0.value < 32 ? " " : String($0) }.joined()
    let caret = String(repeating: " ", count: column - 1) + "^"
    return "column \(column): found \(found), expected \(expected)\n  \(line)\n  \(caret)"
  }
}
