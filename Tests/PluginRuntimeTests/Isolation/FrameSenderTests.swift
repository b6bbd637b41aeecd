import Glibc
import Promises
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Isolation: a thread of the program that sends")
struct FrameSenderTests {
  @Test("a thread of the program that sends frames delays no answer")
  func answers() async throws {
    let plugin = try IsolatedPlugin.loading("dying")
    let link = plugin.state.withLock { $0.active[0].link }
    var isAnswered = false
    // Once in a second the thread that serves the worker sends, too, and waits for the lock: then it tries again.
    for attempt in 0..<20 where !isAnswered {
      // A busy machine may need longer.
      let delay = 300 + UInt64(attempt) * 100
      let call = plugin.call("later", [.value(.int(5)), .value(.uint(delay))], timeout: nil)
      // By then that thread waits for the answer. Blocks this thread: other tests may hold up tasks for seconds.
      usleep(100_000)
      isAnswered = link.sender.withLock { _ in
        guard call.state == .pending else { return false }
        for _ in 0..<(delay + 300) where call.state == .pending { usleep(1_000) }
        return call.state == .fulfilled
      }
      #expect(try await call.outcomeInTime().value == .int(5))
    }
    #expect(isAnswered)
  }
}
