import CCountedHeap
import Testing

@testable import PluginRuntime

@Suite("Threads of plugins", .enabled(if: counted_heap_counts()))
struct SerialThreadTests {
  /// Returns the number of bytes that 10,000 calls of `body` leave allocated. Call it in a process of its own.
  private static func kept(by body: () -> Void) -> Int {
    body()
    let before = Int(counted_heap_bytes())
    for _ in 0..<10_000 { body() }
    return Int(counted_heap_bytes()) - before
  }

  @Test("a wait for a job retains no memory")
  func waits() async {
    await #expect(processExitsWith: .success) {
      let thread = SerialThread()
      let kept = Self.kept { thread.wait {} }
      #expect(kept < 10_000, "\(kept) bytes")
    }
  }

  @Test("a thread without a job retains no memory")
  func unused() async {
    await #expect(processExitsWith: .success) {
      let kept = Self.kept { _ = SerialThread() }
      #expect(kept < 10_000, "\(kept) bytes")
    }
  }
}
