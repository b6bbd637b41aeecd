import CPromise
import Promises
import Testing

@testable import PluginRuntime

@Suite("The host's table: calls between plugins")
struct CallsBetweenPlugins: CallsPlugin {
  static let plugin = "test.caller"
  let host: Host

  init() throws {
    host = try .loading("caller")
    for fixture in ["whole", "types", "promises"] { try host.load(try Fixture.plugin(fixture)) }
  }

  @Test("a plugin calls another by id and name, with defaults for trailing arguments")
  func call() async {
    #expect(await outcome("add", .int(20), .int(22)).value == .int(42))
    #expect(await outcome("add_default", .int(40)).value == .int(42))
    #expect(await outcome("echo", .string("é")).value == .string("é"))
  }

  @Test("a mistake in a call rejects the promise with an ERROR")
  func mistakes() async {
    func error(_ function: String, _ values: PluginValue...) async -> PromiseError? {
      await host.outcome(function, of: "test.caller", values.map { .value($0) }).promiseError
    }
    #expect(
      await error("add", .int(1 << 40), .int(0))?.message.contains("'left' is 1099511627776, expected an integer")
        == true)
    #expect(
      await error("call", .string("test.nobody"), .string("add"))?.message.contains("no plugin of this id is loaded")
        == true)
    #expect(
      await error("call", .string("test.whole"), .string("sub"))?.message.contains("has no function 'sub'") == true)
    #expect(
      await error("call", .string("test.whole"), .string("add"))?.message.contains("lacks the argument 'left'") == true)
    for how in 0..<7 {
      let mistake = await error("misuse", .int(Int64(how)))
      #expect(mistake?.domain == "promise", "misuse \(how)")
      #expect(mistake?.code == -1, "misuse \(how)")
    }
  }

  @Test("a promise that is passed on suits the parameter's type, or is rejected")
  func promises() async {
    #expect(await outcome("twofold", .int(21)).value == .int(42))
    let error = await outcome("as_number", .string("21")).promiseError
    #expect(
      error?.message == "the promise was fulfilled with a value of type string, expected a value for a promise<i64>")
  }

  @Test("values lent to the called function live until its promise is settled")
  func lending() async {
    let sum = host.call("sum", of: "test.caller", [.value(.bytes(Array(repeating: 5, count: 50_000)))])
    #expect(sum.state == .pending)
    _ = await host.outcome("go", of: "test.promises")
    #expect(await sum.outcome().value == .uint(250_000))
  }

  @Test("discarding the promise of a call discards that of the called function")
  func discard() async {
    // The caller had the last reference to the promise of the call.
    #expect(await outcome("start_and_discard", .bytes([1, 2, 3])).value == .bool(true))
    #expect(await host.outcome("discarded", of: "test.promises").value == .int(1))
    _ = await host.outcome("go", of: "test.promises")
    #expect(await host.outcome("seen", of: "test.promises").value == .int(6))
    await releaseArguments()
  }

  @Test("discarding a call that waits for another plugin reaches that plugin")
  func discardThrough() async {
    let sum = host.call("sum", of: "test.caller", [.value(.bytes([1]))])
    sum.discard()
    #expect(await host.outcome("discarded", of: "test.promises").value == .int(1))
    _ = await host.outcome("go", of: "test.promises")
    #expect(await host.outcome("seen", of: "test.promises").value == .int(1))
    await releaseArguments()
  }

  @Test("a call by a plugin releases the arguments that no plugin uses any more")
  func releasing() async throws {
    let sum = host.call("sum", of: "test.promises", [.value(.bytes([1, 2, 3]))])
    sum.discard()
    #expect(host.retainedArguments.count == 1)
    // Direct calls of the functions, which release no retained arguments.
    for name in ["go", "seen"] {
      var result = promise_value_t()
      try host.function(name, of: "test.promises").invoke(nil, count: 0, into: &result)
    }
    #expect(host.retainedArguments.count == 1)
    promise_release(host.call("discarded", of: "test.promises", nil, 0))
    #expect(host.retainedArguments.count == 0)
  }

  /// Releases the arguments that no plugin uses any more, as any call does.
  private func releaseArguments() async {
    _ = await host.outcome("discarded", of: "test.promises")
    #expect(host.retainedArguments.count == 0)
  }
}
