import Glibc

/// The lines of a file or of standard input, each as soon as it is complete.
final class LineReader {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  /// The position of the first byte that was not returned.
  private var start = 0
  private var isAtEnd = false

  /// Opens the file at `path`; nil is standard input.
  init(path: String?) throws(Failure) {
    guard let path else {
      descriptor = STDIN_FILENO
      return
    }
    descriptor = open(RawText.cString(path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(.usage, "\(Directory.shown(path)): \(SystemError.last)".displayLine) }
    // A folder can be opened, and has no first line.
    guard FileKind(path: path) != .directory else {
      throw Failure(.usage, "\(path): \(SystemError(code: EISDIR))".displayLine)
    }
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// Reads the next line, without its end; nil after the last one.
  func next() throws(SystemError) -> String? {
    while true {
      if let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return RawText.text(bytes[start..<end])
      }
      if isAtEnd {
        defer { start = bytes.count }
        return start < bytes.count ? RawText.text(bytes[start...]) : nil
      }
      try readMore()
    }
  }

  private func readMore() throws(SystemError) {
    bytes.removeFirst(start)
    start = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var count = 0
    repeat { count = read(descriptor, &buffer, buffer.count) } while count < 0 && errno == EINTR
    guard count >= 0 else { throw .last }
    isAtEnd = count == 0
    bytes += buffer.prefix(count)
  }
}
