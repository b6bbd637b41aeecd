import CPromise
import Glibc
import Testing

@testable import PluginRuntime

@Suite("The objects of a host")
struct LiveObjectsTests {
  private static var executors: Int {
    var counts = promise_statistics_t()
    counts.size = UInt32(MemoryLayout<promise_statistics_t>.size)
    return promise_statistics(&counts) == PROMISE_OK ? Int(counts.executors) : -1
  }

  @Test("release the executor of their destructors")
  func executor() throws {
    let free = try #require(dlsym(nil, "free"))
    let destructor = try #require(Destructor("free", free, plugin: "test"))
    let before = Self.executors
    #expect(before >= 0)
    // The plans of calls keep them after the end of the host.
    var kept: [LiveObjects] = []
    for _ in 0..<1_000 {
      let objects = LiveObjects(ending: { $1() }) { _, message in Issue.record("\(message)") }
      objects.discard(UInt(bitPattern: malloc(1)), named: "thing", destructor)
      #expect(objects.close(deadline: .seconds(60)).isEmpty)
      kept.append(objects)
    }
    // Other tests of this process have executors too, but not as many.
    withExtendedLifetime(kept) { #expect(Self.executors < before + 500) }
  }
}
