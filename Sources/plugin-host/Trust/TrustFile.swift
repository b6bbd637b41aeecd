import Glibc

/// A configuration file of trust: lines of a word and a value.
///
///     policy listed
///     untrusted process
///     hash 9f86d081...  digest.so
///     key d75a9801...  Example Inc.
struct TrustFile: Sendable {
  let path: String
  private(set) var policy = TrustLevel.any
  /// The place of plugins that are neither listed nor signed, `process` or `inProcess`; `nil` without a rule.
  private(set) var untrusted: PluginIsolation?
  private(set) var hashes: [(hash: ContentHash, name: String)] = []
  private(set) var keys: [(key: PublicKey, name: String)] = []

  /// The file of the system, whose rules users cannot loosen.
  static let ofSystem = "/etc/plugin-host/trust.conf"

  /// The file of the user; `nil` if the environment does not name a folder for it.
  static var ofUser: String? { Environment.file("trust.conf", "XDG_CONFIG_HOME", or: ".config") }

  static let none = "no folder for trust.conf: set HOME or XDG_CONFIG_HOME"

  /// Reads the file at a path. A missing file has no rules. Throws if other users could change the file.
  init(path: String, trust: FileTrust = FileTrust()) throws(Failure) {
    self.path = path
    let bytes: [UInt8]
    do throws(SystemError) {
      guard try FileKind.exists(path) else { return }
      bytes = try FileBytes.readRegular(path: path, limit: FileBytes.longestText)
    } catch {
      throw Failure(.notLoaded, "\(path): \(error.fileProblem): no plugin is loaded until it is repaired")
    }
    try trust.check(path)
    var given: Set<String> = []
    for (index, line) in Self.lines(in: bytes).enumerated() {
      let words = line.prefix { $0 != "#" }.split(separator: " ", maxSplits: 2).map(String.init)
      guard let word = words.first else { continue }
      // A line that is appended must not loosen the rules.
      if ["policy", "untrusted"].contains(word), !given.insert(word).inserted {
        throw Failure(.notLoaded, "\(path):\(index + 1): a second line \"\(word)\": remove one of them")
      }
      guard !read(words) else { continue }
      throw Failure(
        .notLoaded,
        "\(path):\(index + 1): \"\(line)\": expected \"policy any|listed|signed\", \"untrusted in-process|process\", "
          + "\"hash SHA-256 NAME\" or \"key ED25519 NAME\"")
    }
  }

  private mutating func read(_ words: [String]) -> Bool {
    let name = words.count > 2 ? Self.trimmed(words[2]) : ""
    switch (words[0], words.dropFirst().first) {
    case ("policy", let level?):
      guard let level = TrustLevel(rawValue: level), words.count == 2 else { return false }
      policy = level
    case ("untrusted", let place?):
      guard let place = PluginIsolation(rawValue: place), place != .thread, words.count == 2 else { return false }
      untrusted = place
    case ("hash", let text?):
      guard let hash = ContentHash(text) else { return false }
      hashes.append((hash, name))
    case ("key", let text?):
      guard let key = Hexadecimal.bytes(text).flatMap(PublicKey.init) else { return false }
      keys.append((key, name))
    default: return false
    }
    return true
  }

  // MARK: Changes

  /// Adds a line, unless a line with the same beginning exists.
  static func add(_ line: String, to path: String) throws(FileChangeError) {
    try change(path) { lines in
      let start = line.split(separator: " ").prefix(2).joined(separator: " ")
      guard !lines.contains(where: { $0.hasPrefix(start) }) else { return }
      lines.append(line.displayLine)
    }
  }

  /// Removes the lines that satisfy a condition, and adds others, in one change. Returns the number of removed lines.
  @discardableResult
  static func remove(
    from path: String, adding added: [String] = [], where isRemoved: (String) -> Bool
  ) throws(FileChangeError) -> Int {
    guard FileKind(path: path) != .missing || !added.isEmpty else { return 0 }
    return try change(path) { lines in
      let count = lines.count
      lines.removeAll(where: isRemoved)
      defer { lines += added }
      return count - lines.count
    }
  }

  /// Changes the lines of a file, one process after another.
  private static func change<Result>(
    _ path: String, _ change: (inout [String]) -> Result
  ) throws(FileChangeError) -> Result {
    do throws(SystemError) {
      try Directory.make(Directory.parent(of: path))
    } catch {
      throw FileChangeError(path: path, error: error)
    }
    return try FileLock.holding(path) { () throws(SystemError) in
      let old = try lines(of: path)
      var new = old
      let result = change(&new)
      if new != old { try write(new, to: path) }
      return result
    }
  }

  private static func lines(of path: String) throws(SystemError) -> [String] {
    guard FileKind(path: path) != .missing else { return [] }
    return lines(in: try FileBytes.readRegular(path: path, limit: FileBytes.longestText)).filter { !$0.isEmpty }
  }

  /// Splits a file that any editor may have written: with a byte order mark, tabs, or CR LF at the ends of lines.
  private static func lines(in bytes: [UInt8]) -> [String] {
    let text = String(decoding: bytes, as: UTF8.self).withoutByteOrderMark
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    return lines.map { String($0.map { $0 == "\t" ? " " : $0 }) }
  }

  private static func trimmed(_ text: String) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  private static func write(_ lines: [String], to path: String) throws(SystemError) {
    try FileReplacement.write(Array(lines.map { "\($0)\n" }.joined().utf8), to: path)
    chmod(RawText.cString(path), 0o644)
  }
}
