import Glibc
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Isolation: frames and handles")
struct FrameLimits {
  @Test("a frame of a kind with few values is refused if it has many: each takes many times the memory of its encoding")
  func values() throws {
    let many = PluginValue.array([PluginValue](repeating: .void, count: 1_000))
    for kind in [Frame.Kind.log, .progress, .ready, .loaded, .released, .foreignCancel, .pong, .wanted] {
      var reader = FrameReader()
      try Frame(kind, 0, many).encoded().bytes.withUnsafeBytes { reader.append($0) }
      let error = #expect(throws: FrameError.self) { try reader.next() }
      #expect(error?.description.contains("more than 16 values") == true, "\(kind): \(error as Any)")
    }
    var reader = FrameReader()
    try Frame(.fulfilled, 1, many).encoded().bytes.withUnsafeBytes { reader.append($0) }
    #expect(try reader.next()?.body == many)
  }

  @Test("a long line of the log, and the text of a long report, are cut")
  func messages() async throws {
    let (lines, reports) = (Recorder<String>(), Recorder<String?>())
    let host = Host.Options(log: { _, _, text in lines.record(text) }, progress: { reports.record($0.message) })
    let long = String(repeating: "é", count: 100_000)
    let cut = String(repeating: "é", count: 1 << 15) + "... (134464 more bytes)"
    let (table, progress) = (
      try IsolatedPlugin.loading("table", host: host), try IsolatedPlugin.loading("progress", host: host)
    )
    #expect(try await table.outcome("say", .int(2), .string(long)).value == .void)
    #expect(lines.events.last == cut)
    let call = progress.call("begin", [], timeout: nil)
    try await waiting { reports.count > 0 }
    #expect(try await progress.outcome("more", .double(0.5), .string(long)).value == .void)
    #expect(try await progress.outcome("finish").value == .void)
    #expect(try await call.outcomeInTime().value == .void)
    #expect(reports.events.last == cut)
    for plugin in [table, progress] { plugin.unload() }
  }

  @Test("a description with a wrong part ends the worker, with the name of the part")
  func descriptions() throws {
    let error = #expect(throws: PluginError.self) {
      try IsolatedPlugin.loading("dying", ["-DIN_INITIALISER=forge_description()"])
    }
    let reason = "a description whose part 'path' is missing, expected text"
    #expect(error?.message.contains(reason) == true, "\(error as Any)")
  }

  @Test("a block of shared memory beyond 1 GiB is refused, though the reader has no limit of its own")
  func sharedMemory() throws {
    typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
    let create = unsafeBitCast(try #require(dlsym(nil, "memfd_create")), to: Create.self)
    // MFD_CLOEXEC and MFD_ALLOW_SEALING. Sparse: it takes no memory.
    let block = create("promise-bytes", 3)
    try #require(ftruncate(block, off_t(SharedBytes.longest) + 1) == 0)
    // F_ADD_SEALS: all of them.
    try #require(fcntl(block, 1033, 15) == 0)
    var bytes = try Frame(.call, 1, .array([])).encoded().bytes
    bytes[6] = 1
    var reader = FrameReader(leavingCalls: true)
    bytes.withUnsafeBytes { reader.append($0, [block]) }
    let error = #expect(throws: FrameError.self) { try reader.next() }
    #expect(error?.description == "more shared memory than a frame may have", "\(error as Any)")
  }

  @Test("the handles of 100,000 workers differ")
  func workers() {
    #expect(Set((0..<100_000).map { _ in WorkerSettings.newWorker() }).count == 100_000)
  }
}
