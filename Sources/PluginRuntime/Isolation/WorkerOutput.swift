import Glibc

/// The lines that a worker has written, of which the last are kept.
struct WorkerOutput {
  private(set) var lines: [String] = []
  private var rest: [UInt8] = []

  private static let keptLines = 10
  /// The maximum length of a kept line in bytes; the rest of it is dropped.
  private static let longestKept = 1_000
  /// The maximum length of a line in bytes; the rest of it is dropped.
  private let longest: Int

  init(longest: Int) { self.longest = longest }

  /// Reads bytes that a descriptor has at the moment; returns false at its end.
  ///
  /// - Parameter chunks: the maximum number of reads of 4 KiB. The worker also sends frames, and may write faster than
  ///   this reads.
  mutating func read(_ descriptor: Int32, chunks: Int = 1, _ receive: (String) -> Void) -> Bool {
    var chunk = [UInt8](repeating: 0, count: 4_096)
    for _ in 0..<chunks {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return count != 0 }
      for byte in chunk[..<count] {
        if byte == UInt8(ascii: "\n") { end(receive) } else if rest.count < longest { rest.append(byte) }
      }
    }
    return true
  }

  /// Ends the last line, if it has no line feed.
  mutating func finish(_ receive: (String) -> Void) { if !rest.isEmpty { end(receive) } }

  private mutating func end(_ receive: (String) -> Void) {
    let line = String(decoding: rest, as: UTF8.self)
    lines.append(String(decoding: rest.prefix(Self.longestKept), as: UTF8.self))
    rest.removeAll(keepingCapacity: rest.count <= Self.longestKept)
    if lines.count > Self.keptLines { lines.removeFirst() }
    receive(line)
  }
}
