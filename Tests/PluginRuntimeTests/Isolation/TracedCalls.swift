import Foundation
import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

/// A trace calls a closure of the program wherever a promise is made. So no promise is made with a lock held that a
/// call of a plugin takes.
@Suite("Isolation: calls made within a trace")
struct TracedCalls {
  /// Calls a function of the plugin when a promise is made during `body`, on this thread or on another one.
  private static func calling(
    _ plugin: IsolatedPlugin, _ function: String, onThisThread isHere: Bool, during body: () -> Void
  ) -> Promise<PluginValue> {
    let made = Monitor<Promise<PluginValue>?>(nil)
    let own = pthread_self()
    PromiseTrace.start { event in
      guard event.kind == .created, (pthread_equal(pthread_self(), own) != 0) == isHere else { return }
      if made.withLock({ $0 == nil }) { made.withLock { $0 = plugin.call(function, [], timeout: nil) } }
    }
    defer { PromiseTrace.stop() }
    body()
    return made.wait { $0 }
  }

  // Each test runs in a process of its own, because a process has one trace.

  @Test("calls made within a trace are queued before the call that the trace reports")
  func waiting() async {
    await #expect(processExitsWith: .success) {
      let plugin = try IsolatedPlugin.loading("chain") { $0.limits.inFlight = 1 }
      let blocker = plugin.call("gate", [], timeout: nil)
      var outer: Promise<PluginValue>?
      let inner = TracedCalls.calling(plugin, "resident", onThisThread: true) {
        outer = plugin.call("value", [Argument(.value(.int(2)))], timeout: nil)
      }
      #expect(outer?.state == .pending && inner.state == .pending)
      blocker.discard()
      #expect(try await inner.outcomeInTime().value != nil)
      #expect(try await outer?.outcomeInTime().value == .int(2))
      plugin.unload()
    }
  }

  @Test("calls made within a trace end with the worker whose results are given up")
  func lost() async {
    await #expect(processExitsWith: .success) {
      let plugin = try IsolatedPlugin.loading("chain")
      let kept = try await KeptResultTests.keep(plugin)
      let inner = TracedCalls.calling(plugin, "resident", onThisThread: false) {
        _ = plugin.call("die", [], timeout: nil)
      }
      for promise in [inner, kept] {
        #expect(try await promise.outcomeInTime().workerEnd?.cause == .killed(signal: 6))
      }
      plugin.unload()
    }
  }

  @Test("calls made within a trace in a worker run where promises are made for arguments, and for results taken later")
  func inWorker() async throws {
    let host = Host()
    try host.load(try Fixture.plugin("chain"), isolation: .tests)
    func call(_ function: String, _ arguments: Argument...) -> Promise<PluginValue> {
      host.call(function, of: "test.chain", arguments)
    }
    #expect(try await call("call_at_events").outcomeInTime().value == .void)
    let number = Promise<PluginValue>()
    let second = call("next", Argument(.promise(call("next", Argument(.promise(number))))))
    number.resolve(.int(3))
    let outcome = try await second.outcomeInTime()
    #expect(outcome.value == .int(5), "\(outcome)")
    host.unloadAll()
  }
}
