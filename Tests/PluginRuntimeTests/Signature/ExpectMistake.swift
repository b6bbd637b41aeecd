import PluginRuntime
import Testing

/// Expects a mistake in a signature at a column, with parts of its message.
func expectMistake(
  _ text: String, _ column: Int, _ found: String, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let error = #expect(throws: SignatureError.self, "\(text)", sourceLocation: sourceLocation) {
    try Signature(parsing: text)
  }
  guard let error else { return }
  #expect(error.text == text, sourceLocation: sourceLocation)
  #expect(error.column == column, "\(error)", sourceLocation: sourceLocation)
  #expect(found.isEmpty || error.found.contains(found), "\(error)", sourceLocation: sourceLocation)
  #expect(error.expected.contains(expected), "\(error)", sourceLocation: sourceLocation)
}
