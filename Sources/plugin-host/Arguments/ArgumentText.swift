import Glibc
import PluginRuntime
import Synchronization

/// The meaning of the text of an argument, on the command line and in a pipeline file.
enum ArgumentText: Equatable, Sendable {
  /// The text itself.
  case literal(String)
  /// `@PATH`: the content of a file.
  case file(String)
  /// `-` or `@-`: standard input, to its end.
  case standardInput

  /// Parses a text. A backslash before a leading `@`, `-` or backslash is dropped, and the rest is the text itself.
  init(_ text: String) {
    // Compares scalars: a combining character after "@" does not change the meaning of "@".
    let scalars = text.unicodeScalars
    let rest = String(scalars.dropFirst())
    switch scalars.first {
    case "-" where text == "-", "@" where text == "@-": self = .standardInput
    case "@": self = .file(rest)
    case "\\" where rest.unicodeScalars.first.map { ["@", "-", "\\"].contains($0) } ?? false: self = .literal(rest)
    default: self = .literal(text)
    }
  }

  /// Makes the argument of the function. Reads files now, and by the deadline, because a read of a FIFO waits for
  /// another program.
  func content(by deadline: ContinuousClock.Instant? = nil) throws(UnreadableInput) -> Argument.Content {
    switch self {
    case .literal(let text): RawText.isText(text) ? .text(RawText.string(text)) : .contents(RawText.bytes(of: text))
    case .file(let path):
      .contents(try Self.bytes(of: path) { () throws(SystemError) in try FileBytes.read(path: path, by: deadline) })
    case .standardInput:
      .contents(
        try Self.bytes(of: "standard input") { () throws(SystemError) in try StandardInput.bytes(by: deadline) })
    }
  }

  private static func bytes(
    of source: String, _ read: () throws(SystemError) -> [UInt8]
  ) throws(UnreadableInput) -> [UInt8] {
    do {
      return try read()
    } catch {
      let limit = error.code == EFBIG ? ": expected at most \(FileBytes.longest) bytes" : ""
      throw UnreadableInput(
        message: "\(source.isEmpty ? "\"@\" without a path" : source): \(error)\(limit)",
        isLate: error.code == ETIMEDOUT)
    }
  }
}

/// The error for an argument whose file cannot be read.
struct UnreadableInput: Error, Equatable, CustomStringConvertible {
  var message: String
  /// Whether the deadline passed before the file was read.
  var isLate = false

  var description: String { message }
}

/// Standard input, which is read once, so that a repeated call gets the same bytes.
private enum StandardInput {
  private static let content = Mutex<[UInt8]?>(nil)

  static func bytes(by deadline: ContinuousClock.Instant?) throws(SystemError) -> [UInt8] {
    try content.withLock { content throws(SystemError) in
      if let content { return content }
      let bytes = try FileBytes.read(descriptor: STDIN_FILENO, by: deadline)
      content = bytes
      return bytes
    }
  }
}
