import Foundation
import PluginRuntime
import Promises
import PromisesTestSupport
import Synchronization
import Testing

@Suite("Isolation: limits and pools", .serialized)
struct Limits {
  private func loading(_ change: (inout IsolationOptions) -> Void) throws -> IsolatedPlugin {
    try IsolatedPlugin.loading("reloading", ["-DPLAIN"], change)
  }

  @Test("a limit holds for the calls that a worker has; further ones wait in their order, then are rejected")
  func queue() async throws {
    let plugin = try loading {
      $0.limits.inFlight = 2
      $0.limits.queue = 3
    }
    let calls = (0..<6).map { _ in plugin.call("gate", [], timeout: nil) }
    let error = try await calls[5].outcomeInTime().pluginError
    #expect(
      error?.kind == .overloaded && error?.message.contains("2 calls of the plugin are under way and 3 wait") == true)
    #expect(plugin.workers[0].pending == 2)
    // A call that waits is removed when it is discarded, or when its time limit has passed.
    calls[2].discard()
    let late = plugin.call("gate", [], timeout: .milliseconds(20))
    #expect(try await late.outcomeInTime().pluginError?.kind == .timedOut)
    #expect(calls[0].state == .pending && calls[3].state == .pending)
    // The discarded calls end in the worker, which takes the next two.
    calls[0].discard()
    calls[1].discard()
    try await waiting(for: { plugin.workers[0].pending == 2 })
    #expect(calls[3].state == .pending && calls[4].state == .pending)
    plugin.unload(deadline: .zero)
    for call in calls[3...4] { #expect(try await call.outcomeInTime().pluginError?.kind == .closed) }
  }

  @Test("a worker that sends a larger result than the limit is killed, in its frame or in shared memory")
  func resultBytes() async throws {
    let plugin = try IsolatedPlugin.loading("large") { $0.limits.resultBytes = 100_000 }
    for size in [1_000, 50_000, 70_000, 90_000] as [UInt64] {
      let value = try await plugin.outcome("zeros", .uint(size)).value
      #expect(value == .bytes([UInt8](repeating: 0, count: Int(size))))
    }
    let end = try await plugin.outcome("zeros", .uint(200_000)).workerEnd
    #expect(end?.fault?.contains("shared memory") == true, "\(end as Any)")
    #expect(try await plugin.outcome("zeros", .uint(1_000)).value != nil)
    plugin.unload()
    let faults = Recorder<String?>()
    let small = try IsolatedPlugin.loading("large") {
      $0.limits.resultBytes = 1_000
      $0.workerEnded = { faults.record($2) }
    }
    // In the frame, and in shared memory: the limit is the program's, so no end counts for the quarantine.
    for (size, text) in [(2_000, "bytes, expected at most 1000"), (200_000, "shared memory")] as [(UInt64, String)] {
      let killed = try await small.outcome("zeros", .uint(size)).workerEnd
      #expect(killed?.fault?.contains(text) == true, "\(killed as Any)")
    }
    small.unload()
    #expect(faults.events.allSatisfy { $0 == nil }, "\(faults.events)")
    // Memory that is not sealed is a fault of the plugin, also where there is a limit.
    let forging = try IsolatedPlugin.loading("large") {
      $0.limits.resultBytes = 100_000
      $0.workerEnded = { faults.record($2) }
    }
    let pending = forging.call("never", [.value(.bytes([]))], timeout: nil)
    _ = forging.call("forge", [.value(.string("not sealed"))], timeout: nil)
    _ = try await pending.outcomeInTime()
    forging.unload()
    #expect(faults.events.contains { $0?.contains("not sealed") == true }, "\(faults.events)")
  }

  @Test("a call that waited for the limit and has started is stopped when it is discarded")
  func discarded() async throws {
    let plugin = try IsolatedPlugin.loading("progress") { $0.limits.inFlight = 1 }
    let first = plugin.call("begin", [], timeout: nil)
    let hasStarted = Atomic(false)
    let second = plugin.call("begin", [], timeout: nil) { _ in hasStarted.store(true, ordering: .relaxed) }
    let third = plugin.call("prepare", [], timeout: nil)
    first.discard()
    try await waiting(for: { hasStarted.load(ordering: .relaxed) })
    #expect(third.state == .pending)
    second.discard()
    #expect(try await third.outcomeInTime().value == .void)
    plugin.unload()
  }

  @Test("a limit does not keep unload() waiting when no call waits any more", arguments: [true, false])
  func closing(starts: Bool) async throws {
    let lines = Recorder<String>()
    let plugin = try IsolatedPlugin.loading("dying") { options in
      options.limits.inFlight = 1
      options.limits.queue = 1
      // The second call does not stop. The first one has to stop by itself, so that the second one starts.
      options.grace = starts ? .seconds(5) : .milliseconds(100)
      options.output = { lines.record($0) }
    }
    let first = plugin.call("never", [], timeout: nil)
    let second = plugin.call("die", [.value(.string("block"))], timeout: nil)
    let ends = Recorder<Int>()
    Thread.detachNewThread {
      plugin.unload(deadline: .seconds(3_600))
      ends.record(1)
    }
    var kind = PluginError.Kind.overloaded
    while kind == .overloaded { kind = try #require(try await plugin.outcome("echo", .int(1)).pluginError?.kind) }
    #expect(kind == .closed)
    if starts {
      first.discard()
      try await waiting(for: { lines.events == ["about to block"] })
      second.discard()
    } else {
      second.discard()
      first.discard()
    }
    try await waiting(for: { ends.count == 1 })
    #expect(first.rejectReason is Discarded && second.rejectReason is Discarded)
  }

  @Test("calls over the limit wait while the workers are exchanged, also if the policy is to reject them")
  func exchange() async throws {
    let file = try ExchangedFile()
    var options = try file.options
    options.limits.inFlight = 5
    options.limits.whenFull = .reject
    let plugin = try IsolatedPlugin(loading: file.path, options)
    let over = Recorder<Int>()
    Thread.detachNewThread {
      for _ in 0..<3 { _ = try? plugin.reload(deadline: .seconds(60)) }
      over.record(1)
    }
    while over.count == 0 { #expect(try await plugin.outcome("revision").value == .int(1)) }
    #expect(file.lines.count { $0 == "quiesce 1" } == 3)
    plugin.unload()
  }

  @Test("unload() rejects the calls that wait for the limit where they may call unload() themselves")
  func ending() async throws {
    let plugin = try loading { $0.limits.inFlight = 1 }
    _ = plugin.call("gate", [], timeout: nil)
    let waiting = plugin.call("gate", [], timeout: nil)
    let ended = waiting.rescue { (_: PluginError) -> PluginValue in
      let isOver = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        plugin.unload(deadline: .zero)
        isOver.signal()
      }
      return .bool(isOver.wait(timeout: .now() + 60) == .success)
    }
    plugin.unload(deadline: .zero)
    #expect(try await ended.outcomeInTime().value == .bool(true))
  }

  @Test("calls over the limit are rejected at once, if that is the policy, and are made when a call has ended")
  func reject() async throws {
    let plugin = try loading {
      $0.limits.inFlight = 1
      $0.limits.whenFull = .reject
    }
    let first = plugin.call("gate", [], timeout: nil)
    #expect(try await plugin.outcome("revision").pluginError?.kind == .overloaded)
    first.discard()
    var last: Outcome?
    try await waiting(for: { plugin.workers[0].pending == 0 })
    // The place is free a moment after the answer.
    for _ in 0..<60_000 where last?.value == nil {
      last = try await plugin.outcome("revision")
      if last?.value == nil { try await Task.sleep(for: .milliseconds(1)) }
    }
    #expect(last?.value == .int(1))
    plugin.unload()
  }

  @Test("500 calls end in order with a limit of one call at a time")
  func order() async throws {
    let plugin = try IsolatedPlugin.loading("dying") { $0.limits.inFlight = 1 }
    let calls = (0..<500).map { plugin.call("echo", [.value(.int($0))], timeout: nil) }
    for (number, call) in calls.enumerated() {
      #expect(try await call.outcomeInTime().value == .int(Int64(number)))
      #expect(calls[..<number].allSatisfy { $0.state != .pending })
      #expect(plugin.workers[0].pending <= 1)
    }
    plugin.unload()
  }

  @Test("calls of one thread are made by one worker of a pool, however busy the others are")
  func lanes() async throws {
    let plugin = try loading { $0.pool = 3 }
    let thread = SerialThread(extendsToWorkers: true)
    var gates: [Promise<PluginValue>] = []
    var processes: [PluginValue?] = []
    for _ in 0..<4 {
      let calls = Recorder<Promise<PluginValue>>()
      thread.post { calls.record(plugin.call("process", [], timeout: nil)) }
      try await waiting(for: { calls.count == 1 })
      processes.append(try await calls.events[0].outcomeInTime().value)
      // The least busy worker makes this call, so that another one is the least busy now.
      gates.append(plugin.call("gate", [], timeout: nil))
    }
    #expect(processes.allSatisfy { $0 != nil && $0 == processes[0] }, "\(processes)")
    #expect(gates.allSatisfy { $0.state == .pending })
    plugin.unload(deadline: .zero)
  }

  @Test("calls are made by the least busy worker of a pool, and those with a handle by its worker")
  func pool() async throws {
    let plugin = try loading { $0.pool = 3 }
    #expect(plugin.workers.map(\.generation).sorted() == [1, 2, 3])
    var gates = (0..<6).map { _ in plugin.call("gate", [], timeout: nil) }
    #expect(plugin.workers.map(\.pending) == [2, 2, 2])
    var processes: Set<Int64> = []
    for _ in 0..<3 {
      let calls = (0..<3).map { _ in plugin.call("process", [], timeout: nil) }
      for call in calls {
        if case .int(let process)? = try await call.outcomeInTime().value { processes.insert(process) }
      }
    }
    #expect(!processes.isEmpty)
    var owners: [PluginValue] = []
    for _ in 0..<3 {
      let thing = try #require(try await plugin.outcome("make").value)
      let owner = try #require(try await plugin.outcome("look", thing).value)
      // Each call with the handle is made by the worker that gave it.
      for _ in 0..<5 { #expect(try await plugin.outcome("look", thing).value == owner) }
      #expect(!owners.contains(owner))
      owners.append(owner)
      // The least busy worker makes this call, so that another one makes the next call.
      gates.append(plugin.call("gate", [], timeout: nil))
      // A handle within a list or a struct counts too.
      #expect(try await plugin.outcome("look_at", .array([thing, thing])).value == owner)
      let holder = PluginValue.object([PluginMember("number", .int(1)), PluginMember("thing", thing)])
      #expect(try await plugin.outcome("look_in", holder).value == owner)
    }
    #expect(gates.allSatisfy { $0.state == .pending })
    plugin.unload(deadline: .zero)
  }
}
