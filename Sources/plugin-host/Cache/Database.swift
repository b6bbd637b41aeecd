import CSQLite
import Synchronization

/// A connection to an SQLite database. Thread-safe: calls are serialized.
final class Database: Sendable {
  /// An error of SQLite, with its message.
  struct Failure: Error, CustomStringConvertible {
    var code: Int32
    var description: String

    /// Whether the file is damaged, or not a database.
    var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(code & 0xFF) }
    /// Whether a value is larger than SQLite holds.
    var isTooLarge: Bool { code & 0xFF == SQLITE_TOOBIG }
  }

  /// A value of a column or a parameter.
  enum Value: Equatable, Sendable {
    case null
    case int(Int64)
    case text(String)
    case bytes([UInt8])

    var int: Int64 { if case .int(let value) = self { value } else { 0 } }
    var text: String { if case .text(let value) = self { value } else { "" } }
    var bytes: [UInt8] { if case .bytes(let value) = self { value } else { [] } }
  }

  private let connection: Mutex<Connection>

  /// Opens the file, or creates it. Waits up to 30 seconds for another process that writes.
  init(path: String) throws(Failure) {
    connection = Mutex(try Connection(path: path))
  }

  /// Runs one statement, and returns its rows.
  @discardableResult
  func run(_ statement: String, _ parameters: [Value] = []) throws(Failure) -> [[Value]] {
    let result = connection.withLock { connection in
      Result { () throws(Failure) in try connection.run(statement, parameters) }
    }
    return try result.get()
  }

  private struct Connection: ~Copyable {
    private let handle: OpaquePointer
    /// Compiled statements by their texts. The program has few different statements, so none is dropped.
    private var statements: [String: OpaquePointer] = [:]

    init(path: String) throws(Failure) {
      var opened: OpaquePointer?
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
      let code = sqlite3_open_v2(RawText.cString(path), &opened, flags, nil)
      guard let opened else { throw Failure(code: SQLITE_NOMEM, description: "out of memory") }
      guard code == SQLITE_OK else {
        let message = String(cString: sqlite3_errmsg(opened))
        sqlite3_close_v2(opened)
        throw Failure(code: code, description: message)
      }
      handle = opened
      sqlite3_busy_timeout(handle, 30_000)
    }

    deinit {
      for statement in statements.values { sqlite3_finalize(statement) }
      sqlite3_close_v2(handle)
    }

    mutating func run(_ text: String, _ parameters: [Value]) throws(Failure) -> [[Value]] {
      let statement = try prepared(text)
      defer {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
      }
      for (index, parameter) in parameters.enumerated() { try bind(parameter, Int32(index + 1), statement) }
      var rows: [[Value]] = []
      while true {
        switch sqlite3_step(statement) {
        case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { Self.column($0, statement) })
        case SQLITE_DONE: return rows
        default: throw failure
        }
      }
    }

    private mutating func prepared(_ text: String) throws(Failure) -> OpaquePointer {
      if let known = statements[text] { return known }
      var statement: OpaquePointer?
      guard sqlite3_prepare_v2(handle, text, -1, &statement, nil) == SQLITE_OK, let statement else { throw failure }
      statements[text] = statement
      return statement
    }

    private func bind(_ value: Value, _ index: Int32, _ statement: OpaquePointer) throws(Failure) {
      // SQLITE_TRANSIENT: SQLite copies the bytes.
      let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
      let code =
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .int(let number): sqlite3_bind_int64(statement, index, number)
        case .text(let text): sqlite3_bind_text(statement, index, text, -1, copied)
        case .bytes(let bytes):
          bytes.isEmpty
            ? sqlite3_bind_zeroblob(statement, index, 0)
            : sqlite3_bind_blob64(statement, index, bytes, UInt64(bytes.count), copied)
        }
      guard code == SQLITE_OK else { throw failure }
    }

    private static func column(_ index: Int32, _ statement: OpaquePointer) -> Value {
      switch sqlite3_column_type(statement, index) {
      case SQLITE_INTEGER: return .int(sqlite3_column_int64(statement, index))
      case SQLITE_TEXT: return .text(sqlite3_column_text(statement, index).map { String(cString: $0) } ?? "")
      case SQLITE_BLOB:
        let count = Int(sqlite3_column_bytes(statement, index))
        return .bytes(Array(UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, index), count: count)))
      default: return .null
      }
    }

    private var failure: Failure {
      Failure(code: sqlite3_errcode(handle), description: String(cString: sqlite3_errmsg(handle)))
    }
  }
}
