import Glibc

/// A location in a text file; line and column are counted from 1. A column is a Unicode scalar, as in YAML's own
/// messages.
struct Location: Hashable, Comparable, Sendable {
  var line: Int
  var column: Int
  /// The number of the file; 0 if there is only one.
  var file = 0

  static func < (left: Location, right: Location) -> Bool {
    (left.file, left.line, left.column) < (right.file, right.line, right.column)
  }
}

/// A value with its location in a file.
struct Located<Value: Sendable>: Sendable {
  var value: Value
  var location: Location

  /// Returns another value at the same location.
  func map<Other>(_ transform: (Value) -> Other) -> Located<Other> {
    Located<Other>(value: transform(value), location: location)
  }
}

extension Located: Equatable where Value: Equatable {}

/// A text file, for messages with locations.
struct SourceFile: Sendable {
  /// The path as written by the user.
  let path: String
  let text: String
  /// The file's number in locations.
  let number: Int
  /// The lines without their ends.
  private let lines: [Substring]

  init(path: String, text: String, number: Int = 0) {
    self.path = path
    // If the encoding is given, libyaml takes a byte order mark for content.
    let text = text.withoutByteOrderMark
    self.text = text
    self.number = number
    // A CR LF is one Character, for which isNewline is true.
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  }

  /// Reads the file at `path`, which may be a pipe: the user has named it. `-` is standard input. An error ends the
  /// command with that status.
  static func read(
    _ path: String, or status: ExitStatus, by deadline: ContinuousClock.Instant? = nil
  ) throws(Failure) -> SourceFile {
    try read(path == "-" ? "standard input" : Directory.shown(path), status, 0) { limit throws(SystemError) in
      try path == "-"
        ? FileBytes.read(descriptor: STDIN_FILENO, limit: limit, by: deadline)
        : FileBytes.read(path: path, limit: limit, by: deadline)
    }
  }

  /// Reads the regular file at `path`: one that was found in a folder, or that another file names.
  static func readRegular(_ path: String, or status: ExitStatus, number: Int = 0) throws(Failure) -> SourceFile {
    try read(Directory.shown(path), status, number) { limit throws(SystemError) in
      try FileBytes.readRegular(path: path, limit: limit)
    }
  }

  private static func read(
    _ name: String, _ status: ExitStatus, _ number: Int, _ bytes: (_ limit: Int) throws(SystemError) -> [UInt8]
  ) throws(Failure) -> SourceFile {
    do throws(SystemError) {
      if let text = String(validating: try bytes(FileBytes.longestText), as: UTF8.self) {
        return SourceFile(path: name, text: text, number: number)
      }
    } catch {
      let limit = error.code == EFBIG ? ": expected at most \(FileBytes.longestText) bytes" : ""
      throw Failure(error, else: status, "\(name): \(error.fileProblem)\(limit)".displayLine)
    }
    throw Failure(status, "\(name): not UTF-8 text")
  }

  /// Returns the line with that number; nil if the file has none.
  func line(_ number: Int) -> Substring? {
    lines.indices.contains(number - 1) ? lines[number - 1] : nil
  }

  /// Returns the character at a location; nil at the end of a line.
  func scalar(at location: Location) -> Unicode.Scalar? {
    line(location.line)?.unicodeScalars.dropFirst(location.column - 1).first
  }
}
