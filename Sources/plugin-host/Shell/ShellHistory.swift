import Glibc
import PluginRuntime

/// The lines of this and earlier sessions, the last `limit` of them.
///
/// A line that begins with a space, or is the same as the one before it, is not remembered.
struct ShellHistory {
  static let limit = 1000

  private(set) var lines: [String] = []
  /// The file to which new lines are appended; nil: they are forgotten with the session.
  private let path: String?
  /// The position of the shown line while the user browses, and the line that was being typed before.
  private var place = 0
  private var draft = ""

  /// Reads the file at `path`, which may be missing or damaged, and removes its lines before the last `limit`.
  init(path: String?) {
    self.path = path
    guard let path, let all = Self.read(path) else { return }
    lines = all.suffix(Self.limit).map { RawText.text($0) }
    // Errors are ignored: the file stays long.
    if all.count > Self.limit {
      try? FileLock.holding(path, for: Self.patience) { () throws(SystemError) in
        // Another session may have added lines meanwhile.
        guard let kept = Self.read(path)?.suffix(Self.limit) else { return }
        try FileReplacement.write(kept.flatMap { $0 + [UInt8(ascii: "\n")] }, to: path)
      }
    }
  }

  /// The time for which another session is waited for. No line is worth a longer one.
  private static let patience: Duration = .seconds(1)

  /// Returns the lines of the file; nil if it cannot be read.
  private static func read(_ path: String) -> [ArraySlice<UInt8>]? {
    let bytes = try? FileBytes.readRegular(path: path, limit: FileBytes.longestText)
    return bytes?.split(separator: UInt8(ascii: "\n"))
  }

  /// `plugin-host/history` in XDG_STATE_HOME, which is created if necessary.
  static var defaultPath: String? {
    guard let path = Environment.file("history", "XDG_STATE_HOME", or: ".local/state"), path.isAbsolutePath else {
      return nil
    }
    try? Directory.make(Directory.parent(of: path))
    return path
  }

  /// Begins a new line.
  mutating func begin() {
    place = lines.count
    draft = ""
  }

  /// Remembers a line.
  mutating func add(_ line: String) {
    guard !line.isEmpty, !line.hasPrefix(" "), line != lines.last else { return }
    lines.append(line)
    if lines.count > Self.limit { lines.removeFirst() }
    guard let path else { return }
    // Errors are ignored: they only shorten the history.
    try? FileLock.holding(path, for: Self.patience) { () throws(SystemError) in
      let flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK
      let descriptor = open(RawText.cString(path), flags, 0o600)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      try FileBytes.write(RawText.bytes(of: line) + [UInt8(ascii: "\n")], to: descriptor)
    }
  }

  /// Returns the line before the current one; nil at the first.
  mutating func previous(_ current: String) -> String? {
    guard place > 0 else { return nil }
    if place == lines.count { draft = current }
    place -= 1
    return lines[place]
  }

  /// Returns the line after the current one; after the last, the line that was being typed; then nil.
  mutating func next() -> String? {
    guard place < lines.count else { return nil }
    place += 1
    return place == lines.count ? draft : lines[place]
  }
}
