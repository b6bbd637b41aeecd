import Glibc
import PluginRuntime

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

  /// What is passed to the function. Files are read now.
  func content() throws(UnreadableInput) -> Argument.Content {
    switch self {
    case .literal(let text): .text(text)
    case .file(let path):
      .contents(try Self.bytes(of: path) { () throws(SystemError) in try FileBytes.read(path: path) })
    case .standardInput:
      .contents(
        try Self.bytes(of: "standard input") { () throws(SystemError) in
          try FileBytes.read(descriptor: STDIN_FILENO)
        })
    }
  }

  private static func bytes(
    of source: String, _ read: () throws(SystemError) -> [UInt8]
  ) throws(UnreadableInput) -> [UInt8] {
    do {
      return try read()
    } catch {
      throw UnreadableInput(message: "\(source.isEmpty ? "\"@\" without a path" : source): \(error)")
    }
  }
}

/// A file that was to be an argument, and why it cannot be read.
struct UnreadableInput: Error, Equatable, CustomStringConvertible {
  var message: String

  var description: String { message }
}
