import PluginRuntime
import Testing

/// Text that a function writes, and whose length it stores: `to: out str[n], n: inout usize`.
@Suite("Text that the function counts")
struct CountedText {
  private static let code = """
    #include <stdint.h>
    #include <string.h>
    void copy(char *to, size_t *n, const uint8_t *data, size_t size) { memcpy(to, data, size); *n = size; }
    void leave(char *to, size_t *n, const char *text) { strcpy(to, text); }
    """

  private static func host() throws -> Host {
    try Host.adopting(
      code, "copy(to: out str[n], n: inout usize = 64, data: bytes[size], size: usize)",
      "leave(to: out str[n], n: inout usize = 64, text: cstr)")
  }

  @Test(
    "has the letters that are counted, a NUL among them too, but none at its end",
    arguments: [("abc", "abc"), ("a\0b", "a\0b"), ("\0\0c", "\0\0c"), ("abc\0", "abc"), ("a\0b\0\0", "a\0b"), ("", "")])
  func counted(written: String, text: String) async throws {
    let host = try Self.host()
    let copied = try await host.value("copy", Argument(name: "data", .value(.bytes(Array(written.utf8)))))
    #expect(copied[member: "to"] == .string(text))
    #expect(copied[member: "n"] == .uint(UInt64(written.utf8.count)))
  }

  @Test("ends before its NUL if the function leaves the count as it was")
  func uncounted() async throws {
    let left = try await Self.host().value("leave", Argument(name: "text", .text("abc")))
    #expect(left[member: "to"] == .string("abc"))
  }
}
