import PluginRuntime
import Promises
import Testing

@Suite("Calls that are nested in each other")
struct RecursionTests {
  enum Mode: CaseIterable { case inProcess, threads, worker, workers }

  /// Returns a host with two plugins, `test.caller` and `test.other`.
  private func host(_ mode: Mode, limit: Int? = nil) throws -> Host {
    var options = Host.Options()
    if let limit { options.recursionLimit = limit }
    let host = Host(options)
    for flags in [[], ["-DID=\"test.other\""]] {
      let path = try Fixture.plugin("caller", flags)
      if mode == .workers || mode == .worker && flags.isEmpty {
        try host.load(path, isolation: .tests)
      } else if mode == .threads {
        try host.load(path, on: SerialThread())
      } else {
        try host.load(path)
      }
    }
    return host
  }

  private func recurse(_ host: Host, _ next: String, _ levels: UInt64) async throws -> Outcome {
    let arguments: [PluginValue] = [.string(next), .string("test.caller"), .uint(levels)]
    return try await host.call("recurse", of: "test.caller", arguments.map { .value($0) }).outcomeInTime()
  }

  @Test(
    "nested calls end at the limit of the host, by a rejection that names it, the plugin and the function",
    arguments: Mode.allCases, ["test.caller", "test.other"])
  func limits(mode: Mode, next: String) async throws {
    let host = try host(mode)
    let shallow = try await recurse(host, next, 200)
    #expect(shallow.value == .uint(7), "\(shallow)")
    let deep = try await recurse(host, next, 1_000_000)
    let text = "\(deep.reason ?? "")"
    #expect(text.contains("is nested in 256 calls, which is the limit"), "\(deep)")
    #expect(text.contains("test.caller.recurse") || text.contains("test.other.recurse"), "\(deep)")
    #expect(try await recurse(host, next, 3).value == .uint(7))
  }

  @Test(
    "nested calls have the limit that the host's user sets, to the call",
    arguments: Mode.allCases, ["test.caller", "test.other"])
  func own(mode: Mode, next: String) async throws {
    let host = try host(mode, limit: 10)
    // The first call, those of each level, and the leaf.
    #expect(try await recurse(host, next, 8).value == .uint(7))
    let deep = try await recurse(host, next, 9)
    #expect("\(deep.reason ?? "")".contains("is nested in 10 calls"), "\(deep)")
  }

  @Test("nested calls include those that callbacks make", arguments: Mode.allCases)
  func callbacks(mode: Mode) async throws {
    let host = try host(mode, limit: 1)
    let body = PluginCallback { _ in
      let inner = host.call("leaf", of: "test.caller")
      // The outcome is known at once, because no call is made.
      return .uint(inner.state == .rejected ? 1 : 0)
    }
    #expect(try await host.call("leaf", of: "test.caller").outcomeInTime().value == .uint(7))
    let outcome = try await host.call("with", of: "test.caller", [Argument(.callback(body))]).outcomeInTime()
    #expect(outcome.value == .uint(1), "\(outcome)")
  }
}
