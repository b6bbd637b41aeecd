import Glibc

/// The lines of a file or of standard input, each as soon as it is complete.
final class LineReader {
  /// The longest line, in MiB. Bounded, because a line is in memory as a whole.
  private static let mebibytes = 16

  private let descriptor: Int32
  private var bytes: [UInt8] = []
  /// The position of the first byte that was not returned.
  private var start = 0
  /// The number of bytes from `start` on that contain no line break.
  private var searched = 0
  private var isAtEnd = false

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Opens the file at `path`; nil is standard input.
  init(path: String?) throws(Failure) {
    guard let path else {
      descriptor = STDIN_FILENO
      return
    }
    descriptor = open(RawText.cString(path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(.usage, "\(Directory.shown(path)): \(SystemError.last)".displayLine) }
    // open() accepts a folder, so report the error before the first read.
    guard FileKind(path: path) != .directory else {
      throw Failure(.usage, "\(path): \(SystemError(code: EISDIR))".displayLine)
    }
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// Reads the next line, without its end.
  ///
  /// - Parameter wait: runs before each read, with the descriptor, and returns once the read does not wait. A signal
  ///   that it returns is the result, and the bytes of an incomplete line are kept.
  func next(waiting wait: (Int32) -> Int32? = { _ in nil }) throws(Failure) -> LineEditor.Input {
    while true {
      if let end = bytes[(start + searched)...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { (start, searched) = (end + 1, 0) }
        return .line(RawText.text(bytes[start..<end]))
      }
      searched = bytes.count - start
      guard searched <= Self.mebibytes << 20 else {
        throw Failure(
          .usage, "the line is longer than the limit of \(Self.mebibytes) MiB: pass a long text as a file, NAME=@FILE")
      }
      if isAtEnd {
        defer { (start, searched) = (bytes.count, 0) }
        return start < bytes.count ? .line(RawText.text(bytes[start...])) : .end
      }
      if let signal = wait(descriptor) { return .signal(signal) }
      try readMore()
    }
  }

  private func readMore() throws(Failure) {
    bytes.removeFirst(start)
    start = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var count = 0
    repeat { count = read(descriptor, &buffer, buffer.count) } while count < 0 && errno == EINTR
    guard count >= 0 else { throw Failure(.usage, "\(SystemError.last)") }
    isAtEnd = count == 0
    bytes += buffer.prefix(count)
  }
}
