import CCountedHeap
import CPromise
import PluginRuntime
import Promises
import Testing

/// Each case repeats a call: if every call loses an object, 1,000 objects and 32 MiB are left. The limit is half of
/// that. Other tests of the process may have more meanwhile, so a case fails only if it does so again and again.
@Suite("Calls: objects and memory that a call makes are freed")
struct Leaks {
  private static let calls = 1_000
  private static let size = 1 << 15
  private static let text = PluginValue.string(String(repeating: "x", count: size))
  private static let bytes = PluginValue.bytes(Array(repeating: 7, count: size))
  private static let page = PluginValue.object([
    PluginMember("name", text), PluginMember("title", text), PluginMember("data", bytes),
  ])

  struct Case: Sendable, CustomTestStringConvertible {
    let plugin: String
    let function: String
    let values: [PluginValue]
    var testDescription: String { "\(plugin).\(function)" }

    init(_ plugin: String, _ function: String, _ values: PluginValue...) {
      (self.plugin, self.function, self.values) = (plugin, function, values)
    }
  }

  private static let cases = [
    // Arguments and results.
    Case("types", "str", text), Case("types", "bytes", bytes), Case("types", "own_str", text),
    Case("types", "own_bytes", bytes), Case("types", "consume", bytes, text), Case("types", "own_not_utf8"),
    Case("types", "consume", bytes, .int(1)), Case("types", "own_then_range", bytes, .uint(256)),
    Case("dispatch", "joined", page), Case("dispatch", "same", text), Case("dispatch", "same", .array([text, bytes])),
    Case("dispatch", "older", page),
    Case("dispatch", "give", text),
    // Failures: an error that a function stores although it succeeds, rejections, and results that are refused.
    Case("failing", "repeat", text), Case("failing", "reason", text), Case("failing", "divide", .int(1), .int(0)),
    Case("failing", "later", .bool(true)), Case("failing", "later", .bool(false)), Case("dispatch", "give", .int(0)),
    Case("dispatch", "raise", .object([PluginMember("message", text)])), Case("wild", "listed_error"),
    // Errors that a function has stored before it throws.
    Case("throwing", "stores", text), Case("throwing", "stores_beside", text),
    // Promises.
    Case("promises", "str", text), Case("promises", "bytes", bytes), Case("promises", "fail", .string("why")),
    Case("promises", "str_as_number", text), Case("promises", "twofold", .int(4)), Case("promises", "lose", bytes),
    Case("callbacks", "later", .int(1)), Case("callbacks", "at_once", .int(1)), Case("callbacks", "ask", .bool(true)),
    Case("callbacks", "ask", .bool(false)), Case("callbacks", "refuse"), Case("callbacks", "start", .int(-1)),
    // Calls of another plugin.
    Case("caller", "echo", text), Case("caller", "add", .int(1), .int(2)),
    Case("caller", "add", .int(1 << 40), .int(0)),
    Case("caller", "twofold", .int(4)), Case("caller", "as_number", text),
  ]

  @Test("a call that fails frees its objects and memory", arguments: cases)
  func calls(_ call: Case) async throws {
    let host = try Host.loading(call.plugin)
    for other in call.plugin == "caller" ? ["whole", "types", "promises"] : [] {
      try host.load(try Fixture.plugin(other))
    }
    let arguments = call.values.map { Argument.value($0) }
    await expectNothingLeft {
      for _ in 0..<Self.calls { _ = await host.outcome(call.function, of: "test.\(call.plugin)", arguments) }
    }
  }

  @Test("the texts and the errors of a callback are freed")
  func callbacks() async throws {
    let host = try Host.loading("callbacks")
    let gives = Argument.callback { _ in Self.text }
    let fails = Argument.callback { _ in
      throw PromiseError(domain: "here", code: 1, message: String(repeating: "x", count: Self.size))
    }
    await expectNothingLeft {
      // Each call of length_of_given calls back 64 times.
      for _ in 0..<Self.calls / 64 { _ = await host.outcome("length_of_given", of: "test.callbacks", [gives]) }
      for _ in 0..<Self.calls { _ = await host.outcome("maybe", of: "test.callbacks", [fails]) }
    }
  }

  @Test("the texts and the errors of a binary callback are freed, also if the signature does not have their types")
  func binaryCallbacks() async throws {
    let host = try Host.loading("callbacks")
    func callback(_ state: Int) -> Argument {
      let text = String(repeating: "x", count: Self.size)
      return Argument(
        .callback(
          PluginCallback(binary: { _, _, result in
            promise_value_string(result, text, Self.size)
            return promise_state_t(state)
          })))
    }
    await expectNothingLeft {
      for _ in 0..<Self.calls / 64 {
        _ = await host.outcome("length_of_given", of: "test.callbacks", [callback(Int(PROMISE_FULFILLED))])
      }
      for _ in 0..<Self.calls {
        _ = await host.outcome("maybe", of: "test.callbacks", [callback(Int(PROMISE_FULFILLED))])
        _ = await host.outcome("maybe", of: "test.callbacks", [callback(Int(PROMISE_REJECTED))])
      }
    }
  }

  @Test(
    "memory that the host allocates for an object is freed: it is destroyed, was not made, or its function not called",
    arguments: [
      [.string("a"), .int(0)], [.string("("), .int(1)], [.int(1), .int(0)],
    ] as [[PluginValue]])
  func callerAllocated(arguments: [PluginValue]) async throws {
    let host = Host()
    let signature = try Signature(
      parsing: "regcomp(preg: out(\(Self.size)) own(regfree) ptr<regex_t>, pattern: cstr, flags: i32) -> i32 ! nonzero")
    try host.adopt(Adoption(id: "libc", library: "libc.so.6", functions: [Adoption.Function(signature: signature)]))
    await expectNothingLeft {
      for _ in 0..<Self.calls { _ = await host.outcome("regcomp", of: "libc", arguments.map { .value($0) }) }
    }
  }

  @Test("the reasons of load() for a refusal are freed")
  func refusals() async throws {
    let (host, path) = (Host(), try Fixture.plugin("refuses"))
    await expectNothingLeft(of: 200) {
      for _ in 0..<200 { #expect(throws: PluginError.self) { try host.load(path) } }
    }
  }

  private func expectNothingLeft(of calls: Int = Self.calls, _ body: () async -> Void) async {
    var growth = ""
    for _ in 0..<5 {
      let before = Counts()
      await body()
      guard let more = Counts().excess(over: before, of: calls) else { return }
      growth = more
      // Another test may be making a million promises, which takes seconds.
      try? await Task.sleep(for: .seconds(2))
    }
    Issue.record("\(growth)")
  }

  private struct Counts {
    private let promises: Int64
    private let values: Int64
    private let heap: Int64

    init() {
      var statistics = promise_statistics_t()
      statistics.size = UInt32(MemoryLayout<promise_statistics_t>.size)
      promise_statistics(&statistics)
      promises = Int64(statistics.promises_pending + statistics.promises_settled)
      values = Int64(statistics.values)
      heap = counted_heap_counts() ? Int64(counted_heap_bytes()) : 0
    }

    /// Returns the growth, if it is more than that of half of the calls.
    func excess(over before: Counts, of calls: Int) -> String? {
      let (promises, values, heap) = (promises - before.promises, values - before.values, heap - before.heap)
      if promises < calls / 2, values < calls / 2, heap < calls * size / 2 { return nil }
      return "\(promises) promises, \(values) values and \(heap) bytes are left of \(calls) calls"
    }
  }
}
