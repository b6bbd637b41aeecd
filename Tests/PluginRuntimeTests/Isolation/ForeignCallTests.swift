import Glibc
import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Isolation: calls of other plugins on behalf of a worker")
struct ForeignCallTests {
  @Test("a call that its worker cancels is discarded, as soon as it is under way", arguments: [true, false])
  func cancelled(isUnderWay: Bool) {
    let discards = Recorder<Int>()
    let promise = Promise<PluginValue>(discard: { discards.record(1) })
    let call = ForeignCall()
    if isUnderWay { call.begin(promise) }
    call.cancel()
    if !isUnderWay { call.begin(promise) }
    #expect(discards.events == [1])
  }

  @Test("a discard block does not delay the end of the worker whose call it discards")
  func discardBlocks() async throws {
    let host = try Host.loading("affine")
    try host.load(try Fixture.plugin("caller"), isolation: .tests)
    let (entered, gate) = (Gate(), Gate())
    defer { gate.open() }
    let body = PluginCallback.waiting(entered, gate)
    _ = await host.outcome("on_discard", of: "test.affine", [Argument(.callback(body))])
    let call = host.call("call", of: "test.caller", [.text("test.affine"), .text("never")])
    let affine = try host.find("test.affine")
    try await waiting(for: { !affine.calls.pending.isEmpty })
    try await host.killWorker(of: "test.caller")
    await onThread { entered.wait() }
    #expect(try await call.outcomeInTime().workerEnd != nil)
    gate.open()
    host.unloadAll()
  }

  @Test("closures that are released with the end of their worker do not delay the next one")
  func closures() async throws {
    let host = Host()
    try host.load(try Fixture.plugin("affine"), isolation: .tests)
    let (entered, gate) = (Gate(), Gate())
    defer { gate.open() }
    do {
      let word = LastWord {
        entered.open()
        gate.wait()
      }
      let body = PluginCallback { _ in
        word.touch()
        return .void
      }
      let set = host.call("on_discard", of: "test.affine", [Argument(.callback(body))])
      #expect(try await set.outcomeInTime().value == .void)
    }
    try await host.killWorker(of: "test.affine")
    await onThread { entered.wait() }
    #expect(try await host.call("last_error", of: "test.affine", [.value(.int(3))]).outcomeInTime().value == .int(3))
    gate.open()
    host.unloadAll()
  }
}

extension Host {
  /// Kills the worker of a plugin.
  fileprivate func killWorker(of plugin: String) async throws {
    guard case .int(let process)? = try await call("process", of: plugin).outcomeInTime().value else {
      Issue.record("no process")
      return
    }
    #expect(kill(pid_t(process), SIGKILL) == 0)
  }
}
