import Dispatch
import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

@Suite("Calls: requests to cancel", .serialized)
struct CancelRequestTests {
  enum Mode: CaseIterable { case inProcess, thread, worker }

  private func host(_ mode: Mode) throws -> Host {
    let host = Host()
    let path = try Fixture.plugin("promises")
    switch mode {
    case .inProcess: try host.load(path)
    case .thread: try host.load(path, on: SerialThread())
    case .worker: try host.load(path, isolation: .tests)
    }
    return host
  }

  private func untilRequest(_ host: Host, _ value: Int64) -> Promise<PluginValue> {
    host.call("until_request", of: "test.promises", [.value(.int(value))])
  }

  /// Waits until a function of the plugin without parameters returns 1 or more.
  private func wait(for function: String, of host: Host) async throws {
    try await waiting {
      guard case .int(let count)? = try await host.call(function, of: "test.promises").outcomeInTime().value else {
        return false
      }
      return count > 0
    }
  }

  @Test("are passed to the plugin's promise, which may be fulfilled or discarded", arguments: Mode.allCases)
  func passed(mode: Mode) async throws {
    let host = try host(mode)
    let (fulfilled, discarded) = (untilRequest(host, 7), untilRequest(host, 0))
    try await wait(for: "waiting_count", of: host)
    for call in [fulfilled, discarded] {
      #expect(call.state == .pending)
      call.future.requestCancel()
    }
    #expect(try await fulfilled.outcomeInTime().value == .int(7))
    #expect(try await discarded.outcomeInTime().reason is Discarded)
    host.unloadAll()
  }

  @Test("of the only promise derived from a call are passed to the plugin", arguments: Mode.allCases)
  func derived(mode: Mode) async throws {
    let host = try host(mode)
    let derived = untilRequest(host, 7).then { $0 }
    // The call is known to nobody else now.
    try await wait(for: "waiting_count", of: host)
    derived.future.requestCancel()
    #expect(try await derived.outcomeInTime().value == .int(7))
    host.unloadAll()
  }

  @Test("by a cancelled task that waits for the call are passed to the plugin", arguments: Mode.allCases)
  func task(mode: Mode) async throws {
    let host = try host(mode)
    let task = Task { try await untilRequest(host, 7).get() }
    try await wait(for: "waiting_count", of: host)
    task.cancel()
    #expect(try await task.value == .int(7))
    try await wait(for: "request_count", of: host)
    host.unloadAll()
  }

  @Test("while the function runs are passed to the promise that it returns", arguments: [Mode.inProcess, .worker])
  func whileItRuns(mode: Mode) async throws {
    let host = try host(mode)
    let calls = Recorder<Promise<PluginValue>>()
    let mayGoOn = DispatchSemaphore(value: 0)
    let first = Argument.callback { _ in
      mayGoOn.wait()
      calls.events[0].future.requestCancel()
      return .void
    }
    let queue = Queue()
    let call = host.call(
      "until_request_after", of: "test.promises", [first, .value(.int(7))], on: .queue(queue.dispatch))
    calls.record(call)
    mayGoOn.signal()
    queue.resume()
    #expect(try await call.outcomeInTime().value == .int(7))
    host.unloadAll()
  }

  @Test("before the function begins discard the call")
  func beforeItBegins() async throws {
    let host = try host(.inProcess)
    let queue = Queue()
    let call = host.call("i8", of: "test.promises", [.value(.int(1))], on: .queue(queue.dispatch))
    call.future.requestCancel()
    queue.resume()
    #expect(try await call.outcomeInTime().reason is Discarded)
    host.unloadAll()
  }

  @Test("of a call that waits for the limit of its worker discard the call")
  func waitingForLimit() async throws {
    let plugin = try IsolatedPlugin.loading("promises") { $0.limits.inFlight = 1 }
    let first = plugin.call("until_request", [.value(.int(7))], timeout: nil)
    let second = plugin.call("i8", [.value(.int(1))], timeout: nil)
    second.future.requestCancel()
    #expect(try await second.outcomeInTime().reason is Discarded)
    #expect(first.state == .pending)
    first.future.requestCancel()
    #expect(try await first.outcomeInTime().value == .int(7))
    plugin.unload()
  }

  @Test(
    "are passed on by a plugin that returned the promise of another plugin's call", arguments: Mode.allCases,
    ["test.caller", "test.isolated"])
  func throughPlugins(mode: Mode, id: String) async throws {
    let host = try host(mode)
    let path = try Fixture.plugin("caller", ["-DID=\"\(id)\""])
    if id == "test.isolated" { try host.load(path, isolation: .tests) } else { try host.load(path) }
    let call = host.call("call", of: id, [.text("test.promises"), .text("until_request")])
    try await wait(for: "waiting_count", of: host)
    call.future.requestCancel()
    #expect(try await call.outcomeInTime().value == .int(5))
    host.unloadAll()
  }
}
