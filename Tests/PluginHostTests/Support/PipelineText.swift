@testable import plugin_host

/// Returns the mistakes in a pipeline's text, one line for each: `3:5: message`.
func mistakes(_ body: () throws -> Void) -> [String] {
  do {
    try body()
    return []
  } catch let error as FileMistakes {
    return error.mistakes.sorted { $0.location < $1.location }
      .map { "\($0.location.line):\($0.location.column): \($0.message)" }
  } catch {
    return ["\(error)"]
  }
}

/// Returns a pipeline file with that text.
func source(_ text: String) -> SourceFile { SourceFile(path: "p.yaml", text: text) }
