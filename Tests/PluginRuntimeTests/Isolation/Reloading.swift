import Foundation
import Promises
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

/// A plugin's file that is exchanged, and the events that its code notes.
struct ExchangedFile {
  let path = Fixture.file("reloading.so")
  let events = Fixture.file("events")

  /// The folder of the events.
  var folder: URL { URL(fileURLWithPath: events).deletingLastPathComponent() }

  init() throws { try install(1) }

  /// The options of workers that may write the events.
  var options: IsolationOptions {
    get throws {
      var options = IsolationOptions.tests
      try options.capabilities.allow("write=\(folder.path)")
      return options
    }
  }

  /// Renames a new build to the path.
  func install(_ revision: Int, _ flags: String...) throws {
    let built = try Fixture.plugin("reloading", ["-DREVISION=\(revision)", "-DEVENTS=\"\(events)\""] + flags)
    try #require(rename(built, path) == 0)
  }

  /// Loads a build whose quiesce() waits until there is a file. Returns that file's path, too.
  func loadingWithWait(
    _ change: (inout IsolationOptions) -> Void = { _ in }
  ) throws -> (plugin: IsolatedPlugin, go: String) {
    let go = folder.appendingPathComponent("go").path
    try install(1, "-DWAITS=\"\(go)\"")
    var options = try options
    try options.capabilities.allow("read=\(folder.path)")
    change(&options)
    return (try IsolatedPlugin(loading: path, options), go)
  }

  var lines: [String] {
    (try? String(contentsOfFile: events, encoding: .utf8).split(separator: "\n").map(String.init)) ?? []
  }
}

@Suite("Isolation: reloading", .serialized)
struct Reloading {
  @Test("reloading sends new calls to the new file, and lets calls under way end in the old one")
  func exchange() async throws {
    let file = try ExchangedFile()
    let plugin = try IsolatedPlugin(loading: file.path, try file.options)
    #expect(try await plugin.outcome("revision").value == .int(1))
    let old = plugin.call("gate", [], timeout: nil)
    // This opens the gates of the old worker later.
    #expect(try await plugin.outcome("open_later", .uint(1_000)).value == .void)
    try file.install(2)
    try plugin.reload(deadline: .seconds(60))
    #expect(try await plugin.outcome("revision").value == .int(2))
    #expect(try await old.outcomeInTime().value == .int(1))
    try await waiting(for: { plugin.workers.count == 1 })
    #expect(plugin.workers[0].state == .active && plugin.workers[0].generation == 2)
    #expect(file.lines == ["load 1", "quiesce 1", "load 2", "health 2", "unload 1"])
    plugin.unload()
    #expect(file.lines.last == "unload 2")
  }

  @Test("reloading rejects the calls of the old file that are pending at the deadline")
  func deadline() async throws {
    let file = try ExchangedFile()
    let plugin = try IsolatedPlugin(loading: file.path, try file.options)
    let old = plugin.call("gate", [], timeout: nil)
    try file.install(2)
    try plugin.reload(deadline: .milliseconds(10))
    #expect(try await old.outcomeInTime().pluginError?.kind == .closed)
    #expect(try await plugin.outcome("revision").value == .int(2))
    plugin.unload()
  }

  @Test(
    "reloading keeps the old file if the new one is not fit",
    arguments: [
      ("-DSICK", "sick", ["load 1", "quiesce 1", "load 2", "health 2", "resume 1"]),
      ("-DFAILS", "fails to load", ["load 1", "quiesce 1", "load 2", "resume 1"]),
      ("-DID=\"test.other\"", "has the id 'test.other'", ["load 1", "quiesce 1", "resume 1"]),
      ("junk", "shared library", ["load 1", "quiesce 1", "resume 1"]),
    ])
  func rollback(flag: String, reason: String, events: [String]) async throws {
    let file = try ExchangedFile()
    let plugin = try IsolatedPlugin(loading: file.path, try file.options)
    let old = plugin.call("gate", [], timeout: nil)
    if flag == "junk" {
      try #require(rename(try Fixture.file("junk", containing: "junk".utf8), file.path) == 0)
    } else {
      try file.install(2, flag)
    }
    let error = #expect(throws: PluginError.self) { try plugin.reload() }
    #expect(error?.kind == .rolledBack && error?.message.contains(reason) == true, "\(error as Any)")
    let seen = file.lines.filter { $0 != "unload 2" }
    #expect(seen == events)
    #expect(try await plugin.outcome("revision").value == .int(1))
    #expect(old.state == .pending)
    #expect(try await plugin.outcome("open_gates").value == .int(1))
    #expect(try await old.outcomeInTime().value == .int(1))
    // The worker that is started in place of this one loads the old file too.
    try await plugin.endWorker()
    #expect(try await plugin.outcome("revision").value == .int(1))
    try file.install(3)
    try plugin.reload()
    #expect(try await plugin.outcome("revision").value == .int(3))
    plugin.unload()
  }

  @Test("reloading resumes the old workers once the new ones, which have failed, have ended and given back a lock")
  func resuming() async throws {
    let file = try ExchangedFile()
    let lock = "-DLOCK=\"\(file.folder.appendingPathComponent("lock").path)\""
    try file.install(1, lock)
    let lines = Recorder<String>()
    let plugin = try IsolatedPlugin(
      loading: file.path, try file.options, host: Host.Options(log: { _, _, line in lines.record(line) }))
    try file.install(2, lock, "-DSICK")
    let error = #expect(throws: PluginError.self) { try plugin.reload() }
    #expect(error?.message.contains("sick") == true, "\(error as Any)")
    #expect(!lines.events.contains { $0.contains("locked") }, "\(lines.events)")
    #expect(file.lines == ["load 1", "quiesce 1", "load 2", "health 2", "unload 2", "resume 1"])
    plugin.unload()
  }

  @Test("reloading lets the calls that come during quiesce() wait for the new file, or until their time is over")
  func quiescing() async throws {
    let file = try ExchangedFile()
    let (plugin, go) = try file.loadingWithWait()
    try file.install(2)
    let over = Promise<PluginValue>()
    Thread.detachNewThread {
      do {
        try plugin.reload(deadline: .seconds(60))
        over.resolve(.void)
      } catch {
        over.reject(error)
      }
    }
    try await waiting(for: { file.lines.contains("quiesce 1") })
    let calls = (0..<3).map { _ in plugin.call("revision", [], timeout: nil) }
    #expect(try await plugin.outcome("revision", timeout: .milliseconds(1)).pluginError?.kind == .timedOut)
    #expect(FileManager.default.createFile(atPath: go, contents: nil))
    #expect(try await over.outcomeInTime().value == .void)
    for call in calls { #expect(try await call.outcomeInTime().value == .int(2)) }
    plugin.unload()
  }

  @Test("reloading reports the states of both generations", arguments: [true, false])
  func states(isHealthy: Bool) async throws {
    let file = try ExchangedFile()
    var options = try file.options
    try options.capabilities.allow("read=\(file.folder.path)")
    let plugin = try IsolatedPlugin(loading: file.path, options)
    let call = plugin.call("gate", [], timeout: nil)
    #expect(plugin.workers.map(\.state) == [.active])
    let go = file.folder.appendingPathComponent("go").path
    try file.install(2, "-DWAITS_IN_HEALTH=\"\(go)\"", isHealthy ? "-DHEALTHY" : "-DSICK")
    let over = Promise<Bool>()
    Thread.detachNewThread { over.resolve((try? plugin.reload(deadline: .seconds(60))) != nil) }
    try await waiting(for: { file.lines.contains("health 2") })
    #expect(plugin.workers.map(\.state) == [.active, .loaded])
    #expect(FileManager.default.createFile(atPath: go, contents: nil))
    try await waiting(for: { over.state != .pending })
    #expect(over.value == isHealthy)
    #expect(plugin.workers.map(\.state) == (isHealthy ? [.active, .draining] : [.active]))
    #expect(call.state == .pending)
    plugin.unload(deadline: .zero)
    #expect(plugin.workers[0].state == .unloaded)
  }

  @Test("reloading starts no new worker once the plugin is to be unloaded")
  func unloading() async throws {
    let file = try ExchangedFile()
    let (plugin, go) = try file.loadingWithWait()
    try file.install(2)
    let (errors, ended) = (Recorder<PluginError?>(), Recorder<Int>())
    Thread.detachNewThread {
      do throws(PluginError) {
        try plugin.reload()
        errors.record(nil)
      } catch {
        errors.record(error)
      }
    }
    try await waiting(for: { file.lines.contains("quiesce 1") })
    Thread.detachNewThread {
      plugin.unload()
      ended.record(1)
    }
    try await waiting(for: { plugin.state.withLock(\.isClosed) })
    #expect(FileManager.default.createFile(atPath: go, contents: nil))
    try await waiting(for: { ended.count == 1 })
    #expect(errors.events.map { $0?.kind } == [.rolledBack])
    #expect(file.lines == ["load 1", "quiesce 1", "resume 1", "unload 1"])
  }

  @Test("reloading is refused by a plugin that does not quiesce, and by a host for its own process")
  func refused() async throws {
    let file = try ExchangedFile()
    try file.install(1, "-DREFUSES")
    let plugin = try IsolatedPlugin(loading: file.path, try file.options)
    let error = #expect(throws: PluginError.self) { try plugin.reload() }
    #expect(error?.kind == .rolledBack && error?.message.contains("busy") == true)
    // It may have released something before it failed.
    #expect(file.lines == ["load 1", "quiesce 1", "resume 1"])
    #expect(try await plugin.outcome("revision").value == .int(1))
    plugin.unload()
    #expect(throws: PluginError.self) { try plugin.reload() }
    let host = try Host.loading("reloading")
    #expect(#expect(throws: PluginError.self) { try host.reload("test.reloading") }?.kind == .notReloadable)
    #expect(#expect(throws: PluginError.self) { try host.reload("test.nothing") }?.kind == .unknownPlugin)
  }

  @Test("reloading leaves the old workers until their calls have ended, or the plugin is unloaded")
  func draining() async throws {
    let file = try ExchangedFile()
    let plugin = try IsolatedPlugin(loading: file.path, try file.options)
    let old = plugin.call("gate", [], timeout: nil)
    try file.install(2)
    try plugin.reload(deadline: .seconds(3_600))
    #expect(plugin.workers.map(\.state) == [.active, .draining])
    #expect(plugin.workers.map(\.pending) == [0, 1] && plugin.workers.map(\.generation) == [2, 1])
    plugin.unload(deadline: .zero)
    #expect(try await old.outcomeInTime().pluginError?.kind == .closed || old.state == .pending)
    #expect(Set(file.lines.suffix(2)) == ["unload 1", "unload 2"], "\(file.lines)")
  }

  @Test("reloading ends with unload(): of a plugin, and of its host")
  func closed() throws {
    let path = try Fixture.plugin("reloading", ["-DPLAIN"])
    let plugin = try IsolatedPlugin(loading: path, .tests)
    plugin.unload()
    #expect(#expect(throws: PluginError.self) { try plugin.reload() }?.kind == .closed)
    let host = Host()
    try host.load(path, isolation: .tests)
    host.unloadAll()
    #expect(#expect(throws: PluginError.self) { try host.reload("test.reloading") }?.kind == .closed)
  }

  @Test("reloading refuses a new file whose requirements are not loaded", arguments: [true, false])
  func requirements(isInHost: Bool) throws {
    let file = try ExchangedFile()
    let host = Host()
    var plugin: IsolatedPlugin?
    if isInHost {
      try host.load(file.path, isolation: try file.options)
    } else {
      plugin = try IsolatedPlugin(loading: file.path, try file.options)
    }
    try file.install(2, "-DREQUIRES=\"test.other\"")
    let error = #expect(throws: PluginError.self) {
      if let plugin { try plugin.reload() } else { try host.reload("test.reloading") }
    }
    #expect(error?.kind == .rolledBack, "\(error as Any)")
    #expect(error?.message.contains("requires the plugin 'test.other', which is not loaded") == true)
    plugin?.unload()
    host.unloadAll()
  }

  @Test("a quiesce() that does not return fails the reload, and its worker keeps its calls")
  func hungQuiesce() async throws {
    let file = try ExchangedFile()
    let (plugin, go) = try file.loadingWithWait {
      // The limit of resume(), too.
      $0.loadTimeout = .seconds(8)
      $0.grace = .milliseconds(10)
    }
    let process = try await plugin.outcome("process").value
    let old = plugin.call("gate", [], timeout: nil)
    try file.install(2)
    let error = #expect(throws: PluginError.self) { try plugin.reload() }
    #expect(
      error?.message.contains("test.reloading.quiesce: did not end within 8.0 seconds") == true, "\(error as Any)")
    #expect(old.state == .pending && file.lines == ["load 1", "quiesce 1", "resume 1"])
    #expect(try await plugin.outcome("process").value == process)
    #expect(FileManager.default.createFile(atPath: go, contents: nil))
    #expect(try await plugin.outcome("open_gates").value == .int(1))
    #expect(try await old.outcomeInTime().value == .int(1))
    plugin.unload()
  }

  @Test("reactions to the rejection of calls that waited for a reload may wait for its end")
  func reactions() async throws {
    let file = try ExchangedFile()
    let (plugin, go) = try file.loadingWithWait()
    try file.install(2)
    let reloaded = Recorder<Bool>()
    Thread.detachNewThread { reloaded.record((try? plugin.reload()) != nil) }
    try await waiting(for: { file.lines.contains("quiesce 1") })
    let ends = Recorder<String>()
    // The new file has no such function.
    plugin.call("waits", [], timeout: nil).then(
      { _ in ends.record("fulfilled") },
      { reason in
        let isOver = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
          plugin.unload()
          isOver.signal()
        }
        let isTimely = isOver.wait(timeout: .now() + 20) == .success
        ends.record("\((reason as? PluginError)?.kind == .unknownFunction) \(isTimely)")
      })
    #expect(FileManager.default.createFile(atPath: go, contents: nil))
    try await waiting(for: { ends.count == 1 && reloaded.count == 1 })
    #expect(ends.events == ["true true"] && reloaded.events == [true])
  }

  @Test("a rejected resume() is logged, and ends its worker; the next one loads the old file")
  func resume() async throws {
    let file = try ExchangedFile()
    try file.install(1, "-DTIRED")
    let lines = Recorder<String>()
    let plugin = try IsolatedPlugin(
      loading: file.path, try file.options, host: Host.Options(log: { lines.record("\($0) \($1) \($2)") }))
    let process = try await plugin.outcome("process").value
    let old = plugin.call("gate", [], timeout: nil)
    try file.install(2, "-DSICK")
    #expect(throws: PluginError.self) { try plugin.reload() }
    let line = lines.events.first { $0.hasPrefix("error test.reloading") }
    #expect(line?.contains("tired") == true, "\(lines.events)")
    // Made before the worker has ended.
    #expect(try await plugin.outcome("revision").value == .int(1))
    #expect(try await old.outcomeInTime().workerEnd?.fault == "its resume() was rejected")
    #expect(try await plugin.outcome("process").value != process)
    plugin.unload()
  }

  @Test("reloading does not call a health() that has parameters")
  func otherHealth() async throws {
    let file = try ExchangedFile()
    try file.install(1, "-DASKS")
    let plugin = try IsolatedPlugin(loading: file.path, try file.options)
    try file.install(2, "-DASKS")
    try plugin.reload()
    #expect(try await plugin.outcome("health", .int(2)).value == .int(0))
    plugin.unload()
  }

  @Test("reloading loses no call: 2,000 calls during 10 exchanges")
  func many() async throws {
    let file = try ExchangedFile()
    let host = Host()
    try host.load(file.path, isolation: try file.options)
    var revisions = 0
    let exchanges = Task {
      for revision in 2...11 {
        try file.install(revision, "-DPLAIN")
        try host.reload("test.reloading", deadline: .seconds(60))
      }
    }
    for _ in 0..<2_000 {
      let outcome = try await host.call("revision", of: "test.reloading").outcomeInTime()
      try #require(outcome.value != nil, "\(outcome)")
      revisions += 1
    }
    try await exchanges.value
    let last = try await host.call("revision", of: "test.reloading").outcomeInTime()
    #expect(last.value == .int(11))
    host.unloadAll()
  }
}
