import PluginRuntime
import Promises
import Testing

@Suite("Calls: functions with !")
struct Failing: CallsPlugin {
  static let plugin = "test.failing"
  let host: Host

  init() throws { host = try .loading("failing") }

  @Test("a function with ! that succeeds returns the result from its out parameter")
  func success() async {
    #expect(await outcome("divide", .int(42), .int(-2)).value == .int(-21))
    #expect(await outcome("check", .bool(true)).value == .void)
    #expect(await outcome("repeat", .string("ab"), .uint(3)).value == .string("ababab"))
    #expect(await outcome("repeat", .string(""), .uint(0)).value == .string(""))
    #expect(await outcome("later", .bool(true)).value == .int(42))
  }

  @Test("a negative status rejects with the error in the out parameter")
  func error() async {
    #expect(
      await outcome("divide", .int(1), .int(0)).promiseError
        == PromiseError(domain: "test.failing", code: 33, message: "division by zero"))
    #expect(await outcome("later", .bool(false)).promiseError?.message == "not today")
    #expect(await outcome("reason", .string("a string")).reason as? String == "a string")
  }

  @Test("without an error, or with a forged one, the status is the code")
  func status() async {
    let error = await outcome("check", .bool(false)).promiseError
    #expect(error?.domain == "promise")
    #expect(error?.code == -5)
    #expect(error?.message.contains("PROMISE_ETIMEDOUT") == true)
    #expect(await outcome("forged").promiseError?.code == -1)
  }
}
