extension String {
  /// Cuts the text at the first such scalar; `nil` if there is none. The second part may begin with a mark, which would
  /// make one character with the scalar.
  func cut(at separator: Unicode.Scalar) -> (before: String, after: String)? {
    guard let place = unicodeScalars.firstIndex(of: separator) else { return nil }
    return (String(unicodeScalars[..<place]), String(unicodeScalars[place...].dropFirst()))
  }
}
