import CPromise
import PluginRuntime
import Promises
import PromisesTestSupport
import Synchronization
import Testing

/// Callbacks whose arguments are `out` and `inout`: a closure returns their values.
@Suite("Callbacks: out arguments")
struct CallbackOutputs {
  private let host: Host
  private let plugin: IsolatedPlugin

  init() throws {
    host = try .loading("callbacks")
    plugin = try .loading("callbacks")
  }

  /// Calls a function in this process or in a worker.
  private func call(_ function: String, _ arguments: [Argument], isIsolated: Bool) async throws -> Outcome {
    let promise =
      isIsolated
      ? plugin.call(function, arguments, timeout: nil) : host.call(function, of: "test.callbacks", arguments)
    return try await promise.outcomeInTime()
  }

  private static let spot = PluginValue.object([PluginMember("x", .double(2.5)), PluginMember("y", .int(-3))])

  /// Returns the members that a closure returns, with one of them changed or left out.
  private static func outputs(_ name: String = "", _ value: PluginValue? = nil) -> PluginValue {
    let members = [
      PluginMember("result", .int(7)), PluginMember("x", .double(1.5)), PluginMember("spot", spot),
      PluginMember("count", .int(11)), PluginMember("text", .string("hi")), PluginMember("thing", .void),
    ]
    let others = members.filter { $0.name != name }
    return .object(others + (value.map { [PluginMember(name, $0)] } ?? []))
  }

  @Test(
    "out arguments of a callback are stored through the addresses that C passes, and inout ones are read there",
    arguments: [false, true])
  func store(isIsolated: Bool) async throws {
    let seen = Recorder<[PluginValue]>()
    let body = Argument.callback { arguments in
      seen.record(arguments)
      return Self.outputs()
    }
    let all = try await call("locate", [.value(.int(5)), .value(.bool(true)), body], isIsolated: isIsolated)
    #expect(all.value == .string("7 1.5 {2.5 -3} 11 hi 0"))
    // An address that is NULL means that C does not want the value.
    let some = try await call("locate", [.value(.int(6)), .value(.bool(false)), body], isIsolated: isIsolated)
    #expect(some.value == .string("7 99 {99 99} 11 - 1"))
    #expect(seen.events == [[.int(5), .int(10)], [.int(6), .int(10)]])
    let double = Argument.callback { arguments in
      guard case .int(let n) = arguments[0] else { return .void }
      return .object([PluginMember("n", .int(n * 2))])
    }
    let stepped = try await call("step", [.value(.int(3)), .value(.int(4)), double], isIsolated: isIsolated)
    #expect(stepped.value == .int(48))
  }

  @Test(
    "out arguments of another type are an error, and nothing is stored",
    arguments: [
      (outputs("x", .string("a")), "'x' is a string, expected a number"),
      (outputs("spot"), "it has no member 'spot', expected an object with x, y"),
      (outputs("result"), "it has no member 'result', expected an integer"),
      (outputs("result", .int(1 << 40)), "it is 1099511627776, expected an integer"),
      (outputs("more", .void), "it has the member 'more', expected an object with result, x, spot, count, text, thing"),
      (.int(7), "it is 7, expected an object with result, x, spot, count, text, thing"),
      (outputs("text", .string("a\0b")), "'text' "), (outputs("count", .uint(.max)), "'count' is 18446744073709551615"),
    ], [false, true])
  func mistakes(mistake: (PluginValue, String), isIsolated: Bool) async throws {
    let (value, message) = mistake
    let body = Argument.callback { _ in value }
    let outcome = try await call("locate", [.value(.int(5)), .value(.bool(true)), body], isIsolated: isIsolated)
    #expect(outcome.pluginError?.message.contains(message) == true, "\(outcome)")
    // Out arguments are zeros, and an inout argument has its old value.
    #expect(try await call("last_located", [], isIsolated: isIsolated).value == .string("0 0 {0 0} 10 - 0"))
  }

  @Test(
    "a callback that throws leaves zeros in its out arguments, and an inout argument that is NULL is refused",
    arguments: [false, true])
  func errors(isIsolated: Bool) async throws {
    let body = Argument.callback { _ in throw Thrown() }
    let outcome = try await call("locate", [.value(.int(5)), .value(.bool(true)), body], isIsolated: isIsolated)
    #expect(outcome.reason is Thrown, "\(outcome)")
    #expect(try await call("last_located", [], isIsolated: isIsolated).value == .string("0 0 {0 0} 10 - 0"))
    let unknown = try await call("unknown", [body], isIsolated: isIsolated)
    #expect(unknown.pluginError?.message.contains("'n' is NULL, expected an integer") == true, "\(unknown)")
  }

  @Test("out arguments of a callback are addresses in C, with direction and name in the canonical form")
  func declarations() throws {
    let text = "f(g: fn(a: i32, x: out f64, p: inout {v: i32}, t: out own cstr) -> i32, h: fn(n: inout ptr<it>))"
    let signature = try Signature(parsing: text)
    #expect(
      signature.description
        == text.replacing("h: fn(n: inout ptr<it>)", with: "h: fn(n: inout ptr<it>) @call")
        .replacing("-> i32,", with: "-> i32 @call,"))
    #expect(
      signature.canonical
        == "(fn(i32, x: out f64, p: inout {v: i32}, t: out own cstr) -> i32 @call, fn(n: inout ptr<it>) @call)")
    #expect(
      signature.cPrototype.hasSuffix(
        "void f(int32_t (*g)(int32_t a, double *x, struct f_g_p *p, char **t), void (*h)(it **n));"),
      "\(signature.cPrototype)")
  }

  /// A closure returns an object with these names, so functions with other names are called differently.
  @Test("have names by which two functions differ, in a canonical form that is a signature again")
  func names() throws {
    let signature = try Signature(parsing: "f(g: fn(x: i32, size: out f64))")
    #expect(try Signature(parsing: "f(g: fn(x: i32, length: out f64))").hash != signature.hash)
    #expect(try Signature(parsing: "h(i: fn(i32, size: out f64))").hash == signature.hash)
    #expect(try Signature(parsing: "f(g: \(signature.canonical.dropFirst().dropLast()))").hash == signature.hash)
  }

  private struct Thrown: Error {}
}
