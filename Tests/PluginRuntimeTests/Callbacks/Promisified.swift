import CPromise
import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

@testable import PluginRuntime

@Suite("Callbacks: functions that call back when they are done")
struct Promisified: CallsPlugin {
  static let plugin = "test.callbacks"
  let host: Host
  let log = Recorder<String>()

  init() throws { host = try .loading("callbacks", log: log) }

  @Test("the promise is fulfilled with the callback's argument, on any thread")
  func later() async {
    let promises = (0..<50).map { host.call("later", of: "test.callbacks", [.value(.int($0))]) }
    for (number, promise) in promises.enumerated() { #expect(await promise.outcome().value == .int(Int64(number))) }
    #expect(log.events == [])
  }

  @Test("the callback may come before the function returns; a second call is reported")
  func atOnce() async {
    #expect(await outcome("at_once", .int(7)).value == .int(7))
    #expect(log.events.count == 1)
    #expect(log.events.first?.contains("was called a second time, expected once") == true)
  }

  @Test("the callback rejects by its status; the function rejects by its own, and is not waited for")
  func failures() async {
    #expect(await outcome("start", .int(0)).value == .string("text"))
    let failed = await outcome("start", .int(5)).promiseError
    #expect(failed == PromiseError(domain: "test.callbacks", code: 5, message: "test.callbacks.start failed with 5"))
    let refused = await outcome("start", .int(-3))
    #expect(refused.value == nil)
    #expect(host.unloadAll(deadline: .seconds(60)) == [])
    #expect(log.events == [])
  }

  @Test("an error that the callback receives is the reason unchanged, and a value is the value")
  func values() async {
    #expect(
      await outcome("refuse").promiseError == PromiseError(domain: "test.elsewhere", code: 12, message: "refused"))
    #expect(await outcome("hand_over").value == .bytes([97, 98, 99]))
  }

  @Test("of two callbacks the first settles; the other is then ignored")
  func either() async {
    #expect(await outcome("ask", .bool(true)).value == .string("yes"))
    #expect(
      await outcome("ask", .bool(false)).promiseError == PromiseError(domain: "test.callbacks", code: 0, message: "no"))
    #expect(log.events == [])
  }

  @Test("an argument that does not suit the signature rejects")
  func mistakes() async {
    let error = await outcome("null_answer").promiseError
    #expect(
      error?.message.contains("with a value that does not suit its signature: argument 2 is NULL, expected a string")
        == true)
  }

  @Test("a discarded promise is not waited for; a later callback is ignored")
  func discarded() async {
    let promise = host.call("never", of: "test.callbacks")
    #expect(promise.state == .pending)
    promise.discard()
    #expect(await outcome("at_last", .int(1)).value == .void)
    #expect(await promise.outcome().reason is Discarded)
    #expect(log.events == [])
  }

  @Test("a promise whose callback is released without a call is rejected, also where no call waits for it")
  func released() throws {
    let never = try host.function("never", of: "test.callbacks")
    var result = promise_value_t()
    #expect(Int32(never.invoke(nil, count: 0, into: &result)) == PROMISE_FULFILLED)
    let promise = OpaquePointer(result.as.ptr)
    #expect(promise_state(promise) == PROMISE_PENDING)
    host.unloadAll()
    #expect(promise_state(promise) == PROMISE_REJECTED)
    promise_value_release(&result)
  }

  @Test("NULL is the value of a completion, and of a callback, that passes none")
  func null() async throws {
    let host = try Host.adopting(
      """
      #include <stdint.h>
      int64_t give(int64_t (*f)(const void *)) { return f(0); }
      void complete(void (*done)(void *, const void *), void *data) { done(data, 0); }
      """, "give(f: fn(x: value) -> i64) -> i64",
      "complete(done: fn(context, resolve value) @once, data: context) -> promise<value> by done")
    let f = Argument.callback { $0 == [.void] ? .int(1) : .int(2) }
    #expect(await host.outcome("give", of: "test.code", [f]).value == .int(1))
    #expect(await host.outcome("complete", of: "test.code").value == .void)
  }

  @Test("a callback that always rejects does so with NULL, too; it has no reason then")
  func nullReason() async throws {
    let host = try Host.adopting(
      "void refuse(void (*no)(void *, const char *), void *data, const char *why) { no(data, why); }",
      "refuse(no: fn(context, reject always cstr) @once, data: context, why: cstr?) -> promise<void> by no")
    for (why, message) in [(.string("no"), "no"), (.void, "test.code.refuse failed, and does not say why")]
      as [(PluginValue, String)]
    {
      let error = await host.outcome("refuse", of: "test.code", [.value(why)]).promiseError
      #expect(error == PromiseError(domain: "test.code", code: 0, message: message))
    }
  }

  @Test("an error of another callback rejects the call; borrowed arguments live until the function has called back")
  func throwing() async throws {
    struct Full: Error {}
    let host = try Host.adopting(
      """
      #include <stddef.h>
      #include <stdint.h>
      static const unsigned char *kept;
      static size_t kept_size;
      static void (*kept_done)(void *, uint64_t);
      static void *kept_context;
      void start(void (*first)(void), const unsigned char *data, size_t size, void (*done)(void *, uint64_t), void *context) {
        first();
        kept = data, kept_size = size, kept_done = done, kept_context = context;
      }
      uint64_t finish(void) {
        uint64_t sum = 0;
        for (size_t i = 0; i < kept_size; i++) sum += kept[i];
        kept_done(kept_context, sum);
        return sum;
      }
      void nothing(void) {}
      """,
      "start(first: fn(), data: bytes[size], size: usize, done: fn(context, resolve u64) @once, context: context) "
        + "-> promise<u64> by done", "finish() -> u64", "nothing()")
    let first = Argument.callback { _ in throw Full() }
    let data = Argument.value(.bytes(Array(repeating: 3, count: 50_000)))
    #expect(await host.outcome("start", of: "test.code", [first, data]).reason is Full)
    #expect(host.retainedArguments.count == 1)
    #expect(try await host.value("finish") == .uint(150_000))
    _ = try await host.value("nothing")
    #expect(host.retainedArguments.count == 0)
  }

  @Test("a promise without a call is rejected when the host ends, at its deadline")
  func never() async {
    let promise = host.call("never", of: "test.callbacks")
    #expect(host.unloadAll(deadline: .milliseconds(1)) == [])
    #expect(await promise.outcome().pluginError?.kind == .closed)
  }
}
