import Foundation
import Glibc
import PluginRuntime
import Promises
import PromisesTestSupport
import Testing

/// Two revisions of an adopted library, and a symbolic link that leads to the first.
private struct LinkedLibrary {
  private let targets: [String]
  let link = Fixture.file("linked.so")
  let host = Host()

  init() throws {
    targets = try (1...2).map { revision in
      let source = """
        #include <unistd.h>
        int revision(void) { return \(revision); }
        int process(void) { return getpid(); }
        """
      return try Fixture.library("linked", from: source, by: "cc")
    }
    try exchange(targets[0])
  }

  var second: String { targets[1] }

  func adoption(symbol: String = "revision") throws -> Adoption {
    Adoption(
      id: "linked", library: link,
      functions: [
        Adoption.Function(signature: try Signature(parsing: "revision() -> i32"), symbol: symbol),
        Adoption.Function(signature: try Signature(parsing: "process() -> i32")),
      ])
  }

  /// Renames a new link to the path.
  func exchange(_ target: String) throws {
    try #require(symlink(target, "\(link).new") == 0 && rename("\(link).new", link) == 0)
  }

  /// Removes the link and the libraries.
  func remove() throws { for path in targets + [link] { try #require(unlink(path) == 0) } }

  func value(_ function: String = "revision") async throws -> PluginValue? {
    try await host.call(function, of: "linked").outcomeInTime().value
  }
}

@Suite("Isolation: symbolic links to adopted libraries", .serialized)
struct LinkedLibraries {
  @Test("a reload of an adopted library follows from an exchanged symbolic link")
  func watched() async throws {
    let library = try LinkedLibrary()
    try library.host.adopt(try library.adoption(), isolation: .tests)
    let reports = Recorder<String>()
    let watcher = try PluginWatcher(library.host) { plugin, _ in reports.record(plugin) }
    try library.exchange(library.second)
    try await waiting(for: { reports.count == 1 })
    #expect(try await library.value() == .int(2))
    watcher.stop()
    library.host.unloadAll()
  }

  @Test("a reload follows from a change of a needed library, and from one that was missing")
  func needed() async throws {
    func helper(_ revision: Int) throws -> String {
      try Fixture.library(
        "helper", from: "int number(void) { return \(revision); }", by: "cc", ["-Wl,-soname,helper.so"])
    }
    let first = try helper(1)
    let folder = Fixture.file("needing")
    let (path, library) = ("\(folder)/helper.so", "\(folder)/library.so")
    try #require(mkdir(folder, 0o700) == 0 && rename(first, path) == 0)
    let source = "int number(void); int revision(void) { return number(); } int process(void) { return 0; }"
    let built = try Fixture.library("needing", from: source, by: "cc", [path, "-Wl,-rpath,$ORIGIN"])
    try #require(rename(built, library) == 0)
    let adoption = Adoption(
      id: "linked", library: library,
      functions: [Adoption.Function(signature: try Signature(parsing: "revision() -> i32"))])
    let host = Host()
    try host.adopt(adoption, isolation: .tests)
    let reports = Recorder<String>()
    let watcher = try PluginWatcher(host) { plugin, outcome in
      if case .failure(let error) = outcome { reports.record("\(error)") } else { reports.record(plugin) }
    }
    func revision() async throws -> PluginValue? {
      try await host.call("revision", of: "linked").outcomeInTime().value
    }
    try #require(rename(try helper(2), path) == 0)
    try await waiting(for: { reports.count == 1 })
    #expect(try await revision() == .int(2))
    // While it is missing, the library cannot be loaded.
    let old = "\(library).old"
    try #require(unlink(path) == 0 && rename(library, old) == 0 && rename(old, library) == 0)
    try await waiting(for: { reports.count == 2 })
    #expect(reports.events.last?.contains("no such library") == true, "\(reports.events)")
    #expect(try await revision() == .int(2))
    try #require(rename(try helper(3), path) == 0)
    try await waiting(for: { reports.count == 3 })
    #expect(try await revision() == .int(3))
    #expect(reports.events.first == "linked" && reports.events.last == "linked")
    watcher.stop()
    host.unloadAll()
  }

  @Test("a reload of an adopted library follows its symbolic link as it is then, and keeps the adoption as given")
  func reloaded() async throws {
    let library = try LinkedLibrary()
    let adoption = try library.adoption()
    let description = try library.host.adopt(adoption, isolation: .tests)
    #expect(description.adoption == adoption)
    try library.exchange(library.second)
    #expect(try library.host.adopt(adoption, isolation: .tests) == description)
    #expect(try await library.value() == .int(1))
    let second = try library.host.reload("linked")
    #expect(try await library.value() == .int(2))
    #expect(second.adoption == adoption && second.path == URL(filePath: library.second).resolvingSymlinksInPath().path)
    #expect(try IsolatedPlugin.inspect(adoption, .tests) == second)
    library.host.unloadAll()
  }

  @Test("a library whose adoption was changed by a reload can be adopted again, and outlives its files")
  func adoptedAgain() async throws {
    let library = try LinkedLibrary()
    try library.host.adopt(try library.adoption(), isolation: .tests)
    let changed = try library.adoption(symbol: "process")
    let description = try library.host.reload("linked", adopting: changed)
    #expect(try library.host.adopt(changed, isolation: .tests) == description)
    #expect(try await library.value() == library.value("process"))
    try library.remove()
    try await library.host.replaceWorker(of: "linked")
    library.host.unloadAll()
  }

  @Test("the next worker loads the library of before if a reload was rolled back", arguments: [true, false])
  func rolledBack(isReloaded: Bool) async throws {
    let library = try LinkedLibrary()
    try library.host.adopt(try library.adoption(), isolation: .tests)
    if isReloaded { try library.host.reload("linked", adopting: try library.adoption()) }
    try library.exchange(try Fixture.file("junk", containing: "junk".utf8))
    #expect(#expect(throws: PluginError.self) { try library.host.reload("linked") }?.kind == .rolledBack)
    try await library.host.replaceWorker(of: "linked")
    #expect(try await library.value() == .int(1))
    library.host.unloadAll()
  }
}

extension PluginRuntime.Host {
  /// Kills the worker of a plugin whose function `process` returns its number, and waits for the next worker.
  func replaceWorker(of plugin: String) async throws {
    guard case .int(let first)? = try await call("process", of: plugin).outcomeInTime().value else {
      Issue.record("no process")
      return
    }
    #expect(kill(pid_t(first), SIGKILL) == 0)
    var second: PluginValue?
    // Calls are rejected until the host has noticed the end.
    for _ in 0..<1000 where second == nil || second == .int(first) {
      second = try await call("process", of: plugin).outcomeInTime().value
    }
    #expect(second != nil && second != .int(first))
  }
}
