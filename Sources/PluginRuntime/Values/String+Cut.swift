extension String {
  /// Cuts the text at the first such scalar; `nil` if there is none. The second part may begin with a mark, which would
  /// make one character with the scalar.
  package func cut(at separator: Unicode.Scalar) -> (before: String, after: String)? {
    guard let place = unicodeScalars.firstIndex(of: separator) else { return nil }
    return (String(unicodeScalars[..<place]), String(unicodeScalars[place...].dropFirst()))
  }

  /// Cuts the text at the last such scalar; `nil` if there is none.
  package func cut(atLast separator: Unicode.Scalar) -> (before: String, after: String)? {
    guard let place = unicodeScalars.lastIndex(of: separator) else { return nil }
    return (String(unicodeScalars[..<place]), String(unicodeScalars[place...].dropFirst()))
  }

  /// Splits the text at each such scalar, also if a mark follows it. Empty parts are left out.
  package func parts(separatedBy separator: Unicode.Scalar) -> [String] {
    unicodeScalars.split(separator: separator).map { String($0) }
  }
}
