import PluginRuntime
import Promises
import Testing

/// Objects as arguments of the type error: {"domain": "...", "code": 3, "message": "..."}.
@Suite("Arguments of the type error")
struct ErrorArguments: CallsPlugin {
  static let plugin = "test.dispatch"
  let host: Host

  init() throws { host = try .loading("dispatch") }

  private static func object(_ members: (String, PluginValue)...) -> PluginValue {
    .object(members.map { PluginMember($0.0, $0.1) })
  }

  @Test("a code is any integer that 64 signed bits hold")
  func codes() async {
    for code in [PluginValue.int(7), .uint(7)] {
      let argument = Self.object(("message", .string("why")), ("code", code))
      let error = await host.outcome("raise", of: Self.plugin, [.value(argument)]).promiseError
      #expect(error == PromiseError(domain: "plugin-host", code: 7, message: "why"), "\(code)")
    }
  }

  @Test("an error of an earlier call is one, with its origin")
  func again() async {
    let argument = Self.object(
      ("domain", .string("a")), ("code", .int(1)), ("message", .string("why")), ("origin", .string("main.swift:1")))
    let error = await host.outcome("raise", of: Self.plugin, [.value(argument)]).promiseError
    #expect(error == PromiseError(domain: "a", code: 1, message: "why"))
  }

  @Test(
    "another value is an error that names the field",
    arguments: [
      (#"{"message": "m", "code": "3"}"#, "'reason.code' is a string, expected an integer"),
      (#"{"message": "m", "code": 1.5}"#, "'reason.code' is 1.5, expected an integer"),
      (
        #"{"message": "m", "code": 18446744073709551615}"#,
        "'reason.code' is 18446744073709551615, expected an integer"
      ),
      (#"{"message": "m", "domain": 3}"#, "'reason.domain' is 3, expected a string without a NUL"),
      (#"{"message": "a\u0000b"}"#, "'reason.message' is a string, expected a string without a NUL"),
      (#"{"message": "m", "reason": 3}"#, "'reason.reason' is not a field, expected domain, code, message"),
      (#"{"code": 3}"#, "'reason.message' is missing, expected a string"),
    ])
  func mistakes(json: String, expected: String) async {
    let text = await outcome("raise", json: "[\(json)]").message
    #expect(text.contains(expected), "\(text)")
  }
}
