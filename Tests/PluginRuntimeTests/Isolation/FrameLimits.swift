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

  @Test("the handles of 100,000 workers differ")
  func workers() {
    #expect(Set((0..<100_000).map { _ in WorkerSettings.newWorker() }).count == 100_000)
  }
}
