import Foundation
import PluginRuntime
import Promises
import Testing

/// One promise runtime in a process: this test program exports promise_*, as plugin-host does.
@Suite("The host's table: one runtime for every kind of plugin")
struct SharedPromises {
  @Test(
    "a plugin that links libpromise, one with undefined symbols and one with the table alone share promises and types")
  func sharing() async throws {
    let host = Host()
    try host.load(try Fixture.plugin("shares", ["-DID=\"test.undefined\""]))
    try host.load(try Fixture.plugin("shares", try linking(as: "test.linked")))
    for fixture in ["caller", "whole"] { try host.load(try Fixture.plugin(fixture)) }

    // A number passes from the plugin with the table to those with undefined symbols and libpromise, and back.
    let sum = host.call("add", of: "test.caller", [.value(.int(40)), .value(.int(-1))])
    let next = host.call("next", of: "test.undefined", [Argument(.promise(sum))])
    let last = host.call("next", of: "test.linked", [Argument(.promise(next))])
    #expect(await last.outcome().value == .int(41))

    let types = [
      await host.outcome("type", of: "test.undefined").value, await host.outcome("type", of: "test.linked").value,
    ]
    #expect(types[0] == types[1])
    #expect(types[0] != .uint(0))
  }

  /// Returns flags that link a stub of libpromise, whose functions would end the process. The stub is in the test's own
  /// folder, so that the loader finds it.
  private func linking(as id: String) throws -> [String] {
    let source = try Fixture.file("stub.c", containing: stub.utf8)
    let library = Fixture.file("libpromise.so.1")
    try Fixture.run("cc", ["-shared", "-fPIC", "-Wl,-soname,libpromise.so.1", source, "-o", library])
    return [
      "-DID=\"\(id)\"", library, "-Wl,-rpath,\((library as NSString).deletingLastPathComponent)", "-Wl,--no-as-needed",
    ]
  }

  private var stub: String {
    let names = [
      "promise_then", "promise_rescue", "promise_new", "promise_reject", "promise_type_register", "promise_type_named",
      "promise_value_object",
    ]
    return "#include <stdlib.h>\n" + names.map { "void \($0)(void) { abort(); }\n" }.joined()
  }
}
