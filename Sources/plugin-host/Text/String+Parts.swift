extension String {
  /// Returns the parts that are not empty, as `split(separator:)` does: one function, of which the compiler makes no copy
  /// for each separator.
  @inline(never)
  func parts(at separator: Character) -> [Substring] { split(separator: separator) }
}
