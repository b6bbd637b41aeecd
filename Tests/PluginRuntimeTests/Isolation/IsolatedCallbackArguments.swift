import Dispatch
import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Isolation: arguments of callbacks are of the declared types", .serialized)
struct IsolatedCallbackArguments {
  /// Signatures with a callback `f`, and arguments that a worker may and may not pass to it.
  static let table: [(String, [[PluginValue]], [[PluginValue]])] = [
    (
      "f(f: fn(value: i64, name: str) -> i64)", [[.int(1), .string("x")]],
      [
        [], [.int(1)], [.int(1), .string("x"), .void], [.uint(1), .string("x")], [.int(1), .bytes([1])],
        [.string("x"), .int(1)], [.double(1), .string("x")],
      ]
    ),
    ("f(f: fn(u8))", [[.uint(255)]], [[.uint(256)], [.int(1)], [.void]]),
    ("f(f: fn(context, index: i32), data: context)", [[.int(3)]], [[.uint(3)], [.int(3), .int(3)]]),
    ("f(f: fn(data: bytes[n], n: u32)?)", [[.bytes([1])], [.bytes([])]], [[.bytes([1]), .uint(1)], [.string("x")]]),
    (
      "f(f: fn(&[{x: f64}], ptr<a>?))",
      [[.array([.object([PluginMember("x", .double(1))])]), .void], [.array([]), .void]],
      [[.array([.double(1)]), .void], [.array([]), .pointer(PluginPointer(name: "b", address: 1))]]
    ),
    ("f(f: fn(value, i64))", [[.void, .int(1)]], [[.void, .string("x")]]),
    ("f(f: fn(value, error))", [[.int(1), .string("no")], [.void, .object([])]], [[.int(1)]]),
  ]

  @Test(
    "a closure runs for arguments of the declared types alone, by position and by name", arguments: table.indices,
    [nil, "f"])
  func check(index: Int, name: String?) throws {
    let (text, right, wrong) = Self.table[index]
    let signature = try Signature(parsing: text)
    let seen = Recorder<[PluginValue]>()
    let callback = Argument(
      name: name,
      .callback(
        PluginCallback {
          seen.record($0)
          return .int(7)
        }))
    let checked = signature.checkingCallbacks([callback], "test.f")
    guard case .callback(let checking) = try #require(checked.first).content else {
      Issue.record("no callback")
      return
    }
    for arguments in wrong {
      let error = #expect(throws: PluginError.self, "\(text) \(arguments)") { try checking.run(arguments) }
      #expect(error?.kind == .badResult && error?.subject == "test.f")
    }
    #expect(seen.events.isEmpty)
    for arguments in right { #expect(try checking.run(arguments) == .int(7), "\(text) \(arguments)") }
    #expect(seen.events == right)
  }

  @Test("a closure is found behind other arguments, and is not run for a parameter that is not a callback")
  func places() throws {
    let signature = try Signature(parsing: "f(a: i32, f: fn(i32), b: i32 = 1, g: fn(str))")
    func message(_ arguments: [Argument], _ values: PluginValue...) throws -> String? {
      let callback = try #require(
        signature.checkingCallbacks(arguments, "test.f").compactMap { argument -> PluginCallback? in
          if case .callback(let callback) = argument.content { callback } else { nil }
        }.last)
      do {
        _ = try callback.run(values)
        return nil
      } catch {
        return "\(error)"
      }
    }
    let nothing = PluginCallback { _ in .void }
    let f = Argument(.callback(nothing))
    #expect(try message([.value(.int(1)), f], .int(1)) == nil)
    #expect(try message([.value(.int(1)), f], .string("")) != nil)
    #expect(try message([Argument(name: "a", .value(.int(1))), f], .int(1)) == nil)
    #expect(try message([f, Argument(name: "g", .callback(nothing)), .value(.int(1))], .string("")) == nil)
    #expect(try message([f], .int(1))?.contains("it is not a callback of the function") == true)
    #expect(try message([.value(.int(1)), f, f, f, f], .int(1))?.contains("it is not a callback") == true)
  }

  @Test("the closure does not run for wrong arguments that a worker sends")
  func liar() async throws {
    let plugin = try IsolatedPlugin.loading("dying")
    let seen = Recorder<[PluginValue]>()
    let pending = plugin.call(
      "keep",
      [
        .callback {
          seen.record($0)
          return $0[0]
        }
      ], timeout: nil)
    #expect(try await plugin.outcome("echo", .int(1)).value == .int(1))
    // The call is the first request, and its callback the second.
    let lies: [[PluginValue]] = [[], [.string("1"), .string("x")], [.int(1), .string("x"), .void]]
    for arguments in lies + [[.int(5), .string("x")]] {
      let frame = try Frame(.callback, 1, .array([.uint(2), .uint(1), .array(arguments), .uint(0)])).encoded().bytes
      #expect(try await plugin.outcome("garbage", .bytes(frame)).value == .void)
    }
    try await waiting(for: { seen.count > 0 })
    plugin.unload(deadline: .zero)
    #expect(seen.events == [[.int(5), .string("x")]])
    #expect(try await pending.outcomeInTime().pluginError?.kind == .closed)
  }

  @Test(
    "a closure does not run for a worker that calls it after the end of its scope",
    arguments: ["keep", "keep_call", "keep_once", "keep_forever"])
  func late(function: String) async throws {
    let plugin = try IsolatedPlugin.loading("dying")
    let (seen, end) = (Recorder<PluginValue>(), Recorder<Int>())
    // The call is the first request, and its callback the second.
    func send(_ kind: Frame.Kind, _ request: UInt64, _ body: PluginValue) async throws {
      let bytes = try Frame(kind, request, body).encoded().bytes
      #expect(try await plugin.outcome("garbage", .bytes(bytes)).value == .void)
    }
    func call(_ callback: UInt64, _ value: Int64) async throws {
      try await send(.callback, 1, .array([.uint(callback), .uint(1), .array([.int(value), .string("")]), .uint(0)]))
    }
    let kept = { [seen] in
      let object = Released { end.record(1) }
      return Argument.callback { arguments in
        withExtendedLifetime(object) { seen.record(arguments[0]) }
        return .int(1)
      }
    }
    let promise = plugin.call(function, [kept()], timeout: nil)
    // While the promise is pending, @settled holds. @once ends with its first call.
    if function == "keep" {
      #expect(try await plugin.outcome("echo", .int(1)).value == .int(1))
      try await call(2, 1)
      try await waiting(for: { seen.count == 1 })
      try await send(.fulfilled, 1, .void)
    }
    #expect(try await promise.outcomeInTime().value == .void)
    for value in 2...4 as ClosedRange<Int64> { try await call(2, value) }
    // No callback at all.
    try await call(1 << 40, 9)
    // Callbacks that came before have begun by then, and closures whose scope has ended are released.
    let last = plugin.call("keep", [kept()], timeout: nil)
    #expect(try await plugin.outcome("echo", .int(1)).value == .int(1))
    try await waiting(for: {
      switch function {
      case "keep_forever": seen.count == 3
      case "keep_once": seen.count == 1
      default: end.count == 1
      }
    })
    let expected: [String: [PluginValue]] = [
      "keep": [.int(1)], "keep_call": [], "keep_once": [.int(2)], "keep_forever": [.int(2), .int(3), .int(4)],
    ]
    #expect(Set(seen.events.map(\.json)) == Set(expected[function]?.map(\.json) ?? []), "\(seen.events)")
    plugin.unload(deadline: .zero)
    #expect(try await last.outcomeInTime().pluginError?.kind == .closed)
  }

  /// Notes its release.
  private final class Released: Sendable {
    private let note: @Sendable () -> Void
    init(_ note: @escaping @Sendable () -> Void) { self.note = note }
    deinit { note() }
  }

  @Test("a worker that sends questions without end is killed")
  func flood() async throws {
    let plugin = try IsolatedPlugin.loading("dying") { $0.questionLimit = 20 }
    let gate = DispatchSemaphore(value: 0)
    let wait = Argument.callback { _ in
      gate.wait()
      return .int(0)
    }
    let pending = plugin.call("keep", [wait], timeout: nil)
    #expect(try await plugin.outcome("echo", .int(1)).value == .int(1))
    func ask(_ count: Int) throws -> [UInt8] {
      let question = PluginValue.array([.uint(2), .uint(1), .array([.int(1), .string("x")]), .uint(0)])
      return try (0..<count).flatMap { _ in try Frame(.callback, 1, question).encoded().bytes }
    }
    #expect(try await plugin.outcome("garbage", .bytes(try ask(20))).value == .void)
    _ = plugin.call("garbage", [.value(.bytes(try ask(1)))], timeout: nil)
    let end = try await pending.outcomeInTime().workerEnd
    #expect(end?.fault?.contains("more callbacks and calls of other plugins at the same time than 20") == true)
    for _ in 0..<21 { gate.signal() }
    #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
  }
}
