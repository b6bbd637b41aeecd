import Glibc
import PluginRuntime

/// The ends of workers that were faults of their plugins, in all processes that use the store: a file of the store,
/// with a line for each end, the time and the hash of the plugin.
extension Quarantine {
  private struct End {
    let time: Int64
    let hash: ContentHash
  }

  /// The number of ends in a row, within the window, that put a file in quarantine.
  static let mostEnds = 5
  /// The time in seconds after which an end does not count any more.
  private static let window: Int64 = 3_600
  /// The number of ends that are kept. The oldest are dropped.
  private static let mostKept = 1_000
  private var file: String { Directory.join(folder, "ends") }

  /// Counts the end of a worker of the file at a path, or of the content that was loaded from there. Puts the file in
  /// quarantine if this was the last of too many ends.
  ///
  /// - Parameter fault: the end in one sentence; `nil` if the worker had answered a call. Then the count begins anew.
  func count(path: String, content: Int32? = nil, fault: String?) throws(FileChangeError) {
    let now = Int64(time(nil))
    // As a rule there is nothing to forget, and the content is not hashed.
    if fault == nil, ends(by: now).isEmpty { return }
    let hash = try hash(path: path, content: content)
    var isLast = false
    // Calls wait for the end of the worker to be counted.
    try FileLock.holding(folder, for: .seconds(1)) { () throws(SystemError) in
      var ends = ends(by: now)
      if fault != nil { ends.append(End(time: now, hash: hash)) }
      isLast = ends.count { $0.hash == hash } >= Self.mostEnds
      if fault == nil || isLast { ends.removeAll { $0.hash == hash } }
      let lines = ends.suffix(Self.mostKept).map { "\($0.time) \($0.hash)\n" }
      try FileReplacement.write(Array(lines.joined().utf8), to: file)
    }
    guard let fault, isLast else { return }
    try add(
      hash, path: path,
      reason: "its worker processes ended \(Self.mostEnds) times in a row without an answer; the last one: \(fault)")
  }

  /// Returns the ends that still count, the oldest first.
  private func ends(by now: Int64) -> [End] {
    let bytes = (try? FileBytes.readRegular(path: file, limit: 128 * Self.mostKept)) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      guard parts.count == 2, let time = Int64(parts[0]), let hash = ContentHash(String(parts[1])) else { return nil }
      return now - Self.window < time && time <= now ? End(time: time, hash: hash) : nil
    }
  }
}
