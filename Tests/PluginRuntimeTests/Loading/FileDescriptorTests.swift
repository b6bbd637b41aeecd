import Foundation
import Glibc
import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

/// Each test has a process of its own, where no other test opens files.
///
/// Threads of the system's libraries open a few descriptors late: fewer than the rounds of a test, which would leave
/// one each.
@Suite("File descriptors")
struct FileDescriptorTests {
  @Test("file descriptors are closed by each load, also by one that fails")
  func loads() async {
    await #expect(processExitsWith: .success) {
      let damaged = try Fixture.file("damaged.so", containing: "\u{7F}ELF, and no more".utf8)
      let missing = Adoption(id: "none", library: "libno-such-library.so", functions: [])
      let row = "{\"two()\", (promise_function_t)(void *)functions, NULL}"
      func load() throws {
        try Host().load(try Fixture.plugin("whole"))
        let data = try Fixture.plugin("functions", ["-DROWS=\(row)"])
        for path in [damaged, data, Fixture.folder.path] {
          #expect(throws: PluginError.self) { try Host.inspect(path) }
        }
        #expect(throws: PluginError.self) { try Host().adopt(missing) }
      }
      try load()
      let before = Fixture.descriptors
      for _ in 0..<5 { try load() }
      #expect(Fixture.descriptors < before + 5)
    }
  }

  @Test("of a library leave no page of its file mapped beside the library")
  func mappedFiles() async {
    await #expect(processExitsWith: .success) {
      /// The number of mappings of each file's beginning, by the file's device and number.
      func beginnings() throws -> [[Substring]: Int] {
        let fields = try mappings().split(separator: "\n").map { $0.split(separator: " ") }
        return fields.filter { Int($0[2], radix: 16) == 0 && $0[4] != "0" }.reduce(into: [:]) {
          $0[Array($1[3...4]), default: 0] += 1
        }
      }
      let before = try beginnings()
      let host = Host()
      try host.load(try Fixture.plugin("whole"))
      let loaded = try beginnings().filter { before[$0.key] == nil }
      #expect(!loaded.isEmpty && loaded.values.allSatisfy { $0 == 1 }, "\(loaded)")
      host.unloadAll()
    }
  }

  @Test("are closed with each worker, also with one that asked for more than it may, ended, or was not started")
  func workers() async {
    await #expect(processExitsWith: .success) {
      func work() async throws {
        let hoarding = try IsolatedPlugin.loading("hoarding") { try? $0.capabilities.allow("memory=1G") }
        for function in ["map_memory", "make_writable", "extend_heap"] {
          _ = try await hoarding.outcome(function, .uint(8 << 30))
        }
        #expect(try await hoarding.outcome("echo", .int(3)).value == .int(3))
        hoarding.unload()
        let plugin = try IsolatedPlugin.loading("greedy")
        _ = try await plugin.outcome("read_and_die", .string("/etc/passwd"))
        #expect(try await plugin.outcome("echo", .int(4)).value == .int(4))
        plugin.unload()
        #expect(throws: PluginError.self) {
          try IsolatedPlugin.loading("greedy") { $0.program = WorkerProgram(path: "/no/such/program") }
        }
      }
      try await work()
      let before = Fixture.descriptors
      for _ in 0..<5 { try await work() }
      // The thread of the last worker may release the copy of the file late.
      try await waiting(for: { Fixture.descriptors < before + 5 })
    }
  }

  @Test("file descriptors are closed when files are not watched any more")
  func watchers() async {
    await #expect(processExitsWith: .success) {
      let host = Host()
      try host.load(Fixture.plugin("dying"), isolation: .tests)
      let before = Fixture.descriptors
      for _ in 0..<20 { try PluginWatcher(host) { _, _ in }.stop() }
      try await waiting(for: { Fixture.descriptors < before + 20 })
      host.unloadAll()
    }
  }
}
