import Glibc
import Promises
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Isolation: a thread of the program that sends")
struct FrameSenderTests {
  @Test("holds up no answer")
  func answers() async throws {
    let plugin = try IsolatedPlugin.loading("dying")
    let call = plugin.call("later", [.value(.int(5)), .value(.uint(300))], timeout: nil)
    let link = plugin.state.withLock { $0.active[0].link }
    // The thread that serves the worker waits for the answer by then.
    try await Task.sleep(for: .milliseconds(100))
    let isAnswered = link.sender.withLock { _ in
      for _ in 0..<60_000 where call.state == .pending { usleep(1_000) }
      return call.state == .fulfilled
    }
    #expect(isAnswered)
    #expect(try await call.outcomeInTime().value == .int(5))
  }
}
