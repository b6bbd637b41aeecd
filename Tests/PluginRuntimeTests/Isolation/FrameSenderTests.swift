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
    let link = plugin.state.withLock { $0.active[0].link }
    var isAnswered = false
    // The thread that serves the worker sends, too: once in a second, and then it waits for this one.
    for _ in 0..<20 where !isAnswered {
      let call = plugin.call("later", [.value(.int(5)), .value(.uint(300))], timeout: nil)
      // That thread waits for the answer by then.
      try await Task.sleep(for: .milliseconds(100))
      isAnswered = link.sender.withLock { _ in
        guard call.state == .pending else { return false }
        for _ in 0..<600 where call.state == .pending { usleep(1_000) }
        return call.state == .fulfilled
      }
      #expect(try await call.outcomeInTime().value == .int(5))
    }
    #expect(isAnswered)
  }
}
