import PluginRuntime
import Testing

@Suite("Loading: layouts of structs")
struct Layouts {
  @Test("a plugin whose compiler lays structs out as its signatures say is loaded, and called")
  func agreeing() async throws {
    let host = try Host.loading("layout")
    let records = #"[{"id": 1, "inner": {"kind": 2, "weight": 3}, "values": [1, 2, 3]}]"#
    let outcome = await host.outcome("heaviest", of: "test.layout", [.text(records)])
    #expect(outcome.value?.json == #"{"kind":2,"weight":3.0}"#)
  }

  @Test(
    "a difference between compiler and signature is an error that names the field",
    arguments: [
      ("layouts[2].offset = 4", "heaviest.records.inner", "16 bytes at offset 4, expected 16 at 8"),
      ("layouts[3].size = 8", "heaviest.records.values", "8 bytes at offset 24, expected 12 at 24"),
      ("layouts[0].size = 44", "heaviest.records", "44 bytes, expected 40"),
      ("layouts[4].size = 9", "heaviest.records.inner", "9 bytes, expected 16"),
      ("layouts[6].offset = 1", "heaviest.records.inner.weight", "8 bytes at offset 1, expected 8 at 8"),
      ("layouts[9].size = 4", "heaviest.result.weight", "4 bytes at offset 8, expected 8 at 8"),
    ])
  func differing(_ defect: String, _ path: String, _ message: String) throws {
    let error = #expect(throws: PluginError.self) {
      try Host.inspect(try Fixture.plugin("layout", ["-DDEFECT=\(defect)"]))
    }
    #expect(error?.kind == .layout(path))
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test("a struct that the compiler packs is found out")
  func packed() throws {
    let attribute = "-DPACKED=__attribute__((packed))"
    let error = #expect(throws: PluginError.self) { try Host.inspect(try Fixture.plugin("layout", [attribute])) }
    #expect(error?.kind == .layout("heaviest.records"))
  }

  @Test(
    "a path that is in no signature is a mistake of the descriptor",
    arguments: [
      ("layouts[0].path = \"heaviest.nothing\"", "a layout of 'heaviest.nothing'"),
      ("layouts[0].path = \"heaviest\"", "a layout of 'heaviest'"),
      ("layouts[0].path = \"heaviest.records.id.x\"", "a layout of 'heaviest.records.id.x'"),
      ("layouts[0].path = NULL", "NULL as layouts[0].path"), ("plugin.layouts = NULL", "the table 'layouts' is NULL"),
      ("plugin.layout_count = (size_t)-1", "18446744073709551615 layouts"),
    ])
  func paths(_ defect: String, _ message: String) throws {
    let error = #expect(throws: PluginError.self) {
      try Host.inspect(try Fixture.plugin("layout", ["-DDEFECT=\(defect)"]))
    }
    #expect(error?.kind == .badDescriptor)
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
  }

  @Test("the offset of a field needs the field's name, also where the parameter has the same")
  func offsetOfAStruct() throws {
    let source = """
      #include <promise_plugin.h>
      typedef struct { int32_t x; } x_t;
      static void f(const x_t *x) { (void)x; }
      static const promise_plugin_function_t functions[] = {{"f(x: &{x: i32})", (promise_function_t)f, NULL}};
      static const promise_layout_t layouts[] = {{.path = "f.x", .offset = 0, .size = sizeof(x_t)}};
      const promise_plugin_t *promise_plugin_entry(uint32_t host_abi) {
        static const promise_plugin_t plugin = {
            .size = sizeof(promise_plugin_t), .abi_min = 1, .abi_max = PROMISE_ABI_VERSION,
            .function_size = sizeof(promise_plugin_function_t), .id = "test.x", .version = "1.0.0",
            .functions = functions, .function_count = 1, .layouts = layouts, .layout_count = 1};
        return (void)host_abi, &plugin;
      }
      """
    let path = try Fixture.library("x", from: source, by: "cc")
    let error = #expect(throws: PluginError.self) { try Host.inspect(path) }
    #expect(error?.message.contains("a layout of 'f.x'") == true, "\(String(describing: error))")
  }

  @Test("a descriptor of the first version has no layouts, and the memory behind it is not read")
  func older() throws {
    let size = "plugin.size = (uint32_t)offsetof(promise_plugin_t, layouts), plugin.layouts = (void *)1"
    #expect(try Host.inspect(try Fixture.plugin("layout", ["-DDEFECT=\(size)"])).id == "test.layout")
  }
}
