import Foundation
import Glibc
import PluginRuntime
import Promises
import Testing

@Suite("Isolation: a plugin's file that was replaced", .serialized)
struct ReplacedFiles {
  @Test("is not taken for the first by the next worker if its functions are others, though the id is the same")
  func otherFunctions() async throws {
    let file = try ExchangedFile()
    try file.install(1, "-DPLAIN")
    let plugin = try IsolatedPlugin(loading: file.path, try file.options)
    try file.install(2, "-DASKS")
    try await end(plugin)
    let outcome = try await plugin.outcome("revision")
    #expect(outcome.pluginError?.kind == .replaced, "\(outcome)")
    #expect(outcome.pluginError?.message.contains("its description has changed") == true, "\(outcome)")
    // The first one is back.
    try file.install(1, "-DPLAIN")
    #expect(try await plugin.outcome("revision").value == .int(1))
    plugin.unload()
  }

  /// Ends the worker, and waits for its end.
  private func end(_ plugin: IsolatedPlugin) async throws {
    let pending = plugin.call("gate", [], timeout: nil)
    guard case .int(let process)? = try await plugin.outcome("process").value else {
      Issue.record("no process")
      return
    }
    #expect(kill(pid_t(process), SIGKILL) == 0)
    #expect(try await pending.outcomeInTime().workerEnd != nil)
  }
}
