import Foundation
import PluginRuntime
import PromisesTestSupport
import Testing

@Suite("The host's table")
struct Table {
  @Test("lines of the log arrive with level and plugin; an unknown level counts as the nearest")
  func log() async throws {
    let log = Recorder<String>()
    let host = try Host.loading("table", log: log)
    for (level, message) in [(1, "one"), (4, "four"), (0, "zero"), (-7, "minus")] {
      _ = await host.outcome("say", of: "test.table", [.value(.int(Int64(level))), .value(.string(message))])
    }
    host.unloadAll()
    #expect(
      log.events == [
        "info test.table: loading", "debug test.table: one", "error test.table: four", "debug test.table: zero",
        "debug test.table: minus",
        "info test.table: unloading",
      ])
  }

  @Test("calls that the header forbids do not end the host")
  func nonsense() async throws {
    let log = Recorder<String>()
    let host = try Host.loading("table", Host.Options(log: { log.record("\($0) \($2)") }))
    #expect(await host.outcome("nonsense", of: "test.table").value == .void)
    #expect(log.events == ["info loading", "error level 99", "warning not \u{FFFD} UTF-8"])
  }

  @Test("each plugin has its own configuration, at an address that does not change")
  func configuration() async throws {
    let options = Host.Options(configuration: [
      "test.table": ["greeting": "grüezi", "empty": ""], "test.other": ["secret": "x"],
    ])
    let host = try Host.loading("table", options)
    #expect(await host.outcome("configured", of: "test.table").value == .string("grüezi"))
    #expect(await host.outcome("has", of: "test.table", [.text("empty")]).value == .bool(true))
    #expect(await host.outcome("has", of: "test.table", [.text("secret")]).value == .bool(false))
  }

  @Test("memory is aligned for every type; a size of 0, or of more memory than there is, returns NULL")
  func memory() async throws {
    let host = try Host.loading("table")
    #expect(await host.outcome("fits", of: "test.table").value == .bool(true))
    for size in [1, 7, 4096, 10_000_000] {
      #expect(await host.outcome("memory", of: "test.table", [.value(.int(Int64(size)))]).value == .bool(true))
    }
    #expect(await host.outcome("memory", of: "test.table", [.value(.uint(0))]).value == .bool(false))
    #expect(await host.outcome("memory", of: "test.table", [.value(.uint(.max))]).value == .bool(false))
  }

  @Test("the table returns every function of promise.h by its name, and no other")
  func functions() async throws {
    let host = try Host.loading("table")
    let headers = try FileManager.default.contentsOfDirectory(
      at: Fixture.include.appendingPathComponent("promise"), includingPropertiesForKeys: nil)
    let declarations = try headers.filter { $0.pathExtension == "h" }.flatMap {
      try String(contentsOf: $0, encoding: .utf8)
        .replacingOccurrences(of: "\nPROMISE_NODISCARD PROMISE_API ", with: "\nPROMISE_API ")
        .components(separatedBy: "\nPROMISE_API ").dropFirst()
    }
    let names = declarations.compactMap { declaration in
      declaration.prefix { $0 != "(" }.split(whereSeparator: { " *\n".contains($0) }).last.map(String.init)
    }
    #expect(names.count > 150)
    #expect(names.contains("promise_then"))
    for name in names {
      #expect(await host.outcome("offers", of: "test.table", [.text(name)]).value == .bool(true), "\(name)")
    }
    for name in ["promise_plugin_entry", "malloc", "promise_", ""] {
      #expect(await host.outcome("offers", of: "test.table", [.text(name)]).value == .bool(false), "\(name)")
    }
  }
}
