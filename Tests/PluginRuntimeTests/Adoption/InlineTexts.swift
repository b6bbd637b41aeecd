import PluginRuntime
import Testing

/// Text in an array of char: `str[8]`, in structs and behind `out` and `inout`.
@Suite("Text in arrays of char")
struct InlineTexts {
  private static let code = """
    #include <stdint.h>
    #include <string.h>
    struct record { uint8_t kind; char name[8]; char tags[2][3]; int32_t n; };
    int32_t measure(const struct record *r) { return (int32_t)strlen(r->name) * 100 + (int32_t)strlen(r->tags[1]); }
    struct record twice(struct record r) { memcpy(r.name + strlen(r.name), "!", 2); r.n *= 2; return r; }
    void change(struct record *r) { r->name[0] = 'X'; r->name[1] = 0; r->tags[0][0] = '+'; }
    int32_t count(const struct record *all, int32_t n) {
      int32_t sum = 0;
      for (int32_t i = 0; i < n; i++) sum += (int32_t)strlen(all[i].name);
      return sum;
    }
    void full(char *name) { memcpy(name, "12345678", 8); }
    void raw(struct record *r) { r->name[0] = (char)0xFF; }
    void shout(char *name) { for (; *name; name++) *name -= 32; }
    int32_t zeros(const struct record *r) { int32_t n = 0; for (int i = 0; i < 8; i++) n += !r->name[i]; return n; }
    """
  private static let record = "{kind: u8, name: str[8], tags: [str[3]; 2], n: i32}"

  private static func host() throws -> Host {
    try Host.adopting(
      code, "measure(r: &\(record)) -> i32", "twice(r: \(record)) -> \(record)", "change(r: inout \(record))",
      "count(all: &[\(record); n], n: i32) -> i32", "full(name: out str[8])", "raw(r: out \(record))",
      "shout(name: inout str[8])", "zeros(r: &\(record)) -> i32")
  }

  private static func text(name: String, tag: String = "ab") -> String {
    #"{"kind":1,"name":"\#(name)","tags":["","\#(tag)"],"n":21}"#
  }

  @Test("crosses by value, by address and in arrays, and is text in results")
  func crossing() async throws {
    let host = try Self.host()
    #expect(try await host.value("measure", .text(Self.text(name: "größe"))) == .int(702))
    let twice = try await host.value("twice", .text(Self.text(name: "abc")))
    #expect(twice.json == #"{"kind":1,"name":"abc!","tags":["","ab"],"n":42}"#)
    let changed = try await host.value("change", .text(Self.text(name: "abc")))
    #expect(changed.json == #"{"r":{"kind":1,"name":"X","tags":["+","ab"],"n":21}}"#)
    let all = "[\(Self.text(name: "a")), \(Self.text(name: "bcd"))]"
    #expect(try await host.value("count", .text(all)) == .int(4))
    #expect(try await host.value("shout", .text("abc")).json == #"{"name":"ABC"}"#)
    #expect(try await host.value("zeros", .text(Self.text(name: "a"))) == .int(7))
  }

  @Test("is the whole array if no NUL ends it")
  func withoutNUL() async throws {
    #expect(try await Self.host().value("full").json == #"{"name":"12345678"}"#)
  }

  @Test(
    "is never cut: a text that does not fit with its NUL is refused, as is one with a NUL in it",
    arguments: [
      ("measure", "12345678", "ab", "argument 'r.name' has 8 bytes, expected at most 7 bytes: C has a char[8]"),
      ("measure", "größer!", "ab", "argument 'r.name' has 9 bytes, expected at most 7"),
      ("twice", "a", "abc", "argument 'r.tags[1]' has 3 bytes, expected at most 2"),
      ("change", #"a\u0000b"#, "ab", "argument 'r.name' contains a NUL, which would end the text"),
    ])
  func refused(function: String, name: String, tag: String, message: String) async throws {
    let host = try Self.host()
    let error = await host.outcome(function, of: "test.code", [.text(Self.text(name: name, tag: tag))]).message
    #expect(error.contains(message), "\(error)")
    // A value of Swift is checked as its text is.
    guard function == "measure" else { return }
    let value = PluginValue.object([
      PluginMember("kind", .int(1)), PluginMember("name", .string(name)),
      PluginMember("tags", .array([.string(""), .string(tag)])), PluginMember("n", .int(1)),
    ])
    let other = await host.outcome(function, of: "test.code", [.value(value)]).message
    #expect(other.contains(message), "\(other)")
  }

  @Test("is an error if it is not UTF-8, which says how to get the bytes")
  func notText() async throws {
    let host = try Self.host()
    let error = await host.outcome("raw", of: "test.code", []).message
    #expect(error.contains("returned 'r.name' that is not UTF-8, expected text; [u8; 8] in the signature"), "\(error)")
  }
}
