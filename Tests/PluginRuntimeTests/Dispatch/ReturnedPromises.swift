import Dispatch
import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Calls: promises as results")
struct ReturnedPromises: CallsPlugin {
  static let plugin = "test.promises"
  let host: Host

  init() throws { host = try .loading("promises") }

  @Test("the promise of the call follows the returned promise")
  func settled() async {
    #expect(await outcome("i8", .int(-5)).value == .int(-5))
    #expect(await outcome("u16", .uint(65535)).value == .uint(65535))
    #expect(await outcome("f64", .double(0.5)).value == .double(0.5))
    #expect(await outcome("b", .bool(true)).value == .bool(true))
    #expect(await outcome("none").value == .void)
    #expect(await outcome("str", .string("é")).value == .string("é"))
    #expect(await outcome("cstr", .string("é")).value == .string("é"))
    #expect(await outcome("bytes", .bytes([1, 0])).value == .bytes([1, 0]))
    #expect(await outcome("address", .uint(16)).value == .pointer(PluginPointer(name: "thing", address: 16)))
    #expect(await outcome("numbers", .bytes([1, 0, 2, 1])).value == .array([.int(1), .int(258)]))
    #expect(
      await outcome("pair", .bytes([1, 2])).value
        == .object([PluginMember("a", .uint(1)), PluginMember("b", .uint(2))]))
    #expect(await outcome("twice").value == .int(1))
    #expect(
      await outcome("fail", .string("why not")).promiseError
        == PromiseError(domain: "test.promises", code: 5, message: "why not"))
  }

  @Test(
    "a promise whose value does not suit the signature rejects the call",
    arguments: [
      ("str_as_number", PluginValue.string("x"), "fulfilled with a value of type string, expected promise<i32>"),
      ("number_as_void", .int(3), "fulfilled with 3, expected promise<void>"),
      ("signed_as_unsigned", .int(3), "fulfilled with 3, expected promise<u64>"),
      ("i8", .int(128), "fulfilled with 128, expected promise<i8>"),
      ("u16", .uint(65536), "fulfilled with 65536, expected promise<u16>"),
      ("cstr", .string("a\0b"), "expected promise<cstr>"),
      ("address", .uint(0), "expected promise<ptr<thing>>"),
      ("numbers", .bytes([1, 2, 3]), "expected promise<&[i16]>"),
      ("pair", .bytes([1]), "expected promise<{a: u8, b: u8}>"),
      ("pair", .bytes([1, 2, 3]), "expected promise<{a: u8, b: u8}>"),
      ("given", .array([.int(1), .int(2)]), "expected promise<{a: u8, b: u8}>"),
    ])
  func mismatch(_ function: String, _ argument: PluginValue, _ message: String) async {
    let error = await outcome(function, argument).pluginError
    #expect(error?.kind == .badResult)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test("NULL and a destroyed promise reject the call")
  func noPromise() async {
    #expect(await outcome("null").pluginError?.message.hasPrefix("returned NULL, expected promise<i32>") == true)
    #expect(await outcome("released").pluginError?.message.hasPrefix("returned a promise that does not exist") == true)
  }

  @Test("a call that a thread settles later is pending until then, and keeps its arguments")
  func later() async {
    let call = host.call("sum", of: "test.promises", [.value(.bytes(Array(repeating: 2, count: 50_000)))])
    #expect(call.state == .pending)
    _ = await outcome("go")
    #expect(await call.outcome().value == .uint(100_000))
    #expect(host.registry["test.promises"]?.calls.pending.isEmpty == true)
  }

  @Test("discarding the call discards the plugin's promise; borrowed arguments live until the plugin releases it")
  func discard() async {
    let call = host.call("sum", of: "test.promises", [.value(.bytes(Array(repeating: 3, count: 50_000)))])
    call.discard()
    #expect(await call.outcome().reason is Discarded)
    #expect(await outcome("discarded").value == .int(1))
    #expect(host.retainedArguments.count == 1)
    _ = await outcome("go")
    #expect(await outcome("seen").value == .int(150_000))
    // Any call releases unused arguments.
    _ = await outcome("discarded")
    #expect(host.retainedArguments.count == 0)
  }

  @Test("discarding the call while its function runs discards the promise that it returns")
  func discardWhileItRuns() async {
    let queue = Queue()
    let calls = Recorder<Promise<PluginValue>>()
    let first = Argument.callback { _ in
      for call in calls.events { call.discard() }
      return .void
    }
    let call = host.call(
      "sum_after", of: "test.promises", [first, .value(.bytes([1, 2]))], on: .queue(queue.dispatch))
    calls.record(call)
    queue.resume()
    #expect(await call.outcome().reason is Discarded)
    // The queue runs this after the function has returned.
    await withCheckedContinuation { continuation in queue.dispatch.async { continuation.resume() } }
    #expect(await outcome("discarded").value == .int(1))
    _ = await outcome("go")
    #expect(await outcome("seen").value == .int(3))
    _ = await outcome("discarded")
    #expect(host.retainedArguments.count == 0)
  }

  @Test("an error of a callback discards the promise that the function returns; borrowed arguments live as long as it")
  func throwWhileItRuns() async {
    struct Full: Error {}
    let first = Argument.callback { _ in throw Full() }
    let data = PluginValue.bytes(Array(repeating: 3, count: 50_000))
    #expect(await outcome("sum_after", first, .value(data)).reason is Full)
    #expect(await outcome("discarded").value == .int(1))
    #expect(host.retainedArguments.count == 1)
    _ = await outcome("go")
    #expect(await outcome("seen").value == .int(150_000))
    _ = await outcome("discarded")
    #expect(host.retainedArguments.count == 0)
  }

  @Test("a call that waits for its context can be discarded before it begins")
  func discardBeforeBeginning() async {
    let queue = Queue()
    let call = host.call("go", of: "test.promises", on: .queue(queue.dispatch))
    call.discard()
    queue.resume()
    #expect(await call.outcome().reason is Discarded)
    // The discarded call would have let a sum continue.
    let sum = host.call("sum", of: "test.promises", [.value(.bytes([1]))])
    #expect(sum.state == .pending)
    _ = await outcome("go")
    #expect(await sum.outcome().value == .uint(1))
  }
}
