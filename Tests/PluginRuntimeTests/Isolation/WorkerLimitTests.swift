import Foundation
import Glibc
import Promises
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Isolation: limits", .serialized)
struct WorkerLimitTests {
  private func process(of plugin: IsolatedPlugin) async throws -> pid_t {
    let value = try #require(try await plugin.outcome("process").value)
    guard case .int(let process) = value else {
      Issue.record("\(value) is no process")
      return 0
    }
    return pid_t(process)
  }

  /// Stops the process, and waits for all of its threads: they stop some time after kill() has returned.
  private func stop(_ process: pid_t) async throws {
    try #require(process > 0 && kill(process, SIGSTOP) == 0)
    let folder = "/proc/\(process)/task"
    try await waiting(for: {
      let threads = try? FileManager.default.contentsOfDirectory(atPath: folder)
      return threads?.allSatisfy { thread in
        // The state follows the name, which is in parentheses.
        let facts = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)
        return facts.map { $0.split(separator: ") ").last?.first == "T" } ?? true
      } ?? true
    })
  }

  @Test("a worker is ended before its host if the machine has no memory left", arguments: [false, true])
  func victim(isUnrestricted: Bool) async throws {
    let plugin = try IsolatedPlugin.loading("dying") { if isUnrestricted { try? $0.capabilities.allow("all") } }
    let score = try String(contentsOfFile: "/proc/\(try await process(of: plugin))/oom_score_adj", encoding: .utf8)
    #expect(score == "1000\n")
    plugin.unload()
  }

  @Test("a time limit of a call counts while no worker is started because the last one ended without an answer")
  func beforeRestart() async throws {
    for _ in 0..<10 {
      let plugin = try IsolatedPlugin.loading("dying") { $0.backoff = .seconds(3_600) }
      defer { plugin.unload(deadline: .zero) }
      let began = ContinuousClock.now
      #expect(try await plugin.outcome("die", .string("kill")).workerEnd != nil)
      // The next worker is started after 5 s. On a busy machine, this test may be late.
      let isEarly = ContinuousClock.now - began < .seconds(4)
      #expect(try await plugin.outcome("echo", .int(1), timeout: .milliseconds(1)).pluginError?.kind == .timedOut)
      guard isEarly else { continue }
      #expect(plugin.workers.map(\.generation) == [1])
      return
    }
    Issue.record("each call came too late")
  }

  @Test("a limit of depth rejects the call whose argument or result is too deep, and no other")
  func depth() async throws {
    let plugin = try IsolatedPlugin.loading("asking")
    let deepest = try #require(try await plugin.outcome("deep", .uint(128)).value)
    #expect(try await plugin.outcome("echo", deepest).pluginError?.kind == .badArgument)
    let deep = try await plugin.outcome("deep", .uint(129))
    #expect(deep.pluginError?.kind == .badResult, "\(deep)")
    #expect(deep.pluginError?.message.contains("nested deeper than 128 levels") == true, "\(deep)")
    // A frame adds one level to a reason.
    let refused = try await plugin.outcome("refuse", .uint(128))
    #expect(refused.pluginError?.kind == .notIsolated, "\(refused)")
    #expect(refused.pluginError?.message.contains("cannot send the result of a call") == true, "\(refused)")
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
    plugin.unload()
  }

  @Test("an answer that came before the worker was killed for another call counts")
  func answered() async throws {
    let (gate, logged) = (Gate(), Recorder<Int>())
    defer { gate.open() }
    let host = Host.Options(log: { _, _, text in
      guard text == "no value" else { return }
      logged.record(1)
      // Holds the thread that reads the answers of the worker.
      gate.wait()
    })
    let lines = Recorder<String>()
    let plugin = try IsolatedPlugin.loading("dying", host: host) { $0.output = { lines.record($0) } }
    let stuck = plugin.call("die", [.value(.string("block"))], timeout: nil)
    try await waiting(for: { lines.events == ["about to block"] })
    let call = plugin.call("log_setting", [.value(.string("none"))], timeout: nil)
    try await waiting(for: { logged.count == 1 })
    let link = plugin.state.withLock { $0.active[0] }.link
    link.state.withLock { state in
      for call in state.calls.values where call.function == "die" { call.killTime = .now }
      state.nextTime = .now
    }
    // The worker answers meanwhile, and the thread that serves it checks the times before it reads.
    try await Task.sleep(for: .seconds(2))
    gate.open()
    #expect(try await call.outcomeInTime().value == .void)
    #expect(try await stuck.outcomeInTime().workerEnd?.fault?.contains("did not stop within") == true)
    plugin.unload()
  }

  /// Returns a plugin without a worker: the next one does not load the plugin before the file is removed.
  private func withoutWorker() async throws -> (plugin: IsolatedPlugin, hold: String) {
    let hold = FileManager.default.temporaryDirectory.appending(path: "hold-\(UUID().uuidString)").path
    let plugin = try IsolatedPlugin.loading(
      "dying", ["-DIN_LOAD=while (access(\"\(hold)\", F_OK) == 0) usleep(1000)"]
    ) { $0.capabilities = .unrestricted }
    #expect(FileManager.default.createFile(atPath: hold, contents: nil))
    #expect(try await plugin.outcome("die", .string("kill")).workerEnd != nil)
    return (plugin, hold)
  }

  @Test("a call that is discarded before a worker has got it is not made, and ends no worker")
  func discardedUnsent() async throws {
    let (plugin, hold) = try await withoutWorker()
    let call = plugin.call("die", [.value(.string("kill"))], timeout: nil)
    let other = plugin.call("echo", [.value(.int(2))], timeout: nil)
    call.discard()
    #expect(call.rejectReason is Discarded)
    try FileManager.default.removeItem(atPath: hold)
    #expect(try await other.outcomeInTime().value == .int(2))
    #expect(plugin.workers[0].generation == 2 && plugin.workers[0].pending == 0)
    plugin.unload()
  }

  @Test("the closures of a call that no worker has got may use the plugin when they are released")
  func releasedUnsent() async throws {
    let (plugin, hold) = try await withoutWorker()
    let pending = Recorder<Int>()
    func begin() -> Promise<PluginValue> {
      let word = LastWord { pending.record(plugin.workers[0].pending) }
      let callback = PluginCallback { _ in
        word.touch()
        return .int(1)
      }
      return plugin.call("keep", [Argument(.callback(callback))], timeout: nil)
    }
    let call = begin()
    Thread.detachNewThread { call.discard() }
    try await waiting(for: { pending.events == [0] })
    try FileManager.default.removeItem(atPath: hold)
    plugin.unload()
  }

  @Test("limits of time count for calls that no worker has got yet")
  func unsent() async throws {
    let (plugin, hold) = try await withoutWorker()
    let call = plugin.call("echo", [.value(.int(1))], timeout: .milliseconds(50))
    #expect(try await call.outcomeInTime().pluginError?.kind == .timedOut)
    try FileManager.default.removeItem(atPath: hold)
    #expect(try await plugin.outcome("echo", .int(2)).value == .int(2))
    plugin.unload()
  }

  @Test("limits of time count while other calls are answered without a pause")
  func busy() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let stuck = plugin.call("gate", timeout: .milliseconds(100))
    var others = 0
    while stuck.state == .pending, others < 100_000 {
      #expect(await plugin.call("value", [.value(.int(1))], timeout: nil).outcome().value == .int(1))
      others += 1
    }
    #expect(others < 100_000)
    #expect(try await stuck.outcomeInTime().pluginError?.kind == .timedOut)
    plugin.unload()
  }

  @Test("frames that do not fit into the socket wait, also for a worker that was stopped")
  func socket() async throws {
    let plugin = try IsolatedPlugin.loading("asking")
    let data = PluginValue.bytes([UInt8](repeating: 7, count: 8 << 20))
    let calls = (0..<4).map { _ in plugin.call("length", [.value(data)], timeout: nil) }
    for call in calls { #expect(try await call.outcomeInTime().value == .uint(8 << 20)) }
    let process = try await process(of: plugin)
    try await stop(process)
    let stopped = try await plugin.outcome("length", data)
    #expect(stopped.workerEnd?.fault == "it was stopped by SIGSTOP", "\(stopped)")
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
    plugin.unload()
  }

  @Test("the wait for a time is rounded up; without a time it does not end")
  func waits() {
    let now = ContinuousClock.now
    func milliseconds(_ end: Duration?) -> Int32 {
      WorkerServer.milliseconds(from: now, until: end.map { now + $0 })
    }
    #expect(milliseconds(nil) == -1)
    #expect(milliseconds(.nanoseconds(1)) == 1 && milliseconds(.milliseconds(5)) == 5)
    #expect(milliseconds(.seconds(-1)) == 0 && milliseconds(.seconds(7_200)) == 3_600_000)
  }

  @Test("the next call finds a worker that was stopped while it had no calls")
  func stoppedWhileIdle() async throws {
    let plugin = try IsolatedPlugin.loading("asking")
    let process = try await process(of: plugin)
    let link = plugin.state.withLock { $0.active[0] }.link
    try await waiting { link.state.withLock { $0.isAsleep } }
    try await stop(process)
    let stopped = try await plugin.outcome("echo", .int(3))
    #expect(stopped.workerEnd?.fault == "it was stopped by SIGSTOP", "\(stopped)")
    plugin.unload()
  }

  @Test("a handle of another process is refused in the value of a promise, too", arguments: [false, true])
  func promisedHandle(isEarly: Bool) async throws {
    let plugin = try IsolatedPlugin.loading("promises")
    let promise = Promise<PluginValue>()
    let handle = PluginValue.array([.pointer(PluginPointer(name: "thing", address: 8))])
    if isEarly { promise.resolve(handle) }
    let call = plugin.call("twofold", [Argument(.promise(promise))], timeout: nil)
    promise.resolve(handle)
    let outcome = try await call.outcomeInTime()
    // The plugin's promise follows the argument, so the reason is one of C.
    let message = outcome.promiseError?.message ?? ""
    #expect(message.contains("a promise[0] is a handle or an address of another process"), "\(outcome)")
    plugin.unload()
  }

  @Test("a worker has one socket, beyond the low descriptors")
  func oneSocket() async throws {
    let plugin = try IsolatedPlugin.loading("asking")
    let folder = "/proc/\(try await process(of: plugin))/fd"
    let sockets = try FileManager.default.contentsOfDirectory(atPath: folder).filter { name in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))?.hasPrefix("socket:") == true
    }
    #expect(sockets.count == 1 && sockets.allSatisfy { Int($0).map { $0 >= 50 } == true }, "\(sockets)")
    plugin.unload()
  }
}
