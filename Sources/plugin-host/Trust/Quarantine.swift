import Glibc
import PluginRuntime

/// The files that are not loaded, because their workers ended too often. Each is a file of the store, named by the hash
/// of the content, with lines of a word and a value.
struct Quarantine: Sendable {
  struct Entry: Sendable {
    let hash: ContentHash
    /// The time in seconds since 1970.
    let begins: Int64
    let ends: Int64
    /// The path of the file when it was added.
    let path: String
    let reason: String
  }

  /// The folder of the store.
  let folder: String

  /// The time that a file stays in quarantine, in seconds.
  static let duration: Int64 = 24 * 3_600

  /// The store of the user; `nil` if the environment does not name a folder for it.
  static var ofUser: Quarantine? {
    let folder = Environment["XDG_STATE_HOME"] ?? Environment["HOME"].map { Directory.join($0, ".local/state") }
    return folder.map { Quarantine(folder: Directory.join($0, "plugin-host/quarantine")) }
  }

  static let none = "no folder for the quarantine: set HOME or XDG_STATE_HOME"

  /// Returns the entries that have not expired, the latest first. Removes expired entries, and ignores other files.
  func entries() -> [Entry] {
    let now = Int64(time(nil))
    let names = (try? Directory.names(path: folder)) ?? []
    let entries = names.compactMap(ContentHash.init).compactMap(entry)
    for entry in entries where entry.ends <= now { unlink(RawText.cString(path(of: entry.hash))) }
    return entries.filter { $0.ends > now }.sorted { $0.begins > $1.begins }
  }

  /// Adds the file at a path.
  func add(path: String, reason: String) throws(SystemError) {
    let hash = try ContentHash(path: path)
    let now = Int64(time(nil))
    let lines = ["begins \(now)", "ends \(now + Self.duration)", "path \(path)", "reason \(reason)"]
    try Directory.make(folder)
    try FileReplacement.write(Array(lines.map { "\($0.displayLine)\n" }.joined().utf8), to: self.path(of: hash))
  }

  /// Removes an entry.
  func release(_ hash: ContentHash) throws(SystemError) {
    guard unlink(RawText.cString(path(of: hash))) == 0 || errno == ENOENT else { throw .last }
  }

  private func path(of hash: ContentHash) -> String { Directory.join(folder, hash.description) }

  private func entry(_ hash: ContentHash) -> Entry? {
    guard let bytes = try? FileBytes.read(path: path(of: hash)) else { return nil }
    var values: [String: String] = [:]
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
    }
    guard let begins = values["begins"].flatMap({ Int64($0) }), let ends = values["ends"].flatMap({ Int64($0) }) else {
      return nil
    }
    return Entry(
      hash: hash, begins: begins, ends: ends, path: values["path"] ?? "", reason: values["reason"] ?? "unknown")
  }
}

extension Quarantine.Entry {
  /// The reason why the file is not loaded, and how to release it.
  var refusal: String {
    "is in quarantine for another \(Self.duration(ends - Int64(time(nil)))): \(reason); "
      + "`plugin-host quarantine release \(hash.description.prefix(12))` ends it"
  }

  private static func duration(_ seconds: Int64) -> String {
    seconds < 120 ? "\(max(seconds, 1)) s" : seconds < 7_200 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
  }
}
