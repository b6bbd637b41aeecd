import PluginRuntime

extension Failure {
  /// Makes a failure of the error, on one line after `place`. A mistake in a signature has two more lines: the text and
  /// the mark under it.
  init(_ status: ExitStatus, _ error: PluginError, place: String = "") {
    var sentence = "\(place)\(error)"
    var excerpt: [String] = []
    if case .badSignature = error.kind {
      let lines = sentence.split(separator: "\n", omittingEmptySubsequences: false)
      sentence = lines.dropLast(2).joined(separator: "\n")
      excerpt = lines.suffix(2).map { String($0).harmlessLine }
    }
    self.init(status, lines: ["plugin-host: " + sentence.displayLine] + excerpt)
  }
}
