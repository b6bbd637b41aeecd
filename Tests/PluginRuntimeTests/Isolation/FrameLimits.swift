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

  @Test("the handles of 100,000 workers differ")
  func workers() {
    #expect(Set((0..<100_000).map { _ in WorkerSettings.newWorker() }).count == 100_000)
  }
}
