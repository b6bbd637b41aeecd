import CPromise
import Glibc
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("The objects of a host")
struct LiveObjectsTests {
  private static var executors: Int {
    var counts = promise_statistics_t()
    counts.size = UInt32(MemoryLayout<promise_statistics_t>.size)
    return promise_statistics(&counts) == PROMISE_OK ? Int(counts.executors) : -1
  }

  @Test("objects of a host release the executor of their destructors")
  func executor() async throws {
    let free = try #require(dlsym(nil, "free"))
    let destructor = try #require(Destructor("free", free, plugin: "test"))
    let before = Self.executors
    #expect(before >= 0)
    // Kept, as the plans of calls keep live objects after the end of the host.
    var kept: [LiveObjects] = []
    for _ in 0..<1_000 {
      let objects = LiveObjects(ending: { $1() }) { _, message in Issue.record("\(message)") }
      objects.discard(UInt(bitPattern: malloc(1)), named: "thing", destructor)
      #expect(objects.close(deadline: .seconds(60)).isEmpty)
      kept.append(objects)
    }
    // Other tests of this process have executors for a while.
    try await waiting(for: { Self.executors < before + 500 })
    withExtendedLifetime(kept) {}
  }

  @Test("objects of a host are forgotten once they are destroyed")
  func forgotten() async throws {
    let function = try #require(dlsym(nil, "free"))
    let destructor = try #require(Destructor("free", function, plugin: "test"))
    let objects = LiveObjects(ending: { $1() }) { _, message in Issue.record("\(message)") }
    weak let life = objects.own(UInt(bitPattern: malloc(1)), named: "thing", destructor, from: []).life
    try await waiting(for: { life == nil })
    #expect(objects.close(deadline: .seconds(60)).isEmpty)
  }

  @Test("closing waits for no object that a call has released")
  func taken() throws {
    let function = try #require(dlsym(nil, "free"))
    let destructor = try #require(Destructor("free", function, plugin: "test"))
    let objects = LiveObjects(ending: { $1() }) { _, message in Issue.record("\(message)") }
    let memory = malloc(1)
    var object: PluginObject? = objects.own(UInt(bitPattern: memory), named: "thing", destructor, from: [])
    try object?.life.take(for: "release")
    free(memory)
    object = nil
    #expect(objects.close(deadline: .seconds(3_600)).isEmpty)
  }

  @Test("closing names the plugins of destructors that have not returned, no others, and calls none afterwards")
  func late() async throws {
    let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    defer { semaphore.deallocate() }
    #expect(sem_init(semaphore, 0, 0) == 0)
    let (free, wait) = (try #require(dlsym(nil, "free")), try #require(dlsym(nil, "sem_wait")))
    let quick = try #require(Destructor("free", free, plugin: "quick"))
    let slow = try #require(Destructor("sem_wait", wait, plugin: "slow"))
    let called = Recorder<String>()
    let ending: @Sendable (String, () -> Void) -> Void = { plugin, body in
      called.record(plugin)
      body()
    }
    let objects = LiveObjects(ending: ending) { _, message in Issue.record("\(message)") }
    let memory = malloc(1)
    // They run one after another. The second one does not return.
    objects.discard(UInt(bitPattern: malloc(1)), named: "thing", quick)
    objects.discard(UInt(bitPattern: semaphore), named: "thing", slow)
    // The library may use the memory, though the host has allocated it.
    let kept = try #require(Destructor("free", free, plugin: "quick", freesMemory: true))
    weak let life = objects.own(UInt(bitPattern: memory), named: "thing", kept, from: []).life
    try await waiting(for: { called.count == 2 })
    #expect(objects.close(deadline: .milliseconds(1)) == ["slow"])
    sem_post(semaphore)
    #expect(objects.close(deadline: .seconds(60)).isEmpty)
    #expect(called.events == ["quick", "slow"])
    #expect(life != nil)
    Glibc.free(memory)
  }
}
