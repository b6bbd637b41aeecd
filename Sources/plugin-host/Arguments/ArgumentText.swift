import Glibc
import PluginRuntime
import Synchronization

/// The meaning of the text of an argument, on the command line and in a pipeline file.
enum ArgumentText: Equatable, Sendable {
  /// The text itself.
  case literal(String)
  /// `@PATH`: the content of a file; for an `fd`, the file itself.
  case file(String)
  /// `-` or `@-`: standard input, to its end; for an `fd`, its descriptor.
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

  /// Makes the argument for a parameter of the type. Reads or opens files now, and by the deadline, because that waits
  /// for another program if the file is a FIFO.
  func content(
    for type: ValueType? = nil, by deadline: ContinuousClock.Instant? = nil
  ) throws(UnreadableInput) -> Argument.Content {
    if type == .fd { return .value(.file(try openFile(by: deadline))) }
    switch self {
    case .literal(let text):
      return RawText.isText(text) ? .text(RawText.string(text)) : .contents(RawText.bytes(of: text))
    case .file(let path):
      return .contents(
        try Self.bytes(of: path) { () throws(SystemError) in try FileBytes.read(path: path, by: deadline) })
    case .standardInput:
      return .contents(
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

extension ArgumentText {
  private func openFile(by deadline: ContinuousClock.Instant?) throws(UnreadableInput) -> OpenFile {
    var source = "standard input"
    do {
      switch self {
      case .standardInput: return try OpenFile(duplicating: STDIN_FILENO)
      case .literal(let text):
        throw UnreadableInput(
          message: "\(PluginValue.string(text).json) is not an open file: write @PATH to read a file, @write:PATH or "
            + "@append:PATH to write one, or - for standard input")
      case .file(let text):
        let file = ArgumentFile(text)
        source = file.path.isEmpty ? "a path is missing behind @" : file.path
        return try file.open(by: deadline)
      }
    } catch let error as SystemError {
      throw UnreadableInput(message: "\(source): \(error)", isLate: error.code == ETIMEDOUT)
    } catch let error as ArgumentMismatch {
      throw UnreadableInput(message: "\(source) \(error.message)")
    } catch {
      throw error as? UnreadableInput ?? UnreadableInput(message: "\(source): \(error)")
    }
  }
}

/// The text behind the `@` of an argument for an `fd`: `PATH` to read the file, `write:PATH` to write to it from its
/// beginning, emptied or new, and `append:PATH` to write behind its end.
private struct ArgumentFile {
  /// The flags to write the file; `nil` to read it.
  private var flags: Int32?
  private(set) var path: String

  init(_ text: String) {
    path = text
    for (word, flags) in [("write:", 0), ("append:", O_APPEND)] where text.hasPrefix(word) {
      (path, self.flags) = (String(text.dropFirst(word.count)), flags)
    }
  }

  func open(by deadline: ContinuousClock.Instant?) throws -> OpenFile {
    guard let flags else { return try OpenFile(taking: try FileBytes.openToPass(path: path, by: deadline)) }
    let path = Directory.absolute(path)
    // A plugin may have left a FIFO in its folder that nobody opens for reading.
    if let place = try WritableFolders.place(of: path, followsLast: true) {
      let descriptor =
        flags == 0 ? try place.openNew() : try place.open(O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK, mode: 0o666)
      _ = fcntl(descriptor, F_SETFL, flags)
      return try OpenFile(taking: descriptor)
    }
    let descriptor = try FileBytes.openToWrite(path: path, flags: flags, by: deadline)
    if deadline != nil { _ = fcntl(descriptor, F_SETFL, flags) }
    return try OpenFile(taking: descriptor)
  }
}

/// The error for an argument whose file cannot be read.
struct UnreadableInput: Error, Equatable, CustomStringConvertible {
  var message: String
  /// Whether the deadline passed before the file was read.
  var isLate = false

  var description: String { message }

  /// Returns the error with the name of the argument.
  func naming(_ parameter: Parameter) -> UnreadableInput {
    UnreadableInput(message: "argument '\(parameter.name)': \(message)", isLate: isLate)
  }
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
