import Promises
import Testing

@testable import PluginRuntime

@Suite("Isolation: a call that depends on one whose worker ended")
struct CauseTests {
  private static func next(_ plugin: IsolatedPlugin, _ promise: Promise<PluginValue>) -> Promise<PluginValue> {
    plugin.call("next", [Argument(.promise(promise))], timeout: nil)
  }

  @Test("the end of a worker rejects dependent calls in other workers, with each call between as a cause")
  func elsewhere() async throws {
    let mortal = try IsolatedPlugin.loading("dying")
    let (one, two) = (try IsolatedPlugin.loading("chain"), try IsolatedPlugin.loading("chain"))
    let first = mortal.call("never", [], timeout: nil)
    let second = Self.next(one, first)
    let third = Self.next(two, second)
    #expect(try await mortal.outcome("die", .string("abort")).workerEnd != nil)
    let root = try #require(try await first.outcomeInTime().pluginError)
    #expect(root.causes.isEmpty)
    let middle = try #require(try await second.outcomeInTime().pluginError)
    #expect(middle.kind == root.kind && middle.subject == "test.chain.next", "\(middle)")
    #expect(middle.causes == [root])
    #expect(middle.message == "depends on test.dying.never, which was rejected: \(root.message)")
    let last = try #require(try await third.outcomeInTime().pluginError)
    #expect(last.kind == root.kind && last.causes.map(\.subject) == ["test.chain.next", "test.dying.never"], "\(last)")
    #expect(last.causes.allSatisfy { $0.causes.isEmpty })
    // The workers of the dependents continue.
    #expect(try await one.outcome("value", .int(3)).value == .int(3))
    for plugin in [mortal, one, two] { plugin.unload() }
  }

  @Test("the end of a worker rejects dependent calls in the same worker, with at most 16 causes")
  func here() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    var calls = [plugin.call("gate", timeout: nil)]
    for _ in 0..<20 { calls.append(Self.next(plugin, calls.last!)) }
    #expect(try await plugin.outcome("die").workerEnd != nil)
    for (index, call) in calls.enumerated() {
      let error = try #require(try await call.outcomeInTime().pluginError)
      #expect(error.causes.count == min(index, 16))
      let names = Array(repeating: "test.chain.next", count: max(0, index - 1)) + (index > 0 ? ["test.chain.gate"] : [])
      #expect(error.causes.map(\.subject) == Array(names.prefix(16)))
    }
    plugin.unload()
  }

  @Test("a call that depends on an ended worker is rejected with the plugin's own reason if it gives one")
  func own() async throws {
    let mortal = try IsolatedPlugin.loading("dying")
    let plugin = try IsolatedPlugin.loading("chain")
    let gate = plugin.call("gate", timeout: nil)
    let dependent = Self.next(plugin, mortal.call("never", [], timeout: nil))
    #expect(try await mortal.outcome("die", .string("abort")).workerEnd != nil)
    #expect(try await dependent.outcomeInTime().workerEnd != nil)
    // The plugin's own reason is unchanged, also after the end of another worker.
    #expect(try await plugin.outcome("fail").value == .void)
    #expect("\(try await gate.outcomeInTime().reason ?? "")" == "-7")
    for plugin in [mortal, plugin] { plugin.unload() }
  }
}
