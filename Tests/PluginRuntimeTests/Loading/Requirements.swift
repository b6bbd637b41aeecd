import PluginRuntime
import PromisesTestSupport
import Testing

@Suite("Loading: plugins that require others")
struct Requirements {
  @Test("a requirement that is not loaded is named")
  func missing() throws {
    let path = try plugin("a", requires: "b")
    let error = #expect(throws: PluginError.self) { try Host().load(path) }
    #expect(error?.kind == .missingRequirement("test.b"))
    #expect(error?.description == "\(path): requires the plugin 'test.b', which is not loaded")
  }

  @Test("a plugin that requires itself is refused")
  func itself() throws {
    let path = try plugin("a", requires: "a")
    #expect(throws: PluginError(kind: .requirementCycle(["test.a", "test.a"]), at: path)) { try Host().load(path).id }
    #expect(throws: PluginError(kind: .requirementCycle(["test.a", "test.a"]), at: path)) {
      try Host().load([path]).count
    }
  }

  @Test("several are loaded in the order of their requirements, otherwise as they were given")
  func order() throws {
    let host = Host()
    let loaded = try host.load([
      try plugin("a", requires: "b", "c"), try plugin("d"), try plugin("c"), try plugin("b", requires: "c"),
    ])
    #expect(loaded.map(\.id) == ["test.c", "test.b", "test.a", "test.d"])
    #expect(host.plugins == loaded)
  }

  @Test("a requirement that was loaded before counts")
  func before() throws {
    let host = Host()
    try host.load(try plugin("b"))
    #expect(try host.load([try plugin("a", requires: "b")]).map(\.id) == ["test.a"])
  }

  @Test("a cycle is refused with its members")
  func cycle() throws {
    let paths = [try plugin("a", requires: "b"), try plugin("b", requires: "c"), try plugin("c", requires: "b")]
    let error = #expect(throws: PluginError.self) { try Host().load(paths) }
    #expect(error?.kind == .requirementCycle(["test.b", "test.c", "test.b"]))
    #expect(error?.message.contains("test.b requires test.c requires test.b") == true)
  }

  @Test("two files with one id are refused, the same file twice is not")
  func duplicates() throws {
    let host = Host()
    let (first, second) = (try plugin("a"), try plugin("a"))
    #expect(try host.load(first) == host.load(first))
    let error = #expect(throws: PluginError.self) { try host.load(second) }
    #expect(error?.kind == .duplicate)
    #expect(error?.message == "has the id 'test.a', which \(first) has already")
    #expect(try host.load([first, first]).map(\.path) == [first])
    #expect(host.plugins.count == 1)
  }

  @Test("a plugin has one host in a process")
  func oneHost() throws {
    let path = try plugin("a")
    try Host().load(path)
    let error = #expect(throws: PluginError.self) { try Host().load(path) }
    #expect(error?.kind == .duplicate)
    #expect(error?.message.contains("another host of this process") == true)
  }

  @Test("a plugin may refuse to be loaded, with or without a reason, and may be asked again")
  func refusal() throws {
    let host = Host()
    let path = try Fixture.plugin("refuses")
    for _ in 0..<2 {
      let error = #expect(throws: PluginError.self) { try host.load(path) }
      #expect(error?.kind == .refused(-8))
      #expect(error?.message == "refuses to be loaded: no licence to run here (PROMISE_ECLOSED)")
    }
    let silent = try Fixture.plugin("refuses", ["-DSILENT"])
    let error = #expect(throws: PluginError.self) { try host.load(silent) }
    #expect(error?.message == "refuses to be loaded: PROMISE_ECLOSED")
    #expect(host.plugins.isEmpty)
  }

  @Test(
    "the reason of a refusal may be of any kind; only text is shown as such",
    arguments: [
      ("-DTEXT", "not today"), ("-DOBJECT", "a value of type test.refuses.reason"),
    ])
  func reasons(flag: String, shown: String) throws {
    let host = Host()
    let path = try Fixture.plugin("refuses", [flag])
    let error = #expect(throws: PluginError.self) { try host.load(path) }
    #expect(error?.message == "refuses to be loaded: \(shown) (PROMISE_ECLOSED)")
    #expect(host.plugins.isEmpty)
  }

  @Test("a plugin with a copy of libpromise of its own is loaded, and a warning says so")
  func copies() throws {
    let log = Recorder<String>()
    let options = Host.Options(log: { log.record("\($0) \($1): \($2)") })
    for fixture in ["copying", "promises"] { try Host(options).load(try Fixture.plugin(fixture)) }
    let warning = "warning test.copying: has a copy of libpromise of its own"
    #expect(log.events.count == 1 && log.events.first?.hasPrefix(warning) == true, "\(log.events)")
  }

  private func plugin(_ id: String, requires required: String...) throws -> String {
    let list = required.map { "\"test.\($0)\"" } + (required.isEmpty ? ["NULL"] : [])
    return try Fixture.plugin("requires", ["-DID=\"test.\(id)\"", "-DREQUIRED=\(list.joined(separator: ","))"])
  }
}

extension PluginError {
  /// The error of a plugin that requires itself.
  fileprivate init(kind: Kind, at path: String) { self = LoadErrors.make(kind, path, "requires itself") }
}
