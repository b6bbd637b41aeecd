import Glibc

/// The end of the text that a process has written, read without blocking.
struct OutputTail {
  private var bytes: [UInt8] = []
  /// Whether the output has ended, so that no more of it is read.
  private(set) var isOver = false

  /// Reads the text in the pipe, at most a pipe's capacity at once: another process may write faster than this one
  /// reads.
  mutating func read(from descriptor: Int32) {
    var rest = 1 << 16
    while !isOver, rest > 0, let chunk = NonBlockingRead.chunk(descriptor, isOver: &isOver) {
      bytes = (bytes + chunk).suffix(1024)
      rest -= chunk.count
    }
  }

  /// The last line that is not empty, of at most 200 letters; `nil` if there is none.
  var lastLine: String? {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self).displayLine }
    return lines.last { !$0.isEmpty }.map { String($0.suffix(200)) }
  }
}

/// Reads of descriptors that do not block.
enum NonBlockingRead {
  /// Reads the next bytes; `nil` if none have arrived. Sets `isOver` if none will.
  static func chunk(_ descriptor: Int32, isOver: inout Bool) -> [UInt8]? {
    var count = 0
    let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, initialized in
      repeat { count = Glibc.read(descriptor, buffer.baseAddress, 1 << 14) } while count < 0 && errno == EINTR
      isOver = count == 0 || count < 0 && errno != EAGAIN
      initialized = max(count, 0)
    }
    return count > 0 ? chunk : nil
  }
}
