import Foundation
import Glibc
import Promises
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Isolation: the end of a worker", .serialized)
struct WorkerDeaths {
  @Test(
    "the end of a worker rejects every pending promise with all that is known, and the next call starts another",
    arguments: [
      ("crash", .killed(signal: SIGSEGV)), ("abort", .killed(signal: SIGABRT)), ("kill", .killed(signal: SIGKILL)),
      ("exit 0", .exited(status: 0)), ("exit 77", .exited(status: 77)), ("_exit 0", .exited(status: 0)),
      ("exit on a thread", .exited(status: 0)), ("close the socket", .exited(status: 76)),
      ("close all", .exited(status: 76)), ("stop", .killed(signal: SIGKILL)),
    ] as [(String, WorkerEnd.Cause)])
  func death(how: String, cause: WorkerEnd.Cause) async throws {
    let plugin = try IsolatedPlugin.loading("dying")
    let others = (0..<5).map { _ in plugin.call("never", [], timeout: nil) }
    let culprit = try await plugin.outcome("die", .string(how))
    for (outcome, function) in [(culprit, "die")] + (try await others.outcomes().map { ($0, "never") }) {
      let error = try #require(outcome.pluginError)
      let end = try #require(outcome.workerEnd, "\(error)")
      #expect(error.subject == "test.dying.\(function)")
      #expect(end.cause == cause)
      if how.hasPrefix("close") { #expect(end.fault == "it closed its socket") }
      #expect(!end.isLate)
      #expect(end.generation == 1)
      #expect(end.pending > .zero && end.pending < .seconds(60))
      #expect(end.output.contains("about to \(how)"))
      #expect(error.message.contains("generation 1") && error.message.contains("about to \(how)"))
    }
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
    #expect(try await plugin.outcome("die", .string("kill")).workerEnd?.generation == 2)
    plugin.unload()
  }

  @Test(
    "the end of a worker follows from bytes that are not frames",
    arguments: [
      [UInt8]("hello, world, and more".utf8), [UInt8](repeating: 0, count: 16), [0xFF, 0xFF, 0xFF, 0xFF, 1, 10, 0, 0],
      [1, 0, 0, 0, 1, 10, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0xFF],
    ] + (0..<20).map { _ in (0..<64).map { _ in UInt8.random(in: 0...255) } })
  func garbage(bytes: [UInt8]) async throws {
    // Bytes after an incomplete frame are taken for the rest of it.
    let plugin = try IsolatedPlugin.loading("dying") { $0.grace = .milliseconds(100) }
    let pending = plugin.call("never", [], timeout: nil)
    let call = try await plugin.overrun("garbage", .bytes(bytes), from: .milliseconds(500))
    let ended = [call, try await pending.outcomeInTime()]
    #expect(ended.allSatisfy { $0.workerEnd?.fault != nil }, "\(ended) \(bytes)")
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
  }

  @Test(
    "the end of a worker in each phase of loading is the reason that the plugin is not loaded",
    arguments: ["INITIALISER", "ENTRY", "LOAD"],
    ["crash()", "exit(0)", "hang()", "_exit(3)"])
  func loading(phase: String, how: String) throws {
    let error = #expect(throws: PluginError.self) {
      try IsolatedPlugin.loading("dying", ["-DIN_\(phase)=\(how)"]) {
        if how == "hang()" { $0.loadTimeout = .milliseconds(500) }
      }
    }
    guard case .workerEnded(let end)? = error?.kind else {
      Issue.record("\(error as Any)")
      return
    }
    let causes: [String: WorkerEnd.Cause] = [
      "crash()": .killed(signal: SIGSEGV), "exit(0)": .exited(status: 0), "hang()": .killed(signal: SIGKILL),
      "_exit(3)": .exited(status: 3),
    ]
    #expect(end.cause == causes[how])
    #expect((end.fault != nil) == (how == "hang()"))
    #expect(end.isLate == (how == "hang()"))
  }

  @Test(
    "the end of a worker names its limit if it allows itself no descriptors, and is sent shared memory")
  func limitOfWorker() async throws {
    let plugin = try IsolatedPlugin.loading("dying", ["-DIN_LOAD=lower_limit()"])
    #expect(try await plugin.outcome("echo", .int(1)).value == .int(1))
    let error = try await plugin.outcome("garbage", .bytes(Array(repeating: 0, count: 1 << 20))).pluginError
    let expected =
      "the host sent shared memory or files, for which the worker has no descriptor: RLIMIT_NOFILE is 0: close files, or raise"
    #expect(error?.description.contains(expected) == true, "\(error as Any)")
    plugin.unload()
  }

  @Test(
    "a worker whose initialiser allows itself no descriptors does not load the plugin, and names the limit")
  func limits() throws {
    let error = #expect(throws: PluginError.self) {
      try IsolatedPlugin.loading("dying", ["-DIN_INITIALISER=lower_limit()"])
    }
    #expect(
      error?.description.contains("RLIMIT_NOFILE is 0: close files, or raise the limit") == true, "\(error as Any)")
  }

  @Test("the end of a worker in unload() is reported to the program, because an unloading plugin has no log")
  func unloadFailed() async throws {
    let (lines, errors) = (Recorder<String>(), Recorder<PluginError>())
    for how in ["exit(0)", "(void)0"] {
      let host = Host.Options(log: { _, plugin, _ in lines.record(plugin) })
      let plugin = try IsolatedPlugin.loading("dying", ["-DIN_UNLOAD=\(how)"], host: host) {
        $0.unloadFailed = { errors.record($0) }
      }
      #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
      plugin.unload()
    }
    #expect(lines.events == [] && errors.events.map(\.subject) == ["test.dying"])
    let end = if case .workerEnded(let end)? = errors.events.first?.kind { end } else { nil as WorkerEnd? }
    #expect(end?.cause == .exited(status: 0) && end?.isLate == false && end?.fault == nil)
  }

  @Test("the end of a worker without calls is reported to the program, too")
  func idle() async throws {
    let errors = Recorder<PluginError>()
    let plugin = try IsolatedPlugin.loading("greedy") { $0.unloadFailed = { errors.record($0) } }
    guard case .int(let process)? = try await plugin.outcome("process").value else {
      Issue.record("no number of the process")
      return
    }
    #expect(kill(pid_t(process), SIGALRM) == 0)
    try await waiting(for: { errors.count == 1 })
    #expect(errors.events[0].message.contains("was killed by SIGALRM"), "\(errors.events)")
    plugin.unload()
    #expect(errors.count == 1)
  }

  @Test(
    "the end of a worker in unload() is logged, and waits no longer than the limit",
    arguments: ["crash()", "exit(9)", "hang()"])
  func unloading(how: String) async throws {
    let lines = Recorder<String>()
    let host = Host.Options(log: { lines.record("\($0) \($1) \($2)") })
    // One limit applies to unload() and to loading, for which a short one may be too short on a slow machine.
    var loaded: IsolatedPlugin?
    for limit in how == "hang()" ? [1, 8, 60] : [60] where loaded == nil {
      let plugin = try? IsolatedPlugin.loading("dying", ["-DIN_UNLOAD=\(how)"], host: host) {
        $0.loadTimeout = .seconds(limit)
      }
      // The limit may be too short for this call, too.
      if try await plugin?.outcome("echo", .int(3)).value == .int(3) { loaded = plugin }
    }
    let plugin = try #require(loaded)
    let before = lines.events.count
    plugin.unload()
    let new = lines.events.dropFirst(before)
    #expect(new.count == 1 && new.first?.hasPrefix("error test.dying") == true, "\(lines.events)")
    #expect(try await plugin.outcome("echo", .int(3)).pluginError?.kind == .closed)
  }

  @Test("the end of a worker follows from a call that does not stop at its deadline, but not from one that does")
  func deadlines() async throws {
    let plugin = try IsolatedPlugin.loading("dying")
    let stopped = try await plugin.outcome("never", timeout: .milliseconds(50))
    #expect(stopped.pluginError?.kind == .timedOut)
    let process = try await plugin.outcome("process").value
    #expect(try await plugin.outcome("process").value == process)
    let hard = try IsolatedPlugin.loading("dying") { $0.grace = .milliseconds(100) }
    let other = hard.call("never", [], timeout: nil)
    let blocked = try await hard.overrun("block", from: .milliseconds(50))
    #expect(blocked.workerEnd?.cause == .killed(signal: SIGKILL))
    #expect(blocked.workerEnd?.fault?.contains("block") == true)
    #expect(try await other.outcomeInTime().workerEnd?.fault == blocked.workerEnd?.fault)
  }

  @Test("the end of a worker follows from a thread that reads no more")
  func deaf() async throws {
    // The limit applies to loading too, for which a short one may be too short on a slow machine.
    var loaded: IsolatedPlugin?
    for limit in [1, 8, 40] where loaded == nil {
      loaded = try? IsolatedPlugin.loading("dying") {
        $0.loadTimeout = .seconds(limit)
        $0.capabilities = .unrestricted
      }
    }
    let plugin = try #require(loaded)
    let ended = try await plugin.outcome("die", .string("deafen"))
    #expect(ended.workerEnd?.fault?.hasPrefix("it read nothing in ") == true, "\(ended)")
    plugin.unload()
  }

  @Test("the end of a worker follows from a process that closes its socket and reads nothing, but runs on")
  func closedAndDeaf() async throws {
    let plugin = try IsolatedPlugin.loading("dying") { $0.loadTimeout = .seconds(3_600) }
    let ended = try await plugin.outcome("die", .string("deafen and close"))
    #expect(ended.workerEnd?.fault == "closed its socket", "\(ended)")
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
    plugin.unload()
  }

  @Test("the end of a worker follows from a discarded call that does not stop")
  func discarded() async throws {
    let lines = Recorder<String>()
    let plugin = try IsolatedPlugin.loading("dying") {
      $0.grace = .milliseconds(100)
      $0.output = { lines.record($0) }
    }
    let beside = plugin.call("never", [], timeout: nil)
    let call = plugin.call("die", [.value(.string("block"))], timeout: nil)
    try await waiting(for: { lines.events == ["about to block"] })
    call.discard()
    #expect(try await beside.outcomeInTime().workerEnd?.fault?.contains("die did not stop") == true)
  }

  @Test("the end of a worker is not hidden by a process that the plugin started")
  func grandchild() async throws {
    let plugin = try IsolatedPlugin.loading("dying") { $0.capabilities = .unrestricted }
    #expect(try await plugin.outcome("leave_child").workerEnd?.cause == .killed(signal: SIGKILL))
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
  }

  @Test(
    "the end of a worker is the end of the processes that the plugin started", arguments: ["crash", "exit 0", "unload"])
  func orphans(end: String) async throws {
    let plugin = try IsolatedPlugin.loading("dying") { $0.capabilities.processes = true }
    guard case .int(let process)? = try await plugin.outcome("leave_process").value else {
      Issue.record("no process")
      return
    }
    #expect(kill(pid_t(process), 0) == 0)
    if end == "unload" {
      plugin.unload()
    } else {
      #expect(try await plugin.outcome("die", .string(end)).workerEnd != nil)
    }
    try await waiting(for: { Fixture.hasEnded(process) })
  }

  @Test(
    "the end of a worker loses no promise: 1,000 calls, or $KILLED_CALLS, during which workers are killed at random")
  func randomKills() async throws {
    let number = ProcessInfo.processInfo.environment["KILLED_CALLS"].flatMap(Int.init) ?? 1_000
    let plugin = try IsolatedPlugin.loading("dying")
    let over = Flag()
    var ended = (fulfilled: 0, killed: 0)
    var generations: Set<Int> = []
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while !over.isSet.load(ordering: .relaxed) {
          if case .int(let process)? = try await plugin.outcome("process").value { kill(pid_t(process), SIGKILL) }
          try await Task.sleep(for: .milliseconds(.random(in: 0...20)))
        }
      }
      for _ in 0..<number / 50 {
        let calls = (0..<50).map { number in
          plugin.call("later", [.value(.int(number)), .value(.uint(.random(in: 0...5)))], timeout: nil)
        }
        // This call ends with its worker. The others may all be answered before one is killed.
        let last = plugin.call("never", [], timeout: nil)
        for (number, outcome) in try await calls.outcomes().enumerated() {
          if outcome.value == .int(Int64(number)) { ended.fulfilled += 1 }
          guard let end = outcome.workerEnd else { continue }
          #expect(end.cause == .killed(signal: SIGKILL))
          ended.killed += 1
        }
        generations.insert(try #require(try await last.outcomeInTime().workerEnd).generation)
      }
      over.isSet.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
    #expect(ended.fulfilled + ended.killed == number / 50 * 50, "\(ended)")
    #expect(generations.count == number / 50, "\(ended) \(generations)")
    plugin.unload()
  }

  @Test(
    "the end of a worker follows from a greeting of another version: of the frames, or of the worker",
    arguments: [
      (Frame.version + 1, PluginWorker.greeting, "a frame of version \(Frame.version + 1), expected \(Frame.version)"),
      (Frame.version, .array([.uint(99)]), "the greeting of another version: [99]"),
    ] as [(UInt8, PluginValue, String)])
  func greeting(version: UInt8, greeting: PluginValue, message: String) throws {
    var bytes = try Frame(.ready, 0, greeting).encoded().bytes
    bytes[4] = version
    // As printf writes a byte: a backslash and three octal digits.
    let text = bytes.map { "\\" + String(Int($0) + 0o1000, radix: 8).dropFirst() }.joined()
    let script = "#!/bin/sh\nprintf '\(text)' >&3\nexec cat <&3 >/dev/null\n"
    let program = try Fixture.file("worker", containing: script.utf8)
    #expect(chmod(program, 0o700) == 0)
    let error = #expect(throws: PluginError.self) {
      try IsolatedPlugin.loading("dying") { $0.program = WorkerProgram(path: program) }
    }
    #expect(error?.description.contains(message) == true, "\(error as Any)")
  }

  @Test("the end of a worker leaves no waiting call when the plugin is unloaded before the next worker is started")
  func unloadedMeanwhile() async throws {
    // The delay is five seconds at most.
    let plugin = try IsolatedPlugin.loading("dying") { $0.backoff = .seconds(3_600) }
    _ = try await plugin.outcome("die", .string("kill"))
    let waiting = plugin.call("echo", [.value(.int(3))], timeout: nil)
    plugin.unload(deadline: .zero)
    let outcome = try await waiting.outcomeInTime()
    // On a machine that is slow the worker is started meanwhile.
    #expect(outcome.value == .int(3) || outcome.pluginError?.kind == .closed, "\(outcome)")
  }

  @Test("the end of a worker follows from the release of a plugin that was not unloaded")
  func released() async throws {
    var plugin: IsolatedPlugin? = try IsolatedPlugin.loading("dying")
    guard case .int(let process)? = try await plugin?.outcome("process").value else {
      Issue.record("no process")
      return
    }
    #expect(kill(pid_t(process), 0) == 0)
    plugin = nil
    try await waiting(for: { kill(pid_t(process), 0) == -1 && errno == ESRCH })
  }

  @Test("the end of a worker leaves no process, and no descriptor")
  func leaks() async throws {
    let before = Fixture.descriptors
    for turn in 0..<40 {
      let plugin = try IsolatedPlugin.loading("dying")
      guard case .int(let process)? = try await plugin.outcome("process").value else {
        Issue.record("no process")
        return
      }
      if turn.isMultiple(of: 2) { _ = try await plugin.outcome("die", .string("kill")) }
      plugin.unload()
      #expect(kill(pid_t(process), 0) == -1 && errno == ESRCH)
    }
    // If each left one, there would be 40 more. Other tests of this process have some for a while.
    try await waiting(for: { Fixture.descriptors < before + 20 })
  }
}

extension IsolatedPlugin {
  /// Returns the outcome of a call that does not stop at its deadline. A call whose time limit passes before the worker
  /// begins it does not run: then it is made again, with more time.
  fileprivate func overrun(
    _ function: String, _ arguments: PluginValue..., from limit: Duration
  ) async throws -> Outcome {
    for limit in [limit, .seconds(1)] {
      let outcome = try await call(function, arguments.map { .value($0) }, timeout: limit).outcomeInTime()
      if outcome.workerEnd != nil { return outcome }
    }
    return try await call(function, arguments.map { .value($0) }, timeout: .seconds(10)).outcomeInTime()
  }
}

extension [Promise<PluginValue>] {
  /// Returns the outcomes, in order. Waits at most a minute for each promise.
  fileprivate func outcomes() async throws -> [Outcome] {
    var outcomes: [Outcome] = []
    for promise in self { outcomes.append(try await promise.outcomeInTime()) }
    return outcomes
  }
}

private final class Flag: Sendable {
  let isSet = Atomic<Bool>(false)
}
