import Foundation
import PluginRuntime
import Synchronization
import Testing

@testable import plugin_host

/// Work that takes several calls of a library, with its handles.
@Suite struct AdoptedLibraryTests {
  @Test func zlibRestoresItsCompressedData() async throws {
    let zlib = try AdoptedLibrary("zlib")
    let data = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 / 100) }
    let packed = try await zlib.call("compress2", .named("data", .bytes(data)), .named("level", .int(9)))
    guard case .bytes(let small)? = packed[member: "packed"] else {
      throw AdoptedLibrary.Rejection(reason: "\(packed)")
    }
    #expect(small.count < 500)
    #expect(packed[member: "room"] == .uint(UInt64(small.count)))
    let restored = try await zlib.call("uncompress", .named("packed", .bytes(small)), .named("room", .int(20_000)))
    #expect(restored[member: "data"] == .bytes(data))
    #expect(restored[member: "room"] == .uint(10_000))
    // Not enough room: Z_BUF_ERROR.
    let error = await #expect(throws: (any Error).self) {
      try await zlib.call("uncompress", .named("packed", .bytes(small)), .named("room", .int(10)))
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("-5"))
  }

  @Test func sqliteKeepsRows() async throws {
    let sqlite = try AdoptedLibrary("sqlite")
    let opened = try await sqlite.call("sqlite3_open", .string(":memory:"))
    let db = Argument.value(try #require(opened[member: "db"]))
    let made = try await sqlite.call("sqlite3_exec", db, .string("create table t(n integer, s text, x real)"))
    #expect(made == .void)
    let insert = try await sqlite.call("sqlite3_prepare_v2", db, .string("insert into t values(?1, ?2, ?3)"))
    let statement = Argument.value(try #require(insert[member: "statement"]))
    for (index, text) in ["eins", "zwei", "日本"].enumerated() {
      try await sqlite.call("sqlite3_bind_int64", statement, .int(1), .int(.max - Int64(index)))
      try await sqlite.call("sqlite3_bind_text", statement, .int(2), .string(text))
      try await sqlite.call("sqlite3_bind_double", statement, .int(3), .value(.double(0.5)))
      #expect(try await sqlite.call("sqlite3_step", statement) == .int(101))
      try await sqlite.call("sqlite3_reset", statement)
    }
    try await sqlite.call("sqlite3_finalize", statement)
    let select = try await sqlite.call("sqlite3_prepare_v2", db, .string("select n, s, x from t order by n"))
    let rows = Argument.value(try #require(select[member: "statement"]))
    #expect(try await sqlite.call("sqlite3_column_name", rows, .int(1)) == .string("s"))
    #expect(try await sqlite.call("sqlite3_step", rows) == .int(100))
    #expect(try await sqlite.call("sqlite3_column_int64", rows, .int(0)) == .int(.max - 2))
    #expect(try await sqlite.call("sqlite3_column_text", rows, .int(1)) == .string("日本"))
    #expect(try await sqlite.call("sqlite3_column_double", rows, .int(2)) == .double(0.5))
    try await sqlite.call("sqlite3_finalize", rows)
    let wrong = await #expect(throws: (any Error).self) {
      try await sqlite.call("sqlite3_exec", db, .string("selekt"))
    }
    #expect("\(wrong.map { "\($0)" } ?? "")".contains("near \"selekt\": syntax error"))
    try await sqlite.call("sqlite3_close", db)
  }

  @Test func curlTakesURLsApart() async throws {
    let curl = try AdoptedLibrary("libcurl")
    let url = Argument.value(try await curl.call("curl_url"))
    try await curl.call("curl_url_set", url, .int(0), .string("https://user@example.org:8080/a/b?q=1#top"))
    for (part, expected) in [
      (1, "https"), (2, "user"), (5, "example.org"), (6, "8080"), (7, "/a/b"), (8, "q=1"), (9, "top"),
    ] {
      #expect(try await curl.call("curl_url_get", url, .int(Int64(part)))[member: "content"] == .string(expected))
    }
    // CURLUE_NO_OPTIONS: the text is NULL then.
    let error = await #expect(throws: (any Error).self) { try await curl.call("curl_url_get", url, .int(4)) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("curl_url_get returned 13"))
    try await curl.call("curl_url_cleanup", url)
  }

  @Test func curlTransfersAFile() async throws {
    let curl = try AdoptedLibrary("libcurl")
    let file = TemporaryPath()
    try Data("over there".utf8).write(to: file.url)
    try await curl.call("curl_global_init")
    let handle = Argument.value(try await curl.call("curl_easy_init"))
    // CURLOPT_URL, CURLOPT_NOBODY: curl writes no data to the output of the test.
    try await curl.call("curl_easy_set_text", handle, .int(10_002), .string("file://\(file.path)"))
    try await curl.call("curl_easy_setopt", handle, .int(44), .int(1))
    try await curl.call("curl_easy_perform", handle)
    #expect(try await curl.call("curl_easy_get_text", handle)[member: "value"] == .string("file://\(file.path)"))
    try await curl.call("curl_easy_set_text", handle, .int(10_002), .string("file:///no/such/file"))
    let error = await #expect(throws: (any Error).self) { try await curl.call("curl_easy_perform", handle) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("37"))
    try await curl.call("curl_easy_cleanup", handle)
  }

  /// Sizes of the host's memory, and destructors of it, are not the caller's choice.
  @Test(arguments: [
    ("libc", "qsort", "size"), ("libc", "bsearch", "size"), ("libc", "realpath", "room"),
    ("libc", "gettimeofday", "zone"), ("sqlite", "sqlite3_bind_text", "destructor"),
    ("sqlite", "sqlite3_bind_blob", "destructor"), ("sqlite", "sqlite3_prepare_v2", "tail"),
  ])
  func aCallCannotState(library: String, function: String, parameter: String) throws {
    let path = "\(Package.adopted)/\(library).adopt.yaml"
    let file = try AdoptionFile.read(path, trust: FileTrust(acceptsUnsafeFiles: true))
    let signature = try #require(file.functions.first { $0.signature.name == function }).signature
    #expect(signature.parameters.contains { $0.name == parameter })
    #expect(!signature.inputs.contains { $0.name == parameter })
  }

  /// libcurl does not copy CURLOPT_POSTFIELDS.
  @Test func curlGetsNoTextThatEndsWithTheCall() async throws {
    let curl = try AdoptedLibrary("libcurl")
    let handle = Argument.value(try await curl.call("curl_easy_init"))
    await #expect(throws: (any Error).self) {
      try await curl.call("curl_easy_setopt", handle, .int(10_015), .string("a=b"))
    }
    try await curl.call("curl_easy_set_text", handle, .int(10_015), .string("a=b"))
    try await curl.call("curl_easy_cleanup", handle)
  }

  @Test func qsortCallsBack() async throws {
    let libc = try AdoptedLibrary("libc")
    let calls = Atomic<Int>(0)
    let numbers: [Int64] = [5, -3, 9, 0, 2_147_483_647, -2_147_483_648]
    let sorted = try await libc.call(
      "qsort", .named("elements", .array(numbers.map { .int($0) })),
      Argument(
        name: "compare",
        .callback(
          PluginCallback { arguments in
            calls.wrappingAdd(1, ordering: .relaxed)
            guard case .int(let left) = arguments[0], case .int(let right) = arguments[1] else { return .int(0) }
            return .int(left < right ? -1 : left == right ? 0 : 1)
          })))
    #expect(sorted[member: "elements"] == .array(numbers.sorted().map { .int($0) }))
    #expect(calls.load(ordering: .relaxed) >= numbers.count - 1)
  }

  @Test func sqliteCallsBackForEachRow() async throws {
    let sqlite = try AdoptedLibrary("sqlite")
    let db = Argument.value(try #require(try await sqlite.call("sqlite3_open", .string(":memory:"))[member: "db"]))
    let columns = Mutex<[PluginValue]>([])
    let row = Argument.callback { arguments in
      columns.withLock { $0.append(arguments[0]) }
      return .int(0)
    }
    try await sqlite.call("sqlite3_exec", db, .string("select 1, 2 union select 3, 4"), row)
    let values: [PluginValue] = [.array([.string("1"), .string("2")]), .array([.string("3"), .string("4")])]
    #expect(columns.withLock { $0 } == values)
    // A result other than 0 stops the query: SQLITE_ABORT.
    let stopped = await #expect(throws: (any Error).self) {
      try await sqlite.call("sqlite3_exec", db, .string("select 1"), .callback { _ in .int(1) })
    }
    #expect("\(stopped.map { "\($0)" } ?? "")".contains("query aborted"))
    try await sqlite.call("sqlite3_close", db)
  }

  @Test func curlCallsBackWithTheDataRead() async throws {
    let curl = try AdoptedLibrary("libcurl")
    let file = TemporaryPath()
    let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    try content.write(to: file.url)
    let handle = Argument.value(try await curl.call("curl_easy_init"))
    try await curl.call("curl_easy_set_text", handle, .int(10_002), .string("file://\(file.path)"))
    let received = Mutex(Data())
    let writer = PluginCallback { arguments in
      guard case .bytes(let bytes) = arguments[0] else { return .uint(0) }
      received.withLock { $0.append(contentsOf: bytes) }
      return .uint(UInt64(bytes.count))
    }
    try await curl.call("curl_easy_set_writer", handle, Argument(name: "write", .callback(writer)))
    try await curl.call("curl_easy_perform", handle)
    #expect(received.withLock { $0 } == content)
    try await curl.call("curl_easy_cleanup", handle)
  }
}
