import Glibc
import PluginRuntime
import PromisesTestSupport
import Testing

@Suite("Isolation: the circuit breaker", .serialized)
struct Breaker {
  @Test("the circuit breaker starts no more workers after several that answered nothing, and tries one after a while")
  func opens() async throws {
    let opened = Recorder<String>()
    let isCalled = Gate()
    let plugin = try IsolatedPlugin.loading("dying") { options in
      options.crashLimit = 3
      options.coolDown = .seconds(2)
      options.circuitOpened = { path, _, reason in
        opened.record("\(path ?? "no path"): \(reason)")
        // `coolDown` begins when this returns: by then the call waits, however slow the machine is.
        isCalled.wait()
      }
    }
    for generation in 1...3 {
      #expect(try await plugin.outcome("die", .string("kill")).workerEnd?.generation == generation)
    }
    let call = plugin.call("echo", [.value(.int(3))], timeout: nil)
    isCalled.open()
    let refused = try await call.outcomeInTime()
    #expect(refused.pluginError?.kind == .quarantined, "\(refused)")
    #expect(refused.pluginError?.message.contains("ended 3 times in a row") == true)
    #expect(opened.events.count == 1 && opened.events[0].contains("dying.so: "), "\(opened.events)")
    var outcome = refused
    let deadline = ContinuousClock.now + .seconds(60)
    while outcome.pluginError?.kind == .quarantined, ContinuousClock.now < deadline {
      outcome = try await plugin.outcome("echo", .int(3))
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(outcome.value == .int(3))
    // An answer closes the circuit, and resets the count of ends in a row.
    #expect(try await plugin.outcome("die", .string("kill")).workerEnd?.generation == 4)
    #expect(try await plugin.outcome("echo", .int(4)).value == .int(4))
    plugin.unload()
  }

  @Test("the circuit breaker opens again at once if the worker that is tried ends too, and reports it each time")
  func halfOpen() async throws {
    let opened = Recorder<String>()
    let lines = Recorder<String>()
    let plugin = try IsolatedPlugin.loading(
      "dying", host: Host.Options(log: { level, _, text in lines.record("\(level) \(text)") })
    ) { options in
      options.crashLimit = 2
      options.coolDown = .milliseconds(300)
      options.circuitOpened = { opened.record($2) }
    }
    for _ in 0..<2 { #expect(try await plugin.outcome("die", .string("kill")).workerEnd != nil) }
    try await waiting(for: { opened.count == 1 })
    var outcome = try await plugin.outcome("die", .string("kill"))
    for _ in 0..<60_000 where outcome.workerEnd == nil { outcome = try await plugin.outcome("die", .string("kill")) }
    #expect(outcome.workerEnd?.generation == 3)
    try await waiting(for: { opened.count == 2 })
    #expect(lines.events.count { $0.hasPrefix("error is not started for") } == 2, "\(lines.events)")
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
    let plugin = try IsolatedPlugin.loading("dying") { options in
      options.program = WorkerProgram(path: program)
      options.crashLimit = 3
      options.circuitOpened = { opened.record($2) }
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
    plugin.unload()
    #expect(try await plugin.outcome("echo", .int(3)).pluginError?.kind == .closed)
  }
}
