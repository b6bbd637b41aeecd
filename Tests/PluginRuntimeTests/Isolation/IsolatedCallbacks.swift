import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

@Suite("Isolation: callbacks, and calls of other plugins", .serialized)
struct IsolatedCallbacks {
  @Test("isolated callbacks run in the host with their arguments, and return their results")
  func call() async throws {
    let plugin = try IsolatedPlugin.loading("callbacks")
    let seen = Recorder<[PluginValue]>()
    let visit = Argument.callback { arguments in
      seen.record(arguments)
      return .bool(arguments[0] != .int(2))
    }
    #expect(try await plugin.call("walk", [.value(.int(5)), visit], timeout: nil).outcomeInTime().value == .int(2))
    #expect(seen.events.last == [.int(2), .string("two")])
    let point = PluginValue.object([PluginMember("x", .double(2.25)), PluginMember("y", .int(-9))])
    let shapes = Argument.callback { _ in point }
    #expect(try await plugin.call("shapes", [shapes], timeout: nil).outcomeInTime().value == point)
    let sum = Argument.callback { _ in .int(1) }
    let many = plugin.call("on_threads", [.value(.int(8)), sum], timeout: nil)
    #expect(try await many.outcomeInTime().value == .int(800))
  }

  @Test(
    "isolated callbacks of each scope end with it, and are released in the host",
    arguments: [(0, "keep_call"), (1, "keep_once")])
  func scopes(which: Int64, function: String) async throws {
    let plugin = try IsolatedPlugin.loading("callbacks")
    let (end, calls) = (End(), Recorder<Int64>())
    #expect(try await plugin.call(function, [tripling(end, calls)], timeout: nil).outcomeInTime().value == .void)
    let isOnce = function == "keep_once"
    if isOnce { #expect(try await plugin.outcome("call_kept", .int(which), .int(5)).value == .int(15)) }
    try await waiting(for: { end.isOver })
    #expect(try await plugin.outcome("call_kept", .int(which), .int(6)).value == .int(0))
    #expect(calls.events == (isOnce ? [5] : []))
  }

  @Test("isolated callbacks @settled end with the promise, and @forever with the plugin")
  func longScopes() async throws {
    let plugin = try IsolatedPlugin.loading("callbacks")
    let (settled, forever, calls) = (End(), End(), Recorder<Int64>())
    let promise = plugin.call("keep_settled", [tripling(settled, calls)], timeout: nil)
    for value in [3, 4] as [Int64] { #expect(try await plugin.kept(2, value) == .int(value * 3)) }
    #expect(!settled.isOver)
    #expect(try await plugin.outcome("settle").value == .void)
    #expect(try await promise.outcomeInTime().value == .void)
    try await waiting(for: { settled.isOver })
    #expect(
      try await plugin.call("keep_forever", [tripling(forever, calls)], timeout: nil).outcomeInTime().value == .void)
    #expect(try await plugin.outcome("call_kept", .int(3), .int(7)).value == .int(21))
    #expect(!forever.isOver)
    plugin.unload()
    try await waiting(for: { forever.isOver })
    // unload() calls the callback once more.
    #expect(calls.events == [3, 4, 7, 100])
  }

  @Test("isolated callbacks that throw reject the call with their error, and settle promises of the function")
  func errors() async throws {
    let plugin = try IsolatedPlugin.loading("callbacks")
    let thrower = Argument.callback { _ in throw Mistake() }
    let walk = try await plugin.call("walk", [.value(.int(1)), thrower], timeout: nil).outcomeInTime()
    #expect(walk.reason is Mistake, "\(walk)")
    #expect(try await plugin.outcome("later", .int(9)).value == .int(9))
  }

  @Test("isolated callbacks are released when their worker ends, and their calls are settled")
  func death() async throws {
    let plugin = try IsolatedPlugin.loading("callbacks")
    let end = End()
    let kept = plugin.call("keep_settled", [tripling(end, Recorder())], timeout: nil)
    #expect(try await plugin.kept(2, 3) == .int(9))
    plugin.unload(deadline: .zero)
    #expect(try await kept.outcomeInTime().pluginError?.kind == .closed)
    try await waiting(for: { end.isOver })
  }

  @Test("host->call reaches plugins of this process and of other workers, from here and from there")
  func foreign() async throws {
    for (caller, called) in [(true, true), (true, false), (false, true)] {
      let host = Host()
      for fixture in ["caller", "whole", "types", "promises"] {
        let path = try Fixture.plugin(fixture)
        if fixture == "caller" ? caller : called {
          try host.load(path, isolation: .tests)
        } else {
          try host.load(path)
        }
      }
      func outcome(_ function: String, _ values: PluginValue...) async throws -> Outcome {
        try await host.call(function, of: "test.caller", values.map { .value($0) }).outcomeInTime()
      }
      #expect(try await outcome("add", .int(20), .int(22)).value == .int(42), "\(caller) \(called)")
      #expect(try await outcome("add_default", .int(40)).value == .int(42))
      #expect(try await outcome("echo", .string("é")).value == .string("é"))
      let wrong = try await outcome("call", .string("test.whole"), .string("sub"))
      #expect(wrong.promiseError?.message.contains("has no function 'sub'") == true, "\(wrong)")
      host.unloadAll()
    }
  }

  private func tripling(_ end: End, _ calls: Recorder<Int64>) -> Argument {
    .callback { [guardian = Guardian(end)] arguments in
      try withExtendedLifetime(guardian) {
        guard case .int(let number) = arguments[0] else { throw Mistake() }
        calls.record(number)
        return .int(number * 3)
      }
    }
  }
}

extension IsolatedPlugin {
  /// Calls a kept callback as soon as it has been kept: calls of a worker run side by side.
  fileprivate func kept(_ which: Int64, _ value: Int64) async throws -> PluginValue? {
    for _ in 0..<10_000 {
      let result = try await outcome("call_kept", .int(which), .int(value)).value
      if result != .int(0) { return result }
    }
    return nil
  }
}

private struct Mistake: Error {}

/// Notes the release of a closure.
private final class End: Sendable {
  private let over = Recorder<Bool>()
  var isOver: Bool { over.count > 0 }
  func note() { over.record(true) }
}

private final class Guardian: Sendable {
  private let end: End
  init(_ end: End) { self.end = end }
  deinit { end.note() }
}
