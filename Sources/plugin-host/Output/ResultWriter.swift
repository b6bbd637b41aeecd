import Glibc
import PluginRuntime

/// The format of a result.
enum ResultFormat: String, CaseIterable, Sendable {
  /// One line of JSON.
  case json
  /// Text and bytes as they are.
  case raw
  /// Rows and columns for people.
  case table

  func bytes(of value: PluginValue) -> [UInt8] {
    switch self {
    case .json: Array((value.json + "\n").utf8)
    case .raw: value.raw
    case .table: Array(ResultTable.text(value).utf8)
    }
  }
}

/// Writes the result of a call or a pipeline to standard output or a file.
struct ResultWriter: Sendable {
  var format: ResultFormat
  /// A file instead of standard output; `-` is standard output, even if it is a terminal.
  var path: String?
  /// The time in which another process has to take the result from a pipe; nil: any.
  var limit: Duration?

  /// Writes a result, printed as its type requires.
  func write(_ value: PluginValue, of shape: ResultShape) throws(Failure) {
    // Checked here, because the formats change the form of bytes.
    guard isForFile || !Redaction.isNeeded(in: value) else { throw Self.secret }
    if format == .raw, case .bytes(let bytes) = value { return try write(bytes: bytes) }
    try write(bytes: format.bytes(of: shape.printed(value)))
  }

  func write(_ value: PluginValue) throws(Failure) {
    try write(bytes: format.bytes(of: value))
  }

  private static var secret: Failure {
    Failure(
      .rejected, "a secret is in the result, and secrets are not printed; write it to a file with --output FILE")
  }

  /// Rejects a folder, and a file that cannot be made or written to, before the work starts. Other errors, such as a
  /// full disk, are noticed when the result is written.
  func checkDestination() throws(Failure) {
    guard let path, descriptor == nil else { return }
    guard !path.isEmpty else { throw Failure(.usage, "--output \"\": expected the name of a file") }
    guard let code = FileReplacement.obstacle(to: path) else { return }
    throw Failure(.rejected, "the result cannot be written: \(path): \(SystemError(code: code))".displayLine)
  }

  /// Writes formatted bytes.
  func write(bytes: [UInt8]) throws(Failure) {
    let deadline = limit.map { ContinuousClock.now + $0 }
    do {
      guard isForFile || !Redaction.isNeeded(in: bytes) else { throw Self.secret }
      if let descriptor {
        try refuseBinary(bytes)
        try FileBytes.write(bytes, to: descriptor, by: deadline)
      } else if let path {
        try FileReplacement.write(bytes, to: path, by: deadline)
      }
    } catch let error as SystemError {
      throw Failure(
        error, else: .rejected, "the result cannot be written: \(path.map { "\($0): " } ?? "")\(error)")
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.rejected, "\(error)")
    }
  }

  /// The descriptor that the result is written to; nil if it is written to a file by its name.
  private var descriptor: Int32? {
    guard let path, path != "-" else { return StandardStreams.results }
    return StandardStreams.descriptor(namedBy: path)
  }

  /// Whether the result is written to a regular file, not to a terminal or a pipe.
  private var isForFile: Bool {
    guard descriptor == nil, let path else { return false }
    return FileKind(path: path) == .missing || FileKind.isRegular(path)
  }

  /// Refuses binary data for a terminal, which would interpret it as commands.
  private func refuseBinary(_ bytes: [UInt8]) throws(Failure) {
    guard format == .raw, path == nil, Terminal.isTerminal(StandardStreams.results), !Self.isText(bytes) else { return }
    throw Failure(
      .rejected,
      "the result is binary, \(PluginValue.bytes(bytes).summary), and not written to a terminal; "
        + "redirect it, name a file with --output, or insist with --output -")
  }

  /// Whether the bytes are UTF-8 without controls other than white space.
  static func isText(_ bytes: [UInt8]) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self) else { return false }
    return text.unicodeScalars.allSatisfy { !$0.isControl || $0 == "\n" || $0 == "\t" || $0 == "\r" }
  }
}

extension PluginValue {
  /// The raw form: text and bytes unchanged, a number as a line of text, nothing for void.
  var raw: [UInt8] {
    switch self {
    case .void: []
    case .string(let value): Array(value.utf8)
    case .bytes(let value): value
    case .bool, .int, .uint, .double, .pointer, .file, .array, .object: Array((line + "\n").utf8)
    }
  }

  /// The value as JSON; a number that is not finite without the quotes that JSON needs.
  var line: String {
    if case .double(let number) = self, !number.isFinite { return json.filter { $0 != "\"" } }
    return json
  }

  /// A text for display that fits on one line.
  var summary: String {
    switch self {
    case .void: ""
    case .bool, .int, .uint, .double, .pointer, .file: json
    case .array, .object: Redaction.apply((Redaction.isNeeded(in: self) ? redacted : self).json).truncated(to: 64)
    case .string(let value): PluginValue.string(Redaction.apply(value).truncated(to: 64)).json
    case .bytes(let value): value.count == 1 ? "1 byte" : "\(value.count) bytes"
    }
  }
}
