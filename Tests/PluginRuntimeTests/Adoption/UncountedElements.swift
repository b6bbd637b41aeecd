import PluginRuntime
import Testing

/// Elements whose number the function alone knows, and text that it changes in place: `bytes[*]`, `inout str[*]`.
@Suite("Elements that nothing counts")
struct UncountedElements {
  private static let code = """
    #include <ctype.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    char *upper(char *text) { for (char *c = text; *c; c++) *c = (char)toupper(*c); return text; }
    char *strip(char *text) {
      while (*text == ' ') text++;
      for (size_t n = strlen(text); n > 0 && text[n - 1] == ' ';) text[--n] = 0;
      return text;
    }
    int32_t wipe(uint8_t *data) { int32_t n = 0; while (data[n]) data[n++] = 0xFF; return n; }
    int64_t hash(const void *v) { int64_t n; memcpy(&n, v, 8); return n; }
    int64_t sum(uint32_t mask, const uint32_t *values) {
      int64_t sum = 0;
      for (; mask; mask &= mask - 1) sum += *values++;
      return sum;
    }
    int32_t is_null(const void *v) { return !v; }
    int64_t sum_64(const uint8_t *key, const uint8_t *other) {
      int64_t sum = 0;
      for (int n = 0; n < 64; n++) sum += key[n];
      return sum + 1000000 * other[0];
    }
    int64_t *number_new(int64_t n) { int64_t *p = malloc(8); *p = n; return p; }
    void number_free(int64_t *n) { *n = 0; free(n); }
    int64_t *number_raw(int64_t n) { return number_new(n); }
    """

  private static func host() throws -> Host {
    try Host.adopting(
      code, "upper(text: inout str[*]) -> cstr", "strip(text: inout str[*]) -> cstr",
      "wipe(data: inout bytes[*]) -> i32", "hash(v: bytes[*]) -> i64", "sum(mask: u32, values: &[u32; *]) -> i64",
      "is_null(v: bytes[*]?) -> i32", "number_new(n: i64) -> own(number_free) ptr<number>",
      "number_raw(n: i64) -> ptr<number>", "sum_64(key: bytes[*], other: bytes[*]) -> i64")
  }

  @Test("elements without a count are changed in place, and end where the function has put a NUL")
  func inPlace() async throws {
    let host = try Self.host()
    let text = PluginValue.string("a text")
    let upper = try await host.value("upper", .value(text))
    #expect(upper[member: "text"] == .string("A TEXT") && upper[member: "result"] == .string("A TEXT"))
    // The caller's text is unchanged.
    #expect(text == .string("a text"))
    let stripped = try await host.value("strip", .text("  x y  "))
    #expect(stripped[member: "text"] == .string("  x y") && stripped[member: "result"] == .string("x y"))
    #expect(try await host.value("upper", .text(""))[member: "text"] == .string(""))
    // A zero ends the elements for the function, and is not a part of the result.
    let wiped = try await host.value("wipe", .value(.bytes([1, 2, 3])))
    #expect(wiped[member: "data"] == .bytes([255, 255, 255]) && wiped[member: "result"] == .int(3))
  }

  @Test("elements without a count are read as far as the function reads, and may be an object")
  func read() async throws {
    let host = try Self.host()
    #expect(try await host.value("hash", .value(.bytes([1, 0, 0, 0, 0, 0, 0, 0]))) == .int(1))
    #expect(try await host.value("sum", .text("5"), .text("[7, 8]")) == .int(15))
    #expect(try await host.value("is_null", .value(.void)) == .int(1))
    #expect(try await host.value("is_null", .text("")) == .int(0))
    for maker in ["number_new", "number_raw"] {
      let number = try await host.value(maker, .text("42"))
      #expect(try await host.value("hash", .value(number)) == .int(42), "\(maker)")
    }
    let nothing = await host.outcome("hash", of: "test.code", [.value(.int(3))]).pluginError
    #expect(nothing?.message.contains("expected bytes") == true, "\(nothing as Any)")
  }

  @Test(
    "a function that reads more elements than were passed reads zeros, up to 64 bytes", arguments: [0, 1, 16, 63, 64])
  func short(count: Int) async throws {
    let key = PluginValue.bytes([UInt8](repeating: 1, count: count))
    let other = PluginValue.bytes([UInt8](repeating: 255, count: 200))
    let sum = try await Self.host().value("sum_64", .value(key), .value(other))
    #expect(sum == .int(Int64(count) + 255_000_000))
  }

  @Test("elements without a count are parsed, and declared in C as an address without a count")
  func text() throws {
    let text = "f(a: inout str[*], b: bytes[*]?, c: &[cstr; *], d: i32)"
    let signature = try Signature(parsing: text)
    #expect(signature.description == text)
    #expect(signature.canonical == "(inout str[*], bytes[*]?, &[cstr; *], i32)")
    #expect(signature.cPrototype == "void f(char *a, const uint8_t *b, const char **c, int32_t d);")
  }

  @Test(
    "only an argument can be elements without a count",
    arguments: [
      ("f() -> bytes[*]", 8), ("f(a: out bytes[*])", 10), ("f(a: own bytes[*])", 6), ("f(a: {b: bytes[*]})", 10),
      ("f(a: fn(bytes[*]))", 9), ("f(a: out own(free) bytes[*])", 10), ("f() -> own(free) bytes[*]", 8),
      ("f(a: &[bytes[*]; *])", 8),
    ])
  func mistakes(text: String, column: Int) {
    let error = #expect(throws: SignatureError.self) { try Signature(parsing: text) }
    #expect(error?.column == column && error?.expected.contains("a count") == true, "\(error as Any)")
  }
}
