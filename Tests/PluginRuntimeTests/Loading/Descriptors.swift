import PluginRuntime
import Testing

@Suite("Loading: descriptors")
struct Descriptors {
  @Test("a plugin is described by its own description, with signatures in canonical form")
  func whole() throws {
    let plugin = try Host.inspect(try Fixture.plugin("whole"))
    #expect(plugin.id == "test.whole")
    #expect(plugin.version == "1.0.0")
    #expect(plugin.description == "Adds.")
    #expect(plugin.required == [])
    #expect(plugin.abi == 1...1)
    #expect(plugin.functions.map(\.name) == ["add"])
    #expect(plugin.functions[0].signature.description == "add(left: i32, right: i32 = 2) -> i32")
    #expect(plugin.functions[0].description == "The sum of two numbers.")
  }

  @Test("a library without the entry, with a hidden one or with data in its place is refused before it is mapped")
  func entry() throws {
    try expect(.noEntry, "does not define promise_plugin_entry", "missing-entry")
    try expect(.noEntry, "does not define promise_plugin_entry", "hidden-entry")
    try expect(.noEntry, "as data", "entry-is-data")
    // sysv is the older of the two hash tables that a linker can write.
    try expect(.noEntry, "as data", "entry-is-data", ["-Wl,--hash-style=sysv"])
    #expect(try Host.inspect(try Fixture.plugin("whole", ["-Wl,--hash-style=sysv"])).id == "test.whole")
  }

  @Test("a plugin of another ABI is refused with the numbers of both")
  func abi() throws {
    try expect(.abiRange(host: 1, plugin: nil), "ABI version 1", "null-descriptor")
    try expectDefect(.abiRange(host: 1, plugin: 2...5), "versions 2 to 5", "plugin.abi_min = 2, plugin.abi_max = 5")
    try expectDefect(.badDescriptor, "abi_min 0 and abi_max 1", "plugin.abi_min = 0")
    try expectDefect(.badDescriptor, "abi_min 3 and abi_max 2", "plugin.abi_min = 3, plugin.abi_max = 2")
  }

  @Test("a plugin that works with newer versions as well, or whose structs are larger, is loaded")
  func newer() throws {
    let newer = try Host.inspect(
      try Fixture.plugin("descriptor", ["-DDEFECT=plugin.abi_max = 9, plugin.size = 512"]))
    #expect(newer.abi == 1...9)
  }

  @Test(
    "a wrong field is named",
    arguments: [
      ("plugin.size = 16", "descriptor of 16 bytes"), ("plugin.id = NULL", "NULL as id"),
      ("plugin.id = \"\"", "has the id \"\""),
      ("plugin.id = \"a b\"", "has the id \"a b\""), ("plugin.id = \"\\xff\"", "bytes as id that are not UTF-8"),
      ("plugin.version = NULL", "NULL as version"), ("plugin.version = \"\"", "empty version"),
      ("plugin.description = \"\\xff\"", "bytes as description"),
      ("plugin.functions = NULL", "table 'functions' is NULL"),
      ("plugin.function_count = (size_t)-1", "18446744073709551615 functions"),
      ("plugin.function_size = 8", "functions of 8 bytes"),
      ("plugin.function_size = 25", "functions of 25 bytes"),
      ("plugin.required = unterminated", "requires the plugin \"not an id!\""),
    ])
  func fields(_ defect: String, _ message: String) throws {
    try expectDefect(.badDescriptor, message, defect)
  }

  @Test(
    "a wrong row of the table of functions is reported with its index",
    arguments: [
      ("{NULL, (promise_function_t)one, NULL}", "NULL as functions[1].signature"),
      ("{\"two()\", NULL, NULL}", "NULL as functions[1].entry"),
      ("{\"two()\", (promise_function_t)(void *)functions, NULL}", "which is not code"),
      ("{\"two()\", (promise_function_t)(void *)\"text\", NULL}", "which is not code"),
      ("{\"one()\", (promise_function_t)one, NULL}", "two functions named 'one', functions[0] and functions[1]"),
      ("{\"two()\", (promise_function_t)one, \"\\xff\"}", "functions[1].description"),
    ])
  func rows(_ row: String, _ message: String) throws {
    try expect(.badDescriptor, message, "functions", ["-DROWS=\(row)"])
  }

  @Test("a function may be code that the plugin has generated, but not other memory that belongs to no library")
  func generated() throws {
    func flags(_ protection: String) -> [String] {
      let memory = "mmap(NULL, 4096, \(protection), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)"
      return [
        "-D_GNU_SOURCE", "-include", "sys/mman.h", "-DDEFECT=plugin.unload = (promise_plugin_unload_t)\(memory)",
      ]
    }
    #expect(try Host.inspect(try Fixture.plugin("descriptor", flags("PROT_READ | PROT_EXEC"))).id == "test.descriptor")
    for protection in ["PROT_READ", "PROT_READ | PROT_WRITE"] {
      try expect(.badDescriptor, "which is not code", "descriptor", flags(protection))
    }
  }

  @Test("a mistake in a signature is an error at load, with its column")
  func signature() throws {
    let path = try Fixture.plugin("functions", ["-DROWS=FUNCTION(\"two(a: int) -> i32\", one)"])
    let error = #expect(throws: PluginError.self) { try Host().load(path) }
    guard case .badSignature(let mistake)? = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(mistake.column == 8)
    #expect(mistake.found == "'int'")
    #expect(error?.description.contains("functions[1].signature, column 8: found 'int', expected a type") == true)
  }

  @Test("a function that would free a result must exist: the error names it, and its column")
  func release() throws {
    let row = "FUNCTION(\"two(text: cstr) -> own(nobody_has_this) cstr\", one)"
    let path = try Fixture.plugin("functions", ["-DROWS=\(row)"])
    for load in [{ try Host.inspect(path) }, { try Host().load(path) }] {
      let error = #expect(throws: PluginError.self) { try load() }
      guard case .badSignature(let mistake)? = error?.kind else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(mistake.column == 24)
      #expect(mistake.text == "two(text: cstr) -> own(nobody_has_this) cstr")
      #expect(
        error?.message.contains(
          "functions[1].signature, column 24: found 'nobody_has_this', expected a function that the library exports")
          == true)
    }
  }

  @Test("a library with a symbol that is a number, without a place in the file, is loaded")
  func absoluteSymbol() throws {
    #expect(try Host().load(try Fixture.plugin("whole", ["-Wl,--defsym=answer=0x123456789abc"])).id == "test.whole")
  }

  @Test("a plugin without functions is loaded")
  func noFunctions() throws {
    let path = try Fixture.plugin("descriptor", ["-DDEFECT=plugin.functions = NULL, plugin.function_count = 0"])
    #expect(try Host.inspect(path).functions.isEmpty)
  }

  @Test("the message of the system's loader is part of the error")
  func unresolved() throws {
    try expect(.loadFailed, "function_that_nobody_has", "unresolved")
  }

  private func expectDefect(_ kind: PluginError.Kind, _ message: String, _ defect: String) throws {
    try expect(kind, message, "descriptor", ["-DDEFECT=\(defect)"])
  }

  private func expect(_ kind: PluginError.Kind, _ message: String, _ fixture: String, _ flags: [String] = []) throws {
    let path = try Fixture.plugin(fixture, flags)
    let error = #expect(throws: PluginError.self) { try Host.inspect(path) }
    #expect(error?.kind == kind, "\(String(describing: error))")
    #expect(error?.message.contains(message) == true, "\(String(describing: error))")
    #expect(error?.subject == path)
  }
}
