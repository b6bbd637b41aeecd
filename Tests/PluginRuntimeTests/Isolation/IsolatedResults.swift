import Promises
import Testing

@testable import PluginRuntime

@Suite("Isolation: results are of the declared type", .serialized)
struct IsolatedResults {
  private static func event(_ kind: UInt64, _ data: PluginValue) -> PluginValue {
    .object([PluginMember("kind", .uint(kind)), PluginMember("data", data)])
  }

  /// Signatures, and values that a worker may and may not return for them.
  static let table: [(String, [PluginValue], [PluginValue])] = [
    ("f() -> u8", [.uint(255)], [.uint(256), .int(3), .int(-1), .string("7"), .double(7), .void, .bool(true)]),
    ("f()", [.void], [.int(0), .string("")]),
    ("f() -> own str?", [.string("x"), .void], [.bytes([1]), .int(1)]),
    ("f() -> promise<f64>", [.double(.nan), .double(0.5)], [.string("0.5"), .int(1), .void]),
    ("f() -> bytes", [.bytes([])], [.string("x"), .array([])]),
    ("f() -> own(free) &[cstr; 0]", [.array([.string("x")])], [.array([.int(1)])]),
    ("f() -> promise<void>", [.void], [.bool(false)]),
    (
      "f() -> ptr<a>", [.pointer(PluginPointer(name: "a", address: 1))],
      [.pointer(PluginPointer(name: "b", address: 1))]
    ),
    ("f() -> value", [.void, .array([.int(1)])], []),
    (
      "f() -> &{kind: u8, data: union(kind) {n: i64 = 1}}",
      [event(1, .object([PluginMember("n", .int(5))])), event(9, .void)],
      [event(9, .object([PluginMember("n", .int(5))])), event(9, .int(5)), event(1, .void)]
    ),
    (
      "f() -> {x: i32, y: [bool; 2]}",
      [.object([PluginMember("x", .int(1)), PluginMember("y", .array([.bool(true), .bool(false)]))])],
      [
        .object([PluginMember("x", .int(1))]), .array([]),
        .object([PluginMember("x", .int(1)), PluginMember("y", .array([.bool(true)]))]),
        .object([PluginMember("x", .int(1)), PluginMember("y", .array([.bool(true), .int(0)]))]),
        .object([PluginMember("x", .int(1)), PluginMember("z", .array([.bool(true), .bool(true)]))]),
      ]
    ),
    (
      "f() -> &{kind: u8, data: union(kind) {n: i32 = 1, t: cstr = 2}}",
      [event(1, "n", .int(5)), event(2, "t", .string("")), event(3, nil, .void)],
      [
        event(1, "t", .string("")), event(2, "n", .int(5)), event(3, "n", .int(5)), event(1, nil, .void),
        event(1, "n", .uint(5)), event(2, "t", .void), event(256, nil, .void),
        .object([PluginMember("data", .object([PluginMember("n", .int(5))]))]),
        .object([
          PluginMember("kind", .uint(1)),
          PluginMember("data", .object([PluginMember("n", .int(5)), PluginMember("t", .string(""))])),
        ]),
      ]
    ),
    (
      "f(n: out u32) -> bool", [.object([PluginMember("result", .bool(true)), PluginMember("n", .uint(1))])],
      [
        .bool(true), .object([PluginMember("result", .bool(true))]),
        .object([PluginMember("result", .string("true")), PluginMember("n", .uint(1))]),
        .object([PluginMember("n", .uint(1)), PluginMember("result", .bool(true)), PluginMember("m", .uint(1))]),
      ]
    ),
  ]

  private static func event(_ kind: UInt64, _ member: String?, _ value: PluginValue) -> PluginValue {
    let data = member.map { PluginValue.object([PluginMember($0, value)]) } ?? .void
    return .object([PluginMember("kind", .uint(kind)), PluginMember("data", data)])
  }

  @Test("the check accepts results of the declared type alone", arguments: table.indices)
  func check(index: Int) throws {
    let (text, right, wrong) = Self.table[index]
    let signature = try Signature(parsing: text)
    for value in right { try signature.check(result: value) }
    for value in wrong {
      #expect(throws: ArgumentMismatch.self, "\(text) \(value)") { try signature.check(result: value) }
    }
  }

  @Test("a result of another type that a worker sends rejects the call")
  func liar() async throws {
    for lie in [PluginValue.string("seven"), .double(7), .void, .array([.int(7)])] {
      let plugin = try IsolatedPlugin.loading("dying")
      let pending = plugin.call("later", [.value(.int(7)), .value(.uint(60_000))], timeout: nil)
      // The call is the first request.
      let frame = try Frame(.fulfilled, 1, lie).encoded().bytes
      _ = plugin.call("garbage", [.value(.bytes(frame))], timeout: nil)
      let error = try #require(try await pending.outcomeInTime().pluginError)
      #expect(error.kind == .badResult && error.subject == "test.dying.later")
      #expect(error.message.contains("expected an integer"), "\(error)")
      // The worker continues, because only this result was wrong.
      #expect(try await plugin.outcome("echo", .int(3)).value == .int(3))
    }
  }

  @Test("functions of every type give the same results as in-process")
  func types() async throws {
    let (isolated, host) = (try IsolatedPlugin.loading("types"), try Host.loading("types"))
    let texts = ["true", "0", "-1", "1.5", "text", "inf", "nan"]
    var fulfilled = 0
    for function in isolated.description.functions where function.signature.inputs.count <= 1 {
      for text in texts {
        let arguments = function.signature.inputs.map { _ in Argument(.text(text)) }
        let one = try await isolated.call(function.name, arguments, timeout: nil).outcomeInTime()
        let other = try await host.call(function.name, of: "test.types", arguments).outcomeInTime()
        #expect(one.value?.json == other.value?.json, "\(function.name) \(text)")
        #expect(one.pluginError == other.pluginError, "\(function.name) \(text)")
        fulfilled += one.value == nil ? 0 : 1
      }
    }
    #expect(fulfilled > 30)
  }

  @Test("results that are read are released in the worker with their answers")
  func released() async throws {
    let plugin = try IsolatedPlugin.loading("chain")
    let kibibytes = Argument(.promise(Promise<PluginValue>.resolve(.int(512))))
    var resident: [UInt64] = []
    for _ in 0..<8 {
      for _ in 0..<50 {
        guard case .bytes(let bytes)? = try await plugin.call("large", [kibibytes], timeout: nil).outcomeInTime().value
        else {
          Issue.record("no bytes")
          return
        }
        #expect(bytes.count == 512 << 10)
      }
      if case .uint(let pages)? = try await plugin.outcome("resident").value { resident.append(pages) }
    }
    // The results of a round are 6,400 pages.
    #expect(resident.count == 8)
    let (earlier, later) = (resident.prefix(4).max() ?? 0, resident.dropFirst(4).max() ?? .max)
    #expect(later < earlier + 12_800, "\(resident)")
    plugin.unload()
  }

  @Test("a handle of a worker is refused by a plugin of this process")
  func handles() async throws {
    let host = Host()
    try host.load(try Fixture.plugin("dying"), isolation: .tests)
    let other = try Host.loading("dying")
    let thing = try #require(
      try await host.call("make", of: "test.dying", [.value(.int(5))]).outcomeInTime().value)
    #expect(try await host.call("look", of: "test.dying", [.value(thing)]).outcomeInTime().value == .int(5))
    let refused = try await other.call("look", of: "test.dying", [.value(thing)]).outcomeInTime()
    #expect(refused.pluginError?.kind == .badArgument)
    #expect(refused.pluginError?.message.contains("is a handle of a plugin in a worker process") == true)
    host.unloadAll()
  }
}
