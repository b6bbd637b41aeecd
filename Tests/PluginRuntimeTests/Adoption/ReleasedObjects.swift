import PluginRuntime
import Testing

/// Objects that only calls release: `own ptr<Name>` as a result.
@Suite("Objects without a destructor")
struct ReleasedObjects {
  private static let code = """
    #include <malloc.h>
    #include <stdint.h>
    #include <stdlib.h>
    #include <string.h>
    struct box { const char *name; };
    static int64_t frees;
    struct box *box_new(const char *name) { struct box *b = calloc(1, sizeof *b); b->name = name; return b; }
    int32_t box_make(struct box **made) { *made = box_new("made"); return 0; }
    const char *box_name(struct box *b) { return b->name; }
    void box_free(struct box *b) { frees++; free(b); }
    void box_rename(struct box *b, const char *name) { b->name = name; }
    static struct box *last;
    void box_hold(struct box *b) { last = b; }
    struct box *box_held(void) { return last; }
    int64_t freed(void) { return frees; }
    void overwrite_freed(int32_t byte) { mallopt(M_PERTURB, byte); }
    void *memory(size_t size) { return malloc(size); }
    void *address(void) { return box_new("of unknown type"); }
    """

  private static func host() throws -> Host {
    try Host.adopting(
      code, "box_new(name: keep cstr) -> own ptr<box>", "box_make(made: out own ptr<box>?) -> i32 ! nonzero",
      "box_name(box: ptr<box>) -> cstr", "box_free(box: own ptr<box>)", "box_rename(box: ptr<box>, name: keep cstr)",
      "box_hold(box: ptr<box>)", "box_held() -> ptr<box>?", "freed() -> i64", "overwrite_freed(byte: i32)",
      "memory(size: usize) -> own(free) ptr<void>",
      "address() -> ptr<void>")
  }

  @Test("a call releases the object once; later uses are refused", arguments: ["box_new", "box_make"])
  func once(maker: String) async throws {
    let host = try Self.host()
    let made =
      maker == "box_new"
      ? try await host.value("box_new", .value(.string("a name"))) : try await host.value("box_make")[member: "made"]
    let box = try #require(made)
    #expect(try await host.value("box_name", .value(box)) == .string(maker == "box_new" ? "a name" : "made"))
    _ = try await host.value("box_free", .value(box))
    for function in ["box_name", "box_free"] {
      let outcome = await host.outcome(function, of: "test.code", [.value(box)])
      #expect(
        outcome.pluginError?.message
          == "argument 'box' is a box that 'box_free' has released, expected one that is live")
    }
    #expect(try await host.value("freed") == .int(1))
  }

  @Test(
    "nothing destroys the object with its last reference, and memory that it keeps stays",
    arguments: [false, true])
  func stays(isRenamed: Bool) async throws {
    let host = try Self.host()
    // Memory of this size is overwritten when it is freed.
    _ = try await host.value("overwrite_freed", .value(.int(0x55)))
    let name = String(repeating: isRenamed ? "r" : "n", count: 2000)
    do {
      let box = try await host.value("box_new", .value(.string(isRenamed ? "a name" : name)))
      if isRenamed { _ = try await host.value("box_rename", .value(box), .value(.string(name))) }
      _ = try await host.value("box_hold", .value(box))
    }
    let held = try await host.value("box_held")
    #expect(try await host.value("box_name", .value(held)) == .string(name))
    _ = try await host.value("overwrite_freed", .value(.int(0)))
    #expect(try await host.value("freed") == .int(0))
    // An address without an owner is released, too, but not tracked.
    _ = try await host.value("box_free", .value(held))
    #expect(try await host.value("freed") == .int(1))
  }

  @Test("neither an address of unknown type nor memory of the host's allocator is released as an object")
  func unknown() async throws {
    let host = try Self.host()
    for value in [try await host.value("address"), try await host.value("memory", .value(.int(64)))] {
      #expect(
        await host.outcome("box_free", of: "test.code", [.value(value)]).pluginError?.message
          == "argument 'box' is an address of a void, expected an address of a box")
    }
    #expect(try await host.value("freed") == .int(0))
  }
}
