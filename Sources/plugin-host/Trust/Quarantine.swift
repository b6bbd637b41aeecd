import Glibc
import PluginRuntime

/// The files that are not loaded, because their workers ended too often. Each is a file of the store, named by the hash
/// of the content, with lines of a word and a value.
///
/// A damaged entry keeps its file in quarantine until it is released.
struct Quarantine: Sendable {
  struct Entry: Sendable {
    let hash: ContentHash
    /// The time in seconds since 1970; nil if the entry is damaged.
    var begins: Int64?
    var ends: Int64?
    /// The path of the file when it was added; empty if it is not known.
    var path = ""
    let reason: String
  }

  /// The folder of the store.
  let folder: String

  /// The time that a file stays in quarantine, in seconds.
  static let duration: Int64 = 24 * 3_600
  /// The maximum number of bytes of an entry, whose path and reason are cut after the longest line.
  private static let longest = 4 * String.longestLine

  /// The store of the user; `nil` if the environment does not name a folder for it.
  static var ofUser: Quarantine? {
    Environment.file("quarantine", "XDG_STATE_HOME", or: ".local/state").map { Quarantine(folder: $0) }
  }

  static let none = "no folder for the quarantine: set HOME or XDG_STATE_HOME"

  /// Returns the entries that have not expired: the damaged ones, then the latest first. Removes expired entries, and
  /// ignores other files.
  ///
  /// - Throws: the reason why the store cannot be listed. A missing one has no entries.
  func entries() throws(SystemError) -> [Entry] {
    guard try FileKind.exists(folder) else { return [] }
    let now = Int64(time(nil))
    let names = try Directory.names(path: folder)
    let hashes = names.compactMap { name in ContentHash(name).flatMap { $0.description == name ? $0 : nil } }
    let entries = hashes.compactMap(entry)
    let expired = entries.filter { $0.hasEnded(by: now) }
    // While another process changes the store, they stay.
    if !expired.isEmpty { try? FileLock.holding(folder, for: .zero) { removeEnded(expired, by: now) } }
    return entries.filter { !$0.hasEnded(by: now) }.sorted { $0.begins ?? .max > $1.begins ?? .max }
  }

  /// Removes entries, unless another process has put their files in quarantine again. Call with the store locked.
  private func removeEnded(_ entries: [Entry], by now: Int64) {
    for known in entries where entry(known.hash)?.hasEnded(by: now) ?? false {
      unlink(RawText.cString(path(of: known.hash)))
    }
  }

  /// The message for a store that cannot be listed.
  func problem(_ error: SystemError) -> String {
    "the quarantine \(folder) cannot be read: \(error); repair or remove it"
  }

  /// Returns the hash of the file at a path, or of the content that was loaded from there: the file may have been
  /// replaced since. Makes the folder of the store.
  func hash(path: String, content: Int32?) throws(FileChangeError) -> ContentHash {
    do throws(SystemError) {
      try Directory.make(folder)
      return if let content { try ContentHash(of: content) } else { try ContentHash(path: path) }
    } catch {
      throw FileChangeError(path: path, error: error)
    }
  }

  /// Adds a file of the store's folder. A file that is in quarantine stays there for its time, with its reason.
  func add(_ hash: ContentHash, path: String, reason: String) throws(FileChangeError) {
    let now = Int64(time(nil))
    let lines = ["begins \(now)", "ends \(now + Self.duration)", "path \(path)", "reason \(reason)"]
    try FileLock.holding(folder) { () throws(SystemError) in
      if let ends = self.entry(hash)?.ends, ends > now { return }
      let entry = self.path(of: hash)
      // A pipe would be written to rather than replaced.
      if !FileKind.isRegular(entry) { try release(hash) }
      try FileReplacement.write(Array(lines.map { "\($0.displayLine)\n" }.joined().utf8), to: entry)
    }
  }

  /// Removes an entry, or an empty folder in its place.
  func release(_ hash: ContentHash) throws(SystemError) {
    let path = RawText.cString(path(of: hash))
    guard unlink(path) == 0 || errno == EISDIR && rmdir(path) == 0 || errno == ENOENT else { throw .last }
  }

  /// The path of an entry.
  func path(of hash: ContentHash) -> String { Directory.join(folder, hash.description) }

  /// Reads an entry; nil if there is none.
  private func entry(_ hash: ContentHash) -> Entry? {
    let path = path(of: hash)
    func damaged(_ problem: String) -> Entry { Entry(hash: hash, reason: "its entry \(path) is damaged: \(problem)") }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileBytes.readRegular(path: path, limit: Self.longest)
    } catch {
      // Another process may have released it.
      return (try? FileKind.exists(path)) == false ? nil : damaged(error.fileProblem)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { return damaged("not UTF-8 text") }
    var values: [String: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      if parts.count == 2 { values[String(parts[0])] = String(parts[1]) }
    }
    guard let begins = values["begins"].flatMap({ Int64($0) }), let ends = values["ends"].flatMap({ Int64($0) }) else {
      return damaged("it does not say when it begins and ends")
    }
    return Entry(
      hash: hash, begins: begins, ends: ends, path: values["path"] ?? "", reason: values["reason"] ?? "unknown")
  }
}

extension Quarantine.Entry {
  /// Whether the quarantine is over. That of a damaged entry is not.
  func hasEnded(by now: Int64) -> Bool { ends.map { $0 <= now } ?? false }

  /// The reason why the file is not loaded, and how to release it.
  var refusal: String {
    let term = ends.map { "for another \(Self.duration($0 - Int64(time(nil))))" } ?? "until it is released"
    return "is in quarantine \(term): \(reason); "
      + "`plugin-host quarantine release \(hash.description.prefix(12))` ends it"
  }

  private static func duration(_ seconds: Int64) -> String {
    seconds < 120 ? "\(max(seconds, 1)) s" : seconds < 7_200 ? "\(seconds / 60) min" : "\(seconds / 3_600) h"
  }
}
