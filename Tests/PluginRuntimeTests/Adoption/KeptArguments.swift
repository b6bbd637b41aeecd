import PluginRuntime
import Testing

/// Arguments whose addresses a function keeps: `keep cstr`.
@Suite("Arguments that are kept")
struct KeptArguments {
  private static let code = """
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    struct box {
      const char *name; const uint8_t *data; uint32_t size; const int32_t *pair; const char *const *all;
      const void *item;
    };
    static const char *last, *ended;
    static int64_t ends, item_ends;
    struct box *box_new(const char *name) { struct box *b = calloc(1, sizeof *b); b->name = name; return b; }
    struct box *raw_new(const char *name) { return box_new(name); }
    void box_free(struct box *b) {
      static char copy[64];
      strncpy(copy, b->name, 63);
      ended = copy;
      __atomic_add_fetch(&ends, 1, __ATOMIC_SEQ_CST);
      free(b);
    }
    const char *box_name(struct box *b) { return b->name; }
    void box_set(struct box *b, uint8_t *data, uint32_t size) { b->data = data; b->size = size; }
    void box_pair(struct box *b, const int32_t pair[2]) { b->pair = pair; }
    void box_all(struct box *b, const char *const *all) { b->all = all; }
    int64_t box_sum(struct box *b) {
      int64_t sum = 0;
      for (uint32_t i = 0; i < b->size; i++) sum += b->data[i];
      if (b->pair) sum += 1000 * b->pair[0] + 10000 * b->pair[1];
      for (const char *const *text = b->all; text && *text; text++) sum += 100000 * strlen(*text);
      return sum;
    }
    int32_t remember(const char *text) { last = text; return text ? (int32_t)strlen(text) : -1; }
    const char *remembered(void) { return last; }
    int64_t ended_boxes(void) { return __atomic_load_n(&ends, __ATOMIC_SEQ_CST); }
    const char *ended_name(void) { return ended; }
    int64_t *item_new(int64_t n) { int64_t *item = malloc(8); *item = n; return item; }
    void item_free(int64_t *item) { *item = -1; __atomic_add_fetch(&item_ends, 1, __ATOMIC_SEQ_CST); free(item); }
    int64_t ended_items(void) { return __atomic_load_n(&item_ends, __ATOMIC_SEQ_CST); }
    void box_hold(struct box *b, const void *item) { b->item = item; }
    int64_t box_item(struct box *b) { return *(const int64_t *)b->item; }
    void item_link(int64_t *item, const void *other) {}
    """

  private static func host() throws -> Host {
    try Host.adopting(
      code, "box_new(name: keep cstr) -> own(box_free) ptr<box>", "raw_new(name: keep cstr = \"raw\") -> ptr<box>",
      "box_name(box: ptr<box>) -> cstr", "box_set(box: ptr<box>, data: keep bytes[size], size: u32)",
      "box_pair(box: ptr<box>, pair: keep [i32; 2])", "box_all(box: ptr<box>, all: keep &[cstr; 0])",
      "box_sum(box: ptr<box>) -> i64", "remember(text: keep cstr?) -> i32", "remembered() -> cstr?",
      "ended_boxes() -> i64", "ended_name() -> cstr", "item_new(n: i64) -> own(item_free) ptr<item>",
      "ended_items() -> i64", "box_hold(box: ptr<box>, item: keep bytes[*])", "box_item(box: ptr<box>) -> i64",
      "item_link(item: ptr<item>, other: keep bytes[*])")
  }

  /// Makes calls that take and free much memory, so that an argument that was freed would be overwritten.
  private static func disturb(_ host: Host) async throws {
    for _ in 0..<50 {
      for size in [3, 40, 900, 5000] {
        _ = try await host.value("raw_new", .value(.string(String(repeating: "#", count: size))))
      }
    }
  }

  @Test("kept arguments stay unchanged until the object that the call made is destroyed")
  func life() async throws {
    let host = try Self.host()
    var box: PluginValue? = try await host.value("box_new", .value(.string("a name that stays")))
    try await Self.disturb(host)
    #expect(try await host.value("box_name", .value(#require(box))) == .string("a name that stays"))
    box = nil
    while try await host.value("ended_boxes") == .int(0) { await Task.yield() }
    // The destructor has read the name too.
    #expect(try await host.value("ended_name") == .string("a name that stays"))
  }

  @Test("kept arguments stay unchanged as long as the object that the function was passed")
  func given() async throws {
    let host = try Self.host()
    let box = Argument.value(try await host.value("box_new", .text("b")))
    _ = try await host.value("box_set", box, .value(.bytes([1, 2, 3])))
    _ = try await host.value("box_pair", box, .text("[4, 5]"))
    _ = try await host.value("box_all", box, .text(#"["six", "seven"]"#))
    try await Self.disturb(host)
    #expect(try await host.value("box_sum", box) == .int(6 + 4_000 + 50_000 + 800_000))
  }

  @Test("are objects too, in the place of data, and live as long")
  func object() async throws {
    let host = try Self.host()
    var box: PluginValue? = try await host.value("box_new", .text("b"))
    var item: PluginValue? = try await host.value("item_new", .text("42"))
    _ = try await host.value("box_hold", .value(#require(box)), .value(#require(item)))
    item = nil
    // Destructors run in turn: that of a second object runs after the first one's would have.
    var second: PluginValue? = try await host.value("item_new", .text("7"))
    // An object that is given itself has an end all the same.
    _ = try await host.value("item_link", .value(#require(second)), .value(#require(second)))
    second = nil
    while try await host.value("ended_items") == .int(0) { await Task.yield() }
    #expect(try await host.value("box_item", .value(#require(box))) == .int(42))
    #expect(try await host.value("ended_items") == .int(1))
    box = nil
    while try await host.value("ended_items") != .int(2) { await Task.yield() }
  }

  @Test("stay forever if the library alone keeps them, or if an object has no end that is known")
  func forever() async throws {
    let host = try Self.host()
    #expect(try await host.value("remember", .text("a text of the library's")) == .int(23))
    let raw = Argument.value(try await host.value("raw_new", .text("of an address")))
    let box = Argument.value(try await host.value("raw_new"))
    try await Self.disturb(host)
    #expect(try await host.value("remembered") == .string("a text of the library's"))
    #expect(try await host.value("box_name", raw) == .string("of an address"))
    #expect(try await host.value("box_name", box) == .string("raw"))
    #expect(try await host.value("remember", .value(.void)) == .int(-1))
    #expect(try await host.value("remembered") == .void)
  }

  @Test("kept arguments are freed with the last object that keeps them")
  func freed() async {
    // In a process without the memory of other tests.
    await #expect(processExitsWith: .success) {
      let host = try KeptArguments.host()
      let large = Argument.value(.bytes([UInt8](repeating: 1, count: 1 << 20)))
      func round(_ count: Int64) async throws {
        let before = try await host.value("ended_boxes")
        guard case .int(let ended) = before else { return }
        for _ in 0..<count {
          let box = Argument.value(try await host.value("box_new", .text("b")))
          _ = try await host.value("box_set", box, large)
        }
        while try await host.value("ended_boxes") != .int(ended + count) { await Task.yield() }
      }
      try await round(20)
      let before = try residentBytes()
      try await round(300)
      // If nothing was freed, it would be 300 MiB.
      #expect(try residentBytes() - before < 100 << 20)
    }
  }

  @Test("kept arguments are addresses in C, and a part of the canonical form")
  func text() throws {
    let text = "f(a: keep bytes[n], n: u32, b: keep &{x: i32}, c: keep [i32; 2] = [1, 2]) -> own(g) ptr<box>?"
    let signature = try Signature(parsing: text)
    #expect(signature.description == text)
    #expect(signature.canonical == "(keep bytes[#1], u32, keep &{x: i32}, keep [i32; 2]) -> own(g) ptr<box>?")
    #expect(
      signature.cPrototype.hasSuffix("box *f(const uint8_t *a, uint32_t n, const struct f_b *b, const int32_t c[2]);"))
    #expect(signature.parameters.map(\.isKept) == [true, false, true, true])
    #expect(try Signature(parsing: "f(keep: cstr)").parameters[0].isKept == false)
  }

  @Test(
    "only data behind an address can be a kept argument",
    arguments: [
      ("f(a: keep i32)", 11), ("f(a: keep str)", 11), ("f(a: keep ptr<box>)", 11), ("f(a: keep own cstr)", 11),
      ("f(a: keep &[ptr<box>; 0])", 11), ("f(a: keep {x: i32})", 11), ("f(a: keep fn())", 11),
    ])
  func mistakes(text: String, column: Int) {
    let error = #expect(throws: SignatureError.self) { try Signature(parsing: text) }
    #expect(error?.column == column && error?.expected.contains("a copy of the data") == true, "\(error as Any)")
  }
}
