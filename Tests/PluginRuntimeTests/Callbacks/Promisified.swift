import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

@Suite("Callbacks: functions that call back when they are done")
struct Promisified {
  let host: Host
  let log = Recorder<String>()

  init() throws {
    let log = log
    host = try .loading("callbacks", Host.Options(log: { log.record("\($0) \($1): \($2)") }))
  }

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

  @Test("an error is the reason as it is, and a value the value")
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

  @Test("a promise without a call is rejected when the host ends, at its deadline")
  func never() async {
    let promise = host.call("never", of: "test.callbacks")
    #expect(host.unloadAll(deadline: .milliseconds(1)) == [])
    #expect(await promise.outcome().pluginError?.kind == .closed)
  }

  private func outcome(_ function: String, _ values: PluginValue...) async -> Outcome {
    await host.outcome(function, of: "test.callbacks", values.map { .value($0) })
  }
}
