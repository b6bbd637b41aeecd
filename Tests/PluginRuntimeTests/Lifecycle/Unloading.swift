import CPromise
import Dispatch
import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Unloading")
struct Unloading {
  @Test("unload() is called once for each plugin, the last loaded first, and nothing is called afterwards")
  func order() async throws {
    let log = Recorder<String>()
    let host = Host(Host.Options(log: { log.record("\($1): \($2)") }))
    try host.load(try Fixture.plugin("table"))
    try host.load(try Fixture.plugin("blocking"))
    #expect(host.unloadAll() == [])
    #expect(host.unloadAll() == [])
    #expect(log.events == ["test.table: loading", "test.blocking: unloaded", "test.table: unloading"])
    #expect(await host.outcome("fits", of: "test.table").pluginError?.kind == .closed)
    let path = try Fixture.plugin("whole")
    let error = #expect(throws: PluginError.self) { try host.load(path) }
    #expect(error?.kind == .closed)
  }

  @Test("shutting down waits for running calls, while new ones are rejected")
  func drain() async throws {
    let host = try Host.loading("promises")
    let sum = host.call("sum", of: "test.promises", [.value(.bytes([1, 2]))])
    let go = try host.function("go", of: "test.promises")
    let end = Promise<PluginValue>()
    DispatchQueue.global().async {
      host.unloadAll(deadline: .seconds(3600))
      end.resolve(.void)
    }
    // Calls are rejected as soon as the host waits. Then the sum may continue.
    while await host.outcome("discarded", of: "test.promises").pluginError?.kind != .closed { await Task.yield() }
    #expect(sum.state == .pending)
    #expect(end.state == .pending)
    var result = promise_value_t()
    go.invoke(nil, count: 0, into: &result)
    #expect(await sum.outcome().value == .uint(3))
    #expect(await end.outcome().value == .void)
  }

  @Test("calls that are pending at the deadline are rejected, and the plugin's promises discarded")
  func deadline() async throws {
    let host = try Host.loading("promises")
    let never = host.call("never", of: "test.promises")
    #expect(host.unloadAll(deadline: .milliseconds(1)) == [])
    let error = await never.outcome().pluginError
    #expect(error?.kind == .closed)
    #expect(error?.description == "test.promises.never: had not settled its promise when the host shut down")
  }

  @Test("a plugin with a function that has not returned is not unloaded, and is named")
  func executing() async throws {
    let log = Recorder<String>()
    let host = try Host.loading("blocking", Host.Options(log: { log.record($2) }))
    let call = host.call("block", of: "test.blocking", on: .default)
    _ = await host.outcome("await", of: "test.blocking")
    let release = try host.function("release_all", of: "test.blocking")
    #expect(host.unloadAll(deadline: .zero) == ["test.blocking"])
    #expect(log.events == [])
    var result = promise_value_t()
    release.invoke(nil, count: 0, into: &result)
    #expect(await call.outcome().value == .int(1))
  }

  @Test("a promise that a function returns after the deadline is discarded, and its call rejected")
  func late() async throws {
    let host = try Host.loading("affine")
    let (entered, gate) = (Gate(), Gate())
    defer { gate.open() }
    let body = PluginCallback.waiting(entered, gate)
    let late = host.call("never_after", of: "test.affine", [Argument(.callback(body))], on: .default)
    await onThread { entered.wait() }
    #expect(host.unloadAll(deadline: .zero) == ["test.affine"])
    #expect(late.state == .pending)
    gate.open()
    #expect(try await late.outcomeInTime().pluginError?.kind == .closed)
  }

  @Test("no function is called once its plugin is about to be unloaded, also by a call that the host has counted")
  func closed() async throws {
    let host = try Host.loading("whole")
    let calls = try host.find("test.whole").calls
    #expect(calls.begin())
    #expect(!calls.close(deadline: .now()))
    #expect(await host.outcome("add", of: "test.whole", [.value(.int(1))]).value != nil)
    calls.end()
    #expect(calls.close(deadline: .now()))
    #expect(await host.outcome("add", of: "test.whole", [.value(.int(1))]).pluginError?.kind == .closed)
    // The rejected call does not count.
    #expect(host.unloadAll(deadline: .seconds(3_600)) == [])
  }

  @Test("arguments that the plugin's threads may use stay while a function has not returned, and are freed otherwise")
  func retainedArguments() async throws {
    let host = try Host.loading("promises")
    try host.load(try Fixture.plugin("blocking"))
    let other = try Host.loading("promises")
    for host in [host, other] {
      let call = host.call("sum", of: "test.promises", [.value(.bytes([1, 2]))])
      call.discard()
      #expect(await call.outcome().reason is Discarded)
    }
    let blocked = host.call("block", of: "test.blocking", on: .default)
    _ = await host.outcome("await", of: "test.blocking")
    let release = try host.function("release_all", of: "test.blocking")
    #expect(host.unloadAll(deadline: .zero) == ["test.blocking"])
    #expect(host.retainedArguments.count == 1)
    var result = promise_value_t()
    release.invoke(nil, count: 0, into: &result)
    #expect(await blocked.outcome().value == .int(1))
    #expect(other.unloadAll() == [])
    #expect(other.retainedArguments.count == 0)
  }

  @Test("unloading from a callback of a call that has ended waits for nothing")
  func fromCallback() async throws {
    let host = try Host.loading("whole")
    let skipped = Recorder<[String]>()
    host.call("add", of: "test.whole", [.value(.int(1))]).then(
      { _ in
        skipped.record(host.unloadAll(deadline: .seconds(60)))
      }, nil)
    #expect(skipped.events == [[]])
  }
}
