import Dispatch
import Glibc
import Promises
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

@Suite("Isolation: results that are arguments of later calls")
struct Pipelining {
  private struct Mine: Error {}

  /// Returns the number of promise arguments that crossed from the host to the workers as frames.
  private func crossed(_ plugin: IsolatedPlugin) -> Int {
    plugin.state.withLock { $0.active }.map(\.settled).reduce(0, +)
  }

  /// Makes calls that depend on each other, the first on a promise.
  private func chain(_ plugin: IsolatedPlugin, on first: Promise<PluginValue>, _ count: Int) -> [Promise<PluginValue>] {
    var promises = [first]
    for _ in 0..<count { promises.append(plugin.call("next", [Argument(.promise(promises.last!))], timeout: nil)) }
    return promises
  }

  @Test("pipelined results stay in the worker: all calls are sent before the first has ended, and no argument crosses")
  func ten() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let calls = chain(plugin, on: plugin.call("gate", timeout: nil), 9)
    #expect(plugin.workers[0].pending == 10)
    #expect(try await plugin.outcome("open_gate", .int(33)).value == .void)
    for (index, call) in calls.enumerated() {
      #expect(try await call.outcomeInTime().value == .int(33 + Int64(index)))
    }
    #expect(crossed(plugin) == 0)
  }

  @Test("pipelined results are in the worker soon, also if nobody reads the later call")
  func unread() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let gate = plugin.call("gate", timeout: nil)
    let opener = plugin.call("open_beside", [Argument(.promise(gate))], timeout: nil)
    #expect(try await gate.outcomeInTime().value == .int(33))
    _ = consume opener
  }

  @Test("pipelined results of calls that have ended cross with the calls that take them")
  func ended() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let first = plugin.call("value", [.value(.int(1))], timeout: nil)
    #expect(try await first.outcomeInTime().value == .int(1))
    #expect(try await chain(plugin, on: first, 1)[1].outcomeInTime().value == .int(2))
    #expect(crossed(plugin) == 0)
  }

  @Test("a promise that is rejected, or has a large value or parts, crosses in a frame of its own")
  func apart() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    #expect("\(try await chain(plugin, on: .reject("no"), 1)[1].outcomeInTime().reason ?? "")" == "no")
    #expect(crossed(plugin) == 1)
    let large: Promise<PluginValue> = .resolve(.string(String(repeating: "a", count: Frame.leastKept)))
    let outcome = try await chain(plugin, on: large, 1)[1].outcomeInTime()
    #expect("\(outcome)".contains("fulfilled with a string"), "\(outcome)")
    #expect(crossed(plugin) == 2)
    _ = try await chain(plugin, on: .resolve(.array([])), 1)[1].outcomeInTime()
    #expect(crossed(plugin) == 3)
  }

  @Test("pipelined results are right while the answers of their calls are under way", arguments: [1, 3])
  func races(pool: Int) async throws {
    let plugin = try IsolatedPlugin.loading("chain") { $0.pool = pool }
    for round in 0..<20 {
      let chains = (0..<20).map { number in
        chain(plugin, on: plugin.call("value", [.value(.int(number))], timeout: nil), round)
      }
      for (number, calls) in chains.enumerated() {
        #expect(try await calls[round].outcomeInTime().value == .int(Int64(number + round)))
      }
    }
  }

  @Test("pipelined results that are rejections reject later calls while the answers are under way")
  func racingRejections() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    for round in 1..<20 {
      let chains = (0..<20).map { _ in chain(plugin, on: .reject("no"), round) }
      for calls in chains { #expect("\(try await calls[round].outcomeInTime().reason ?? "")" == "no") }
    }
  }

  @Test("pipelined results are in the worker for a while after their answers, the latest of them")
  func recent() {
    var recent = RecentResults()
    let requests = 0..<UInt64(RecentResults.capacity + 2)
    for request in requests { recent.append(.uint(request), request) }
    #expect(recent[0] == nil && recent[1] == nil)
    for request in requests.dropFirst(2) { #expect(recent[request] == .uint(request)) }
  }

  @Test("pipelined results are in the worker while their answers are under way, and do not cross again")
  func underWay() async throws {
    let said = Recorder<Int>()
    let gate = Gate()
    defer { gate.open() }
    let plugin = try IsolatedPlugin.loading("chain") {
      $0.capabilities = .unrestricted
      $0.output = { _ in
        said.record(1)
        // On the thread that reads answers.
        gate.wait()
      }
    }
    let line = plugin.call("say", timeout: nil)
    try await waiting(for: { said.count == 1 })
    let folder = Fixture.file("marks")
    try #require(mkdir(folder, 0o700) == 0)
    let first = plugin.call("value", [.value(.int(1))], timeout: nil)
    // Made after the first call, as a rule on its thread: the file means that the worker has answered the first.
    let mark = plugin.call("write_many", [.value(.string(folder)), .value(.uint(1))], timeout: nil)
    try await waiting(for: { access("\(folder)/0", F_OK) == 0 })
    let second = plugin.call("next", [Argument(.promise(first))], timeout: nil)
    gate.open()
    #expect(try await second.outcomeInTime().value == .int(2))
    #expect(crossed(plugin) == 0)
    withExtendedLifetime((line, mark)) {}
    plugin.unload()
  }

  @Test("pipelined results are calculated by the worker of a pool that has the first")
  func pools() async throws {
    let plugin = try IsolatedPlugin.loading("chain") { $0.pool = 3 }
    let last = chain(plugin, on: plugin.call("gate", timeout: nil), 4)[4]
    #expect(plugin.workers.map(\.pending).sorted() == [0, 0, 5])
    plugin.unload(deadline: .zero)
    #expect(try await last.outcomeInTime().pluginError?.kind == .closed)
    #expect(crossed(plugin) == 0)
  }

  @Test("a rejected result rejects the calls that it is an argument of with its reason")
  func rejected() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let calls = chain(plugin, on: plugin.call("gate", timeout: nil), 3)
    #expect(try await plugin.outcome("fail").value == .void)
    for call in calls { #expect("\(try await call.outcomeInTime().reason ?? "")" == "-7") }
    let discarded = chain(plugin, on: plugin.call("gate", timeout: nil), 3)
    discarded[0].discard()
    for call in discarded { #expect(try await call.outcomeInTime().reason is Discarded) }
    #expect(crossed(plugin) == 0)
  }

  @Test("a result rejects later calls with the error that a callback threw")
  func thrown() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let isSent = DispatchSemaphore(value: 0)
    let body = PluginCallback { _ in
      isSent.wait()
      throw Mine()
    }
    let calls = chain(plugin, on: plugin.call("ask", [Argument(.callback(body))], timeout: nil), 2)
    isSent.signal()
    for call in calls {
      let outcome = try await call.outcomeInTime()
      #expect(outcome.reason is Mine, "\(outcome)")
    }
  }

  @Test("a result that the host does not accept rejects later calls")
  func refused() async throws {
    let secret = try Fixture.file("secret", containing: "secret".utf8)
    guard let plugin = try IsolatedPlugin.confined("chain") else { return }
    let calls = chain(plugin, on: plugin.call("read_first", [.value(.string(secret))], timeout: nil), 2)
    #expect(try await plugin.outcome("open_gate", .int(1)).value == .void)
    for call in calls {
      let outcome = try await call.outcomeInTime()
      #expect(outcome.refusal?.path == secret, "\(outcome)")
    }
  }

  @Test("the end of the worker rejects the calls that its results are arguments of")
  func crash() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let calls = chain(plugin, on: plugin.call("gate", timeout: nil), 2)
    #expect(try await plugin.outcome("die").workerEnd != nil)
    for call in calls { #expect(try await call.outcomeInTime().workerEnd?.cause == .killed(signal: 6)) }
    // A result that the next worker does not have crosses.
    let later = try await chain(plugin, on: calls[0], 1)[1].outcomeInTime()
    #expect("\(later.reason ?? "")".contains("SIGABRT"), "\(later)")
  }

  @Test("calls wait for the results that are their arguments where calls are limited")
  func limits() async throws {
    let plugin = try IsolatedPlugin.loading("chain") { $0.limits.inFlight = 1 }
    let last = chain(plugin, on: plugin.call("value", [.value(.int(1))], timeout: nil), 5)[5]
    #expect(try await last.outcomeInTime().value == .int(6))
  }
}
