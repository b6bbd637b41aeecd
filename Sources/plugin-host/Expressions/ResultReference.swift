/// The result of a step, or a part of it, as a pipeline file names it.
struct ResultReference: Equatable, Sendable {
  var step: String
  var path = ResultPath()
}

extension ResultReference {
  /// Parses `name`, `name.member` or `name[0].member`.
  init(parsing text: some StringProtocol) throws(ResultPath.PathError) {
    let name = text.prefix { $0 != "." && $0 != "[" }
    guard Name.isValid(String(name)) else {
      throw ResultPath.PathError(message: "\"\(text)\" does not name a step: \(Name.rule)")
    }
    self.init(step: String(name), path: try ResultPath(parsing: text.dropFirst(name.count)))
  }
}
