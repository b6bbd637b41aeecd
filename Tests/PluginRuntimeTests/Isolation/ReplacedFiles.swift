import Foundation
import Glibc
import PluginRuntime
import Promises
import Testing

@Suite("Isolation: a plugin's file that was replaced", .serialized)
struct ReplacedFiles {
  @Test(
    "a plugin's file that was replaced is not loaded by the next worker, but by a reload",
    arguments: ["exchanged", "removed", "linked"])
  func kept(change: String) async throws {
    let file = try ExchangedFile()
    try file.install(1, "-DPLAIN")
    let plugin = try IsolatedPlugin(loading: file.path, try file.options)
    if change == "exchanged" { try file.install(2, "-DASKS") } else { try #require(unlink(file.path) == 0) }
    if change == "linked" {
      try #require(symlink(try Fixture.plugin("reloading", ["-DREVISION=2", "-DPLAIN"]), file.path) == 0)
    }
    try await plugin.endWorker()
    #expect(try await plugin.outcome("revision").value == .int(1))
    #expect(plugin.workers.map(\.generation) == [2])
    try file.install(3, "-DASKS")
    try plugin.reload()
    #expect(try await plugin.outcome("revision").value == .int(3))
    plugin.unload()
  }

  @Test("a library that was adopted by a relative path, and removed, is loaded by the next worker")
  func relative() async throws {
    let file = try ExchangedFile()
    try file.install(1, "-DPLAIN")
    let folders = FileManager.default.currentDirectoryPath.split(separator: "/")
    let adoption = Adoption(
      id: "adopted", library: String(repeating: "../", count: folders.count) + file.path.dropFirst(),
      functions: [Adoption.Function(signature: try Signature(parsing: "process() -> i32"), symbol: "getpid")])
    let host = Host()
    let description = try host.adopt(adoption, isolation: file.options)
    #expect(description.path == URL(filePath: file.path).resolvingSymlinksInPath().path)
    #expect(description.adoption?.library.hasPrefix("/") == true)
    #expect(try host.adopt(adoption, isolation: file.options) == description)
    try #require(unlink(file.path) == 0)
    try await host.replaceWorker(of: "adopted")
    _ = host.unloadAll()
  }
}

extension IsolatedPlugin {
  /// Kills the worker of the plugin `reloading`, and waits for its end.
  func endWorker() async throws {
    let pending = call("gate", [], timeout: nil)
    guard case .int(let process)? = try await outcome("process").value else {
      Issue.record("no process")
      return
    }
    #expect(kill(pid_t(process), SIGKILL) == 0)
    #expect(try await pending.outcomeInTime().workerEnd != nil)
  }
}
