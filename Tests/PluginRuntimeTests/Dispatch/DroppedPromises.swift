import Dispatch
import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Calls: promises that nothing can settle")
struct DroppedPromises: CallsPlugin {
  static let plugin = "test.promises"
  let host: Host

  init() throws { host = try .loading("promises") }

  private static let message =
    "returned a promise that nothing can settle: its last reference was released while it was pending"

  @Test("promises that nothing can settle are rejected when their last reference is released, by the function or later")
  func dropped() async {
    let lost = await outcome("lose", .bytes([1])).pluginError
    #expect(lost?.kind == .badResult && lost?.description == "test.promises.lose: \(Self.message)")
    let held = host.call("hold", of: "test.promises", [.value(.bytes([1]))])
    #expect(held.state == .pending)
    _ = await outcome("drop")
    #expect(await held.outcome().pluginError?.message == Self.message)
  }

  @Test("promises that nothing can settle are rejected when the promise that they wait for is dropped")
  func derived() async {
    let held = host.call("hold_twofold", of: "test.promises")
    #expect(held.state == .pending)
    _ = await outcome("drop")
    #expect(await held.outcome().pluginError?.description == "test.promises.hold_twofold: \(Self.message)")
  }

  @Test(
    "promises that nothing can settle can be discarded before and after their last release, which frees the arguments that they borrowed"
  )
  func discarded() async {
    let held = host.call("hold", of: "test.promises", [.value(.bytes([1]))])
    held.discard()
    #expect(await held.outcome().reason is Discarded)
    #expect(host.retainedArguments.count == 1)
    _ = await outcome("drop")
    // Any call releases unused arguments.
    let lost = host.call("lose", of: "test.promises", [.value(.bytes([1]))])
    #expect(host.retainedArguments.count == 0)
    lost.discard()
    #expect(await lost.outcome().pluginError?.message == Self.message)
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
  }

  @Test("promises that nothing can settle end their calls: unloading waits for none of them")
  func unloading() async throws {
    _ = await outcome("lose", .bytes([1]))
    let held = host.call("hold", of: "test.promises", [.value(.bytes([1]))])
    _ = await outcome("drop")
    #expect(await held.outcome().pluginError?.kind == .badResult)
    let end = Promise<PluginValue>()
    let host = host
    DispatchQueue.global().async {
      _ = host.unloadAll(deadline: .seconds(3600))
      end.resolve(.void)
    }
    #expect(try await end.outcomeInTime().value == .void)
  }

  @Test("promises that nothing can settle are rejected in a worker process, whose other calls go on")
  func isolated() async throws {
    let plugin = try IsolatedPlugin.loading("promises")
    let never = plugin.call("never", [], timeout: nil)
    let held = plugin.call("hold", [.value(.bytes([1]))], timeout: nil)
    #expect(
      try await plugin.outcome("lose", .bytes([1])).pluginError?.description == "test.promises.lose: \(Self.message)")
    _ = try await plugin.outcome("drop")
    #expect(try await held.outcomeInTime().pluginError?.message == Self.message)
    #expect(never.state == .pending)
    plugin.unload(deadline: .zero)
  }
}
