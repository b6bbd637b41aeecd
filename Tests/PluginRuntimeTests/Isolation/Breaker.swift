import Glibc
import PluginRuntime
import PromisesTestSupport
import Testing

@Suite("Isolation: the circuit breaker", .serialized)
struct Breaker {
  /// A host that records when the circuit of a plugin opens. `then` runs before the circuit is open.
  private func host(_ opened: Recorder<String>, then: @escaping @Sendable () -> Void = {}) -> Host.Options {
    Host.Options(log: { _, plugin, text in
      guard text.hasPrefix("is not started for") else { return }
      opened.record("\(plugin) \(text)")
      then()
    })
  }

  @Test("the circuit breaker starts no more workers after several that answered nothing, and tries one after a while")
  func opens() async throws {
    let opened = Recorder<String>()
    let isCalled = Gate()
    // `coolDown` begins when the line is logged: by then the call waits, however slow the machine is.
    let plugin = try IsolatedPlugin.loading("dying", host: host(opened, then: { isCalled.wait() })) { options in
      options.crashLimit = 3
      options.coolDown = .seconds(2)
    }
    for generation in 1...3 {
      #expect(try await plugin.outcome("die", .string("kill")).workerEnd?.generation == generation)
      #expect(plugin.workers[0].state == .unloaded)
    }
    let call = plugin.call("echo", [.value(.int(3))], timeout: nil)
    isCalled.open()
    let refused = try await call.outcomeInTime()
    #expect(refused.pluginError?.kind == .quarantined, "\(refused)")
    #expect(refused.pluginError?.message.contains("ended 3 times in a row") == true)
    #expect(opened.events.count == 1 && opened.events[0].contains("dying.so is not started for"), "\(opened.events)")
    var outcome = refused
    let deadline = ContinuousClock.now + .seconds(60)
    while outcome.pluginError?.kind == .quarantined, ContinuousClock.now < deadline {
      outcome = try await plugin.outcome("echo", .int(3))
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(outcome.value == .int(3) && plugin.workers[0].state == .active)
    // An answer closes the circuit, and resets the count of ends in a row.
    #expect(try await plugin.outcome("die", .string("kill")).workerEnd?.generation == 4)
    #expect(try await plugin.outcome("echo", .int(4)).value == .int(4))
    plugin.unload()
  }

  @Test("the circuit breaker opens again at once if the worker that is tried ends too, and reports it each time")
  func halfOpen() async throws {
    let opened = Recorder<String>()
    let plugin = try IsolatedPlugin.loading("dying", host: host(opened)) { options in
      options.crashLimit = 2
      options.coolDown = .milliseconds(300)
    }
    for _ in 0..<2 { #expect(try await plugin.outcome("die", .string("kill")).workerEnd != nil) }
    try await waiting(for: { opened.count == 1 })
    var outcome = try await plugin.outcome("die", .string("kill"))
    for _ in 0..<60_000 where outcome.workerEnd == nil { outcome = try await plugin.outcome("die", .string("kill")) }
    #expect(outcome.workerEnd?.generation == 3)
    try await waiting(for: { opened.count == 2 })
    plugin.unload()
  }

  @Test("the circuit breaker counts workers that answer calls which were not made")
  func forged() async throws {
    let plugin = try IsolatedPlugin.loading("dying") {
      $0.crashLimit = 3
      $0.coolDown = .seconds(3_600)
    }
    // `fulfilled`, with null, for the request 2^32.
    let answer: [UInt8] = [1, 0, 0, 0, 1, 10, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0xF6]
    for generation in 1...3 {
      #expect(try await plugin.outcome("forge", .bytes(answer)).workerEnd?.generation == generation)
    }
    let refused = try await plugin.outcome("echo", .int(3))
    #expect(refused.pluginError?.kind == .quarantined, "\(refused)")
    plugin.unload(deadline: .zero)
  }

  @Test("the circuit breaker does not count workers that have not mapped the plugin")
  func notStarted() async throws {
    let opened = Recorder<String>()
    let program = Fixture.file("worker")
    try #require(symlink(Fixture.pluginHost, program) == 0)
    let plugin = try IsolatedPlugin.loading("dying", host: host(opened)) { options in
      options.program = WorkerProgram(path: program)
      options.crashLimit = 3
    }
    try #require(unlink(program) == 0)
    _ = try await plugin.outcome("die", .string("kill"))
    for _ in 0..<5 {
      let outcome = try await plugin.outcome("echo", .int(3))
      #expect(outcome.pluginError?.kind != .quarantined && outcome.workerEnd != nil, "\(outcome)")
    }
    try #require(symlink(Fixture.pluginHost, program) == 0)
    // The second one that counts.
    #expect(try await plugin.outcome("die", .string("kill")).workerEnd != nil)
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
    #expect(opened.events == [])
    plugin.unload()
  }

  @Test("the circuit breaker does not count workers to which the rules of trust refuse the plugin")
  func refused() async {
    // The workers read the rules that the environment names.
    await #expect(processExitsWith: .success) {
      let folder = Fixture.file("config")
      try #require(mkdir(folder, 0o700) == 0 && mkdir("\(folder)/plugin-host", 0o700) == 0)
      setenv("XDG_CONFIG_HOME", folder, 1)
      let (opened, faults) = (Recorder<String>(), Recorder<String?>())
      let plugin = try IsolatedPlugin.loading("dying", host: Breaker().host(opened)) { options in
        options.crashLimit = 2
        options.coolDown = .milliseconds(300)
        options.workerEnded = { faults.record($2) }
      }
      #expect(try await plugin.outcome("die", .string("crash")).workerEnd != nil)
      let rules = "\(folder)/plugin-host/trust.conf"
      try #require(rename(try Fixture.file("rules", containing: "policy signed\n".utf8), rules) == 0)
      for _ in 0..<5 { #expect(try await plugin.outcome("echo", .int(3)).pluginError?.kind == .notTrusted) }
      #expect(opened.events == [])
      try #require(unlink(rules) == 0)
      // The second end in a row that counts.
      #expect(try await plugin.outcome("die", .string("crash")).workerEnd != nil)
      try await waiting(for: { opened.count == 1 })
      #expect(faults.events.count == 2 && faults.events.allSatisfy { $0?.contains("SIGSEGV") == true })
      plugin.unload()
    }
  }

  @Test("the circuit breaker counts workers whose plugin claims that the rules of trust refuse it")
  func forgedRefusals() async throws {
    let sign = Fixture.file("forges")
    let faults = Recorder<String?>()
    let flag = "-DIN_INITIALISER=if (access(\"\(sign)\", F_OK) == 0) forge_refusal()"
    let plugin = try IsolatedPlugin.loading("dying", [flag]) { options in
      options.crashLimit = 3
      options.coolDown = .seconds(3_600)
      options.workerEnded = { faults.record($2) }
    }
    try #require(symlink("/dev/null", sign) == 0)
    #expect(try await plugin.outcome("die", .string("kill")).workerEnd?.generation == 1)
    for generation in 2...3 {
      let end = try await plugin.outcome("echo", .int(3)).workerEnd
      #expect(end?.generation == generation)
      #expect(end?.fault?.contains("a refusal by the rules that had admitted it: y") == true, "\(end as Any)")
    }
    let refused = try await plugin.outcome("echo", .int(3))
    #expect(refused.pluginError?.kind == .quarantined && refused.workerEnd == nil, "\(refused)")
    #expect(faults.count == 2, "\(faults.events)")
    plugin.unload(deadline: .zero)
  }

  @Test(
    "ends of workers are reported, with the copy of the file, if they are faults of the plugin or calls were answered")
  func ends() async throws {
    struct End: Equatable, Sendable {
      var file: String
      var isCopy: Bool
      var fault: String?
    }
    let ends = Recorder<End>()
    func options(_ options: inout IsolationOptions) {
      options.workerEnded = { path, copy, fault in
        var status = stat()
        let isCopy = copy.map { fstat($0, &status) == 0 } ?? false
        ends.record(End(file: path?.split(separator: "/").last.map(String.init) ?? "", isCopy: isCopy, fault: fault))
      }
    }
    for (flag, words) in [
      ("-DIN_INITIALISER=abort()", "generation 1) was killed by SIGABRT"),
      ("-DIN_ENTRY=exit(0)", "generation 1) exited with status 0"), ("-DIN_LOAD=crash()", "killed by SIGSEGV"),
    ] {
      let count = ends.count
      #expect(throws: PluginError.self) { try IsolatedPlugin.loading("dying", [flag], options) }
      #expect(ends.count == count + 1)
      #expect(ends.events.last?.isCopy == true && ends.events.last?.fault?.contains(words) == true, "\(ends.events)")
    }
    // A worker that answers nothing, and unloads the plugin.
    var before = ends.count
    try IsolatedPlugin.loading("dying", [], options).unload()
    #expect(ends.count == before)
    let plugin = try IsolatedPlugin.loading("dying", []) {
      options(&$0)
      $0.grace = .milliseconds(10)
    }
    // A call that its caller gives up, and that does not stop.
    #expect(try await plugin.outcome("block", timeout: .seconds(2)).workerEnd != nil)
    #expect(ends.count == before)
    before += 1
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
    plugin.unload()
    #expect(ends.count == before && ends.events.last?.fault == nil)
  }

  @Test("workers that cannot be started are tried at longer and longer intervals")
  func intervals() async throws {
    let program = Fixture.file("worker")
    try #require(symlink(Fixture.pluginHost, program) == 0)
    let plugin = try IsolatedPlugin.loading("dying") { options in
      options.program = WorkerProgram(path: program)
      options.backoff = .milliseconds(30)
    }
    try #require(unlink(program) == 0)
    _ = try await plugin.outcome("die", .string("kill"))
    // 30 ms, 60 ms ...: after six workers, almost two seconds have passed.
    let end = ContinuousClock.now + .milliseconds(1_500)
    var count = 0
    while .now < end {
      #expect(try await plugin.outcome("echo", .int(3)).workerEnd != nil)
      count += 1
    }
    #expect(count <= 7)
    plugin.unload()
  }

  @Test("the circuit breaker does not keep the plugin from being unloaded")
  func unloads() async throws {
    let plugin = try IsolatedPlugin.loading("dying") { options in
      options.crashLimit = 1
      options.coolDown = .seconds(3_600)
    }
    _ = try await plugin.outcome("die", .string("kill"))
    #expect(try await plugin.outcome("echo", .int(3)).pluginError?.kind == .quarantined)
    #expect(plugin.workers.map(\.state) == [.quarantined])
    plugin.unload()
    #expect(plugin.workers.map(\.state) == [.unloaded])
    #expect(try await plugin.outcome("echo", .int(3)).pluginError?.kind == .closed)
  }
}
