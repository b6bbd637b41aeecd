import PluginRuntime
import Testing

/// Addresses given where a function takes a callback or a token.
@Suite("Callbacks: addresses")
struct CallbackAddresses {
  private static func host() throws -> Host {
    try Host.adopting(
      "int f(void *f) { return f != 0; } int g(void *f) { return f != 0; } int h(void *t) { return t != 0; }",
      "f(f: fn(n: i32) -> i32 @call) -> i32", "g(f: fn(n: i32) -> i32 @forever?) -> i32", "h(t: token?) -> i32")
  }

  @Test(
    "an address of data is refused as a callback and as a token",
    arguments: [("f", "a callback"), ("g", "a callback"), ("h", "a token")])
  func data(function: String, expected: String) async throws {
    let address = PluginValue.pointer(PluginPointer(name: "tm", address: 4096))
    let error = try await Self.host().outcome(function, of: "test.code", [.value(address)]).pluginError
    let message = error?.message ?? "none"
    #expect(message.contains("is an address of a tm, expected \(expected)"), "\(message)")
  }

  @Test(
    "an address of a function is a callback, and an address of any type is either",
    arguments: [("f", "function"), ("f", "void"), ("g", "function"), ("h", "promise_token_t"), ("h", "void")])
  func functions(function: String, name: String) async throws {
    let address = PluginValue.pointer(PluginPointer(name: name, address: 4096))
    #expect(try await Self.host().value(function, .value(address)) == .int(1))
  }
}
