import Foundation
import Glibc
import PluginRuntime
import PromisesTestSupport
import Testing

@Suite("Isolation: the memory of a worker", .serialized)
struct ConfinedMemory {
  private func loading(_ capabilities: String...) throws -> IsolatedPlugin? {
    try IsolatedPlugin.confined("hoarding", capabilities)
  }

  @Test("memory that is given back, or shared with a file, does not count as memory of the worker")
  func sharedMemory() async throws {
    let file = try Fixture.file("large", containing: [])
    #expect(truncate(file, 1 << 30) == 0)
    guard let plugin = try loading("memory=256M", "read=\(file)", "write=\(file)") else { return }
    #expect(try await plugin.outcome("shrink", .uint(64 << 20)).value == .int(0))
    #expect(try await plugin.outcome("protect_shared", .string(file)).value == .int(0))
    #expect(try await plugin.outcome("make_writable", .uint(1 << 30)).refusal?.capability == .memory)
  }

  @Test("a call that uses up the memory bit by bit is rejected with the right's name")
  func hoard() async throws {
    guard let plugin = try loading("memory=256M") else { return }
    let outcome = try await plugin.outcome("hoard", .uint(1 << 24), .uint(32))
    #expect(outcome.refusal?.capability == .memory, "\(outcome)")
  }

  @Test("a call that gets memory in another way than by mmap() is rejected with the right's name")
  func otherMemory() async throws {
    guard let plugin = try loading("memory=256M") else { return }
    for (function, call) in [("make_writable", "mprotect"), ("extend_heap", "brk")] {
      #expect(try await plugin.outcome(function, .uint(1 << 20)).value == .int(0))
      let outcome = try await plugin.outcome(function, .uint(1 << 30))
      #expect(outcome.refusal?.description == "memory=256M (\(call))", "\(outcome)")
    }
    let threads = try await plugin.outcome("start_threads", .uint(200))
    #expect(threads.refusal?.capability == .memory, "\(threads)")
  }

  @Test("memory that grows downwards is refused where memory is limited, and the main thread's stack has a limit")
  func stacks() async throws {
    guard let plugin = try loading("memory=256M") else { return }
    let outcome = try await plugin.outcome("map_stacks", .uint(1 << 20), .uint(512))
    #expect(outcome.refusal?.description == "memory=256M (mmap)", "\(outcome)")
    #expect(try await limitOfStack(plugin) <= 256 << 20)
    #expect(try await loading()?.outcome("map_stacks", .uint(1 << 20), .uint(1)).value == .int(0))
  }

  private func limitOfStack(_ plugin: IsolatedPlugin) async throws -> UInt64 {
    let value = try await plugin.outcome("limit_of_stack").value
    guard case .uint(let limit)? = value else {
      Issue.record("\(String(describing: value)) is no limit")
      return .max
    }
    return limit
  }

  @Test("without a limit of stacks, those of threads are not as large as the memory")
  func unlimitedStacks() async {
    // Processes of other tests would inherit the limit.
    await #expect(processExitsWith: .success) {
      var stack = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &stack)
      guard stack.rlim_max == rlim_t.max else { return print("skipped: the stack of this process has a hard limit") }
      stack.rlim_cur = rlim_t.max
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &stack) == 0)
      let tests = ConfinedMemory()
      guard let plugin = try tests.loading("memory=1G") else { return }
      #expect(try await tests.limitOfStack(plugin) == 8 << 20)
    }
  }

  @Test("memory in several mappings counts with its sum")
  func severalMappings() async throws {
    guard let plugin = try loading("memory=1G") else { return }
    // Each half is below the limit.
    let outcome = try await plugin.outcome("make_both_writable", .uint(1_200 << 20))
    #expect(outcome.refusal?.description == "memory=1G (mprotect)", "\(outcome)")
  }

  @Test(
    "memory of any size is compared with the limit: sizes whose lower half is small, and sums of more than 64 bits",
    arguments: [("256M", 1 << 32 + 4_096), ("18014398509481983K", UInt64.max - 4_095)] as [(String, UInt64)])
  func largeMappings(limit: String, size: UInt64) async throws {
    guard let plugin = try loading("memory=\(limit)") else { return }
    let outcome = try await plugin.outcome("map_memory", .uint(size))
    #expect(outcome.refusal?.description == "memory=\(limit) (mmap)", "\(outcome)")
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
  }

  @Test("the memory that a plugin is given bounds its threads: their stacks count")
  func threads() async throws {
    guard let plugin = try loading("memory=256M") else { return }
    let outcome = try await plugin.outcome("start_threads", .uint(200))
    // A stack has 8 MiB, unless the user's limit is another.
    var stack = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_STACK.rawValue), &stack)
    let size = min(max(UInt64(stack.rlim_cur), 1 << 16), 8 << 20)
    if case .uint(let started)? = outcome.value {
      #expect(started < (256 << 20) / size, "\(outcome)")
    } else {
      #expect(outcome.refusal?.capability == .memory, "\(outcome)")
    }
    #expect(try await loading()?.outcome("start_threads", .uint(200)).value == .uint(200))
  }
}
