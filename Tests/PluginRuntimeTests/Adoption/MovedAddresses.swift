import PluginRuntime
import Testing

/// Elements whose address a function moves behind those that it has read or written: `moving bytes[n]`.
@Suite("Addresses that are moved")
struct MovedAddresses {
  private static let code = """
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    int64_t take(const uint8_t **data, int64_t length, int64_t steps) { *data += steps; return length; }
    int64_t sum(const int32_t **values, uint32_t *left, int32_t until) {
      int64_t sum = 0;
      for (; *left && **values != until; ++*values, --*left) sum += **values;
      return sum;
    }
    void fill(uint16_t **to, size_t *room, int64_t count) {
      for (int64_t i = 0; i < count; i++, ++*to, --*room) **to = (uint16_t)(i + 1);
    }
    int64_t word(const char **text) {
      const char *start = *text;
      while (**text && **text != ' ') ++*text;
      return *text - start;
    }
    void all(const char **text) { *text = NULL; }
    void past(const char **text) { *text += strlen(*text) + 1; }
    int32_t dump(int32_t count, uint8_t **to) {
      if (count < 0) return count;
      *to = malloc((size_t)count + 1);
      memset(*to, 'x', (size_t)count);
      return count;
    }
    """

  private static func host() throws -> Host {
    try Host.adopting(
      code, "take(data: moving bytes[length], length: i64, steps: i64) -> i64",
      "sum(values: moving &[i32; left], left: inout u32, until: i32) -> i64",
      "fill(to: out moving &[u16; room], room: inout usize = 4, count: i64)", "word(text: moving str[*]) -> i64",
      "all(text: moving str[*])", "past(text: moving str[*])",
      "dump(count: i32, to: out own(free) bytes[result]?) -> i32 ! negative")
  }

  @Test("give the rest that was not read")
  func rest() async throws {
    let host = try Self.host()
    let taken = try await host.value("take", .value(.bytes([1, 2, 3])), .text("2"))
    #expect(taken == .object([PluginMember("result", .int(3)), PluginMember("data", .bytes([3]))]))
    #expect(try await host.value("take", .value(.bytes([])), .text("0"))[member: "data"] == .bytes([]))
    // The number of elements that are left is that of the rest.
    let sum = try await host.value("sum", .text("[3, 4, 9, 5]"), .text("9"))
    #expect(sum == .object([PluginMember("result", .int(7)), PluginMember("values", .array([.int(9), .int(5)]))]))
  }

  @Test("give the elements that were written")
  func written() async throws {
    let host = try Self.host()
    let three = try await host.value("fill", Argument(name: "count", .text("3")))
    #expect(three == .object([PluginMember("to", .array([.uint(1), .uint(2), .uint(3)]))]))
    #expect(try await host.value("fill", Argument(name: "count", .text("0")))[member: "to"] == .array([]))
  }

  @Test("may stand behind a 0 that ends the elements, or be NULL: nothing is left")
  func ended() async throws {
    let host = try Self.host()
    let word = try await host.value("word", .text("two words"))
    #expect(word[member: "result"] == .int(3) && word[member: "text"] == .string(" words"))
    #expect(try await host.value("all", .text("abc"))[member: "text"] == .string(""))
    #expect(try await host.value("past", .text("abc"))[member: "text"] == .string(""))
  }

  @Test("are not followed beyond the elements", arguments: ["-1", "4", "1000000"])
  func beyond(steps: String) async throws {
    let error = await Self.pluginError(try Self.host(), steps)
    #expect(error?.message.contains("was moved by \(steps) bytes, expected at most its 3 elements") == true)
  }

  private static func pluginError(_ host: Host, _ steps: String) async -> PluginError? {
    await host.outcome("take", of: "test.code", [.value(.bytes([1, 2, 3])), .text(steps)]).pluginError
  }

  @Test("given away have the number of elements that the function returns")
  func countedByResult() async throws {
    let host = try Self.host()
    #expect(try await host.value("dump", .text("2"))[member: "to"] == .bytes(Array("xx".utf8)))
    #expect(try await host.value("dump", .text("0"))[member: "to"] == .bytes([]))
    let outcome = await host.outcome("dump", of: "test.code", [.text("-3")])
    #expect(outcome.message.contains("-3"), "\(outcome)")
  }

  @Test("are addresses of addresses in C, and a part of the canonical form")
  func text() throws {
    let text = "f(a: moving bytes[n], n: inout usize, b: out moving &[u16; m], m: inout u32 = 4, c: moving str[*])"
    let signature = try Signature(parsing: text)
    #expect(signature.description == text)
    #expect(
      signature.canonical
        == "(moving bytes[#1], inout usize, out moving &[u16; #3], inout u32, moving str[*])")
    #expect(
      signature.cPrototype == "void f(const uint8_t **a, size_t *n, uint16_t **b, uint32_t *m, const char **c);")
    #expect(signature.inputs.map(\.name) == ["a", "m", "c"] && signature.outputs.map(\.name) == ["a", "b", "c"])
    let dump = "dump(to: out own(free) bytes[result]) -> i32"
    #expect(try Signature(parsing: dump).canonical == "(out own(free) bytes[result]) -> i32")
  }

  @Test(
    "are of elements",
    arguments: [
      ("f(a: moving cstr)", 13), ("f(a: moving i32)", 13), ("f(a: moving bytes[n]?, n: u32)", 13),
      ("f(a: out moving i32)", 17), ("f(a: moving bytes)", 13), ("f(a: out moving bytes[n], n: out u32)", 6),
      ("f(a: out own(free) bytes[result])", 6), ("f(a: out own(free) bytes[result]) -> cstr", 6),
    ])
  func mistakes(text: String, column: Int) {
    let error = #expect(throws: SignatureError.self) { try Signature(parsing: text) }
    #expect(error?.column == column, "\(error as Any)")
  }
}
