import PluginRuntime
import Testing

/// Results of closures that do not suit the callback's type.
@Suite("Callbacks: results that do not suit")
struct CallbackResults {
  private static let code = """
    #include <stdint.h>
    typedef struct { int32_t a, b; } pair;
    static pair got = {1, 1};
    int32_t ask(pair (*f)(void)) { got = f(); return 0; }
    int32_t told(void) { return got.a + got.b; }
    """

  @Test("a struct with a wrong field is zeros for the library, not the fields before it")
  func structure() async throws {
    let host = try Host.adopting(
      Self.code, "ask(f: fn() -> {a: i32, b: i32} @call) -> i32", "told() -> i32")
    let wrong = Argument.callback { _ in
      .object([PluginMember("a", .int(7)), PluginMember("b", .string("x"))])
    }
    let error = await host.outcome("ask", of: "test.code", [wrong]).pluginError
    #expect(error?.message.contains(".b is a string") == true, "\(error?.message ?? "none")")
    #expect(try await host.value("told") == .int(0))
    let right = Argument.callback { _ in .object([PluginMember("a", .int(7)), PluginMember("b", .int(-2))]) }
    #expect(try await host.value("ask", right) == .int(0))
    #expect(try await host.value("told") == .int(5))
  }
}
