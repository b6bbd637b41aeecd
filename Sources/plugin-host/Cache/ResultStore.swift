import CSQLite
import Glibc
import PluginRuntime

/// The results of calls by the digests of their inputs, in a file that several processes may use at the same time.
///
/// SQLite's write-ahead log keeps each row complete or absent, even after a process was killed. A row contains a digest
/// of itself, so that damage is noticed when the row is read.
struct ResultStore: Sendable {
  /// A result as listed by `cache list`.
  struct Entry: Sendable {
    var key: [UInt8]
    /// The full name: `org.example.digest.sha256`.
    var function: String
    /// The step that stored the result.
    var step: String
    /// The time of storing, in seconds since 1970.
    var created: Int64
    /// The size of the result, in bytes.
    var size: Int64
  }

  enum Finding: Sendable {
    case found(PluginValue)
    case missing
    /// The result was damaged, and has been removed.
    case damaged
  }

  let path: String
  private let database: Database

  private static let version: Int64 = 2
  /// "PrmC", in the header of the file: marks a store even if other parts of the header are damaged.
  private static let application: [UInt8] = [0x50, 0x72, 0x6D, 0x43]
  /// The offset of the application's mark in the header of an SQLite file.
  private static let applicationOffset = 68

  /// Opens the store at `path`, or creates it and its parent folders.
  ///
  /// - Parameter didRead: called once the version is known, before other processes are waited for.
  init(path: String, didRead: () -> Void = {}) throws(Database.Failure) {
    self.path = path
    guard Self.mark(of: path) != .other else {
      throw Database.Failure(code: SQLITE_ERROR, description: "it is a database of another program")
    }
    // A plugin in this process may have changed it.
    let mask = umask(ProcessStart.mask)
    defer { umask(mask) }
    // The database reports a folder that cannot be created.
    try? Directory.make(Directory.parent(of: path))
    database = try Database(path: path)
    let found = try version()
    if found == 0 {
      // Set before the write-ahead log is on, so that the mark is written to the file itself.
      let application = Self.application.reduce(0) { $0 << 8 | Int64($1) }
      try database.run("pragma application_id = \(application)")
    }
    try Self.retrying { () throws(Database.Failure) in try database.run("pragma journal_mode = wal") }
    // A commit survives the end of the process, but not always a crash of the machine.
    try database.run("pragma synchronous = normal")
    if found == Self.version { return }
    didRead()
    try database.run("begin immediate")
    // Another process may have created the tables, and stored results, while this one waited.
    if try version() < Self.version { try createTables() }
    try database.run("commit")
  }

  /// Returns the version of the tables; 0 if there are none. Throws if it is newer than this program.
  private func version() throws(Database.Failure) -> Int64 {
    let found = try database.run("pragma user_version").first?.first?.int ?? 0
    guard found <= Self.version else {
      throw Database.Failure(code: SQLITE_ERROR, description: "it is of version \(found), expected \(Self.version)")
    }
    return found
  }

  private func createTables() throws(Database.Failure) {
    try database.run(
      """
      create table if not exists results (
        key blob primary key, run blob, function text, step text, created integer, value blob, digest blob
      ) without rowid
      """)
    try database.run(
      "create table if not exists files (path text primary key, stamp text, digest blob) without rowid")
    // Results of an older version have another encoding.
    try database.run("delete from results")
    try database.run("pragma user_version = \(Self.version)")
  }

  /// Returns the result stored under `key`.
  func find(_ key: Digest) throws(Database.Failure) -> Finding {
    guard let row = try database.run("select value, digest from results where key = ?", [.bytes(key.bytes)]).first
    else { return .missing }
    if Self.digest(key, row[0].bytes).bytes == row[1].bytes, let value = PluginValue(portableBytes: row[0].bytes) {
      return .found(value)
    }
    try database.run("delete from results where key = ?", [.bytes(key.bytes)])
    return .damaged
  }

  /// Stores a result, unless it has a meaning in this process only, or contains a secret. The result is kept for the
  /// run `run`, or until it is pruned if `run` is nil.
  func store(_ value: PluginValue, _ key: Digest, run: Digest?, function: String, step: String) throws(Database.Failure)
  {
    guard let bytes = value.portableBytes, !Redaction.isNeeded(in: value) else { return }
    try database.run(
      "insert or replace into results (key, run, function, step, created, value, digest) values (?, ?, ?, ?, ?, ?, ?)",
      [
        .bytes(key.bytes), run.map { .bytes($0.bytes) } ?? .null, .text(function), .text(step), .int(Int64(time(nil))),
        .bytes(bytes), .bytes(Self.digest(key, bytes).bytes),
      ])
  }

  /// Removes the results that were kept for a run.
  func forget(run: Digest) throws(Database.Failure) {
    try database.run("delete from results where run = ?", [.bytes(run.bytes)])
  }

  /// Returns all results, the latest first.
  func entries() throws(Database.Failure) -> [Entry] {
    try database.run(
      "select key, function, step, created, length(value) from results order by created desc, function, step, key"
    ).map { Entry(key: $0[0].bytes, function: $0[1].text, step: $0[2].text, created: $0[3].int, size: $0[4].int) }
  }

  /// Removes damaged results and those older than the limit. Returns the number of removed results.
  func prune(createdBefore limit: Int64) throws(Database.Failure) -> Int {
    var removed = try removing("created < ?", .int(limit))
    // One value at a time: all of them may be larger than memory.
    for row in try database.run("select key from results") {
      let values = try database.run("select value, digest from results where key = ?", [row[0]])
      guard let value = values.first else { continue }
      let key = Digest(bytes: row[0].bytes)
      if key.map({ Self.digest($0, value[0].bytes).bytes }) != value[1].bytes {
        removed += try removing("key = ?", row[0])
      }
    }
    try database.run("delete from files")
    try database.run("vacuum")
    return removed
  }

  /// Removes results, and returns their number. Other processes may add results meanwhile.
  private func removing(_ condition: String, _ parameter: Database.Value) throws(Database.Failure) -> Int {
    try database.run("delete from results where \(condition) returning 1", [parameter]).count
  }

  // MARK: Files

  /// Returns the digest of a file's content, if it was stored when the file had the state `stamp`.
  func digest(ofFile path: String, stamp: String) throws(Database.Failure) -> Digest? {
    let rows = try database.run("select digest from files where path = ? and stamp = ?", [.text(path), .text(stamp)])
    return rows.first.flatMap { Digest(bytes: $0[0].bytes) }
  }

  func note(_ path: String, stamp: String, digest: Digest) throws(Database.Failure) {
    try database.run(
      "insert or replace into files (path, stamp, digest) values (?, ?, ?)",
      [.text(path), .text(stamp), .bytes(digest.bytes)])
  }

  // MARK: The file

  private enum Mark {
    /// The file is a store, possibly damaged.
    case store
    /// The file is a database of another program.
    case other
    /// There is no file, or no database in it.
    case none
  }

  /// Reads the mark in the head of a file, without SQLite, which may write to a database that it reads.
  private static func mark(of path: String) -> Mark {
    guard let descriptor = try? FileBytes.openRegular(path: path) else { return .none }
    defer { close(descriptor) }
    var head = [UInt8](repeating: 0, count: applicationOffset + application.count)
    _ = read(descriptor, &head, head.count)
    if Array(head[applicationOffset...]) == application { return .store }
    return head.starts(with: "SQLite format 3\0".utf8) ? .other : .none
  }

  /// Whether a file is missing, or is a store, possibly damaged. Other files must not be removed.
  static func isStore(path: String) -> Bool { FileKind(path: path) == .missing || mark(of: path) == .store }

  /// Returns advice on an unusable file, for messages.
  static func remedy(_ error: Database.Failure, path: String) -> String {
    error.isDamage && isStore(path: path) ? "; `plugin-host cache prune --all` removes it" : ""
  }

  // MARK: Parts

  private static func digest(_ key: Digest, _ value: [UInt8]) -> Digest {
    Digest {
      $0.add(key.bytes)
      $0.add(value)
    }
  }

  /// Retries while the database is busy: the switch to the write-ahead log ignores the busy timeout.
  private static func retrying(_ body: () throws(Database.Failure) -> Void) throws(Database.Failure) {
    for attempt in 0... {
      do {
        return try body()
      } catch {
        guard [SQLITE_BUSY, SQLITE_LOCKED].contains(error.code & 0xFF), attempt < 1_000 else { throw error }
        usleep(10_000)
      }
    }
  }
}
