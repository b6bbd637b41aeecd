/// What somebody means by the text of an argument, on the command line and in a pipeline file.
enum ArgumentText: Equatable, Sendable {
  /// The text itself.
  case literal(String)
  /// `@PATH`: the content of a file.
  case file(String)
  /// `-` or `@-`: standard input, to its end.
  case standardInput

  /// A backslash before a leading `@`, `-` or backslash is dropped, and what follows it is the text itself.
  init(_ text: String) {
    switch text {
    case "-", "@-": self = .standardInput
    case _ where text.hasPrefix("@"): self = .file(String(text.dropFirst()))
    case _ where ["\\@", "\\-", "\\\\"].contains(where: text.hasPrefix): self = .literal(String(text.dropFirst()))
    default: self = .literal(text)
    }
  }
}
