import Foundation
import Promises
import PromisesTestSupport
import Synchronization
import Testing

@testable import PluginRuntime

// Reloading that follows from a change of the file.
extension Reloading {
  @Test("reloading follows from a change of the file, and is reported")
  func watched() async throws {
    let file = try ExchangedFile()
    let host = Host()
    try host.load(file.path, isolation: try file.options)
    try host.load(Fixture.plugin("dying"), isolation: .tests)
    let reports = Recorder<String>()
    let watcher = try PluginWatcher(host) { plugin, outcome in
      if case .failure(let error) = outcome {
        reports.record("\(plugin) \(error.kind)")
      } else {
        reports.record(plugin)
      }
    }
    try file.install(2)
    try await waiting(for: { reports.count == 1 })
    #expect(try await host.call("revision", of: "test.reloading").outcomeInTime().value == .int(2))
    try #require(rename(try Fixture.file("junk", containing: "junk".utf8), file.path) == 0)
    try await waiting(for: { reports.count == 2 })
    #expect(reports.events == ["test.reloading", "test.reloading rolledBack"])
    #expect(try await host.call("revision", of: "test.reloading").outcomeInTime().value == .int(2))
    watcher.stop()
    // Another watcher reports the next change; the stopped one does not.
    let others = Recorder<String>()
    let other = try PluginWatcher(host) { plugin, _ in others.record(plugin) }
    try file.install(3)
    try await waiting(for: { others.count == 1 })
    #expect(reports.count == 2 && others.events == ["test.reloading"])
    other.stop()
    for plugin in ["test.reloading", "test.dying"] { try host.unload(plugin) }
    #expect(host.plugins.isEmpty)
  }

  @Test("reloading follows from an exchanged symbolic link, to the file or to a folder on its path")
  func links() async throws {
    let file = try ExchangedFile()
    let folders = try (2...3).map { revision in
      let folder = Fixture.file("v\(revision)")
      try #require(mkdir(folder, 0o700) == 0)
      try file.install(revision)
      try #require(rename(file.path, "\(folder)/reloading.so") == 0)
      return folder
    }
    let root = URL(fileURLWithPath: file.path).deletingLastPathComponent().path
    /// Renames a new link to the path.
    func link(_ target: String, at path: String) throws {
      try #require(symlink(target, "\(path).new") == 0 && rename("\(path).new", path) == 0)
    }
    try link(folders[0], at: "\(root)/current")
    try link("current/reloading.so", at: "\(root)/linked.so")
    let host = Host()
    try host.load("\(root)/linked.so", isolation: try file.options)
    let reports = Recorder<String>()
    let watcher = try PluginWatcher(host) { plugin, _ in reports.record(plugin) }
    func revision() async throws -> PluginValue? {
      try await host.call("revision", of: "test.reloading").outcomeInTime().value
    }
    try link(folders[1], at: "\(root)/current")
    try await waiting(for: { reports.count == 1 })
    #expect(try await revision() == .int(3))
    // The folder that the link leads to now is watched.
    try file.install(4)
    try #require(rename(file.path, "\(folders[1])/reloading.so") == 0)
    try await waiting(for: { reports.count == 2 })
    #expect(try await revision() == .int(4))
    // A link that is made at its path, rather than renamed to it.
    try #require(unlink("\(root)/linked.so") == 0 && symlink("\(folders[0])/reloading.so", "\(root)/linked.so") == 0)
    try await waiting(for: { reports.count == 3 })
    #expect(try await revision() == .int(2))
    watcher.stop()
    try host.unload("test.reloading")
  }

  /// The number of watches of this process.
  private static var watches: Int {
    get throws {
      let folder = "/proc/self/fdinfo"
      let facts = try FileManager.default.contentsOfDirectory(atPath: folder).map {
        (try? String(contentsOfFile: "\(folder)/\($0)", encoding: .utf8)) ?? ""
      }
      return facts.joined().split(separator: "\n").count { $0.hasPrefix("inotify ") }
    }
  }

  @Test("reloading follows from a folder on the path that is removed and made again, or renamed")
  func folders() async throws {
    let file = try ExchangedFile()
    let root = URL(fileURLWithPath: file.path).deletingLastPathComponent().path + "/out"
    let path = "\(root)/build/reloading.so"
    func install(_ revision: Int, _ path: String) throws {
      try file.install(revision)
      try #require(rename(file.path, path) == 0)
    }
    func makeFolder(_ path: String) throws {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try makeFolder("\(root)/build")
    try install(1, path)
    let host = Host()
    try host.load(path, isolation: try file.options)
    let reports = Recorder<String>()
    let watcher = try PluginWatcher(host) { plugin, outcome in
      if case .failure(let error) = outcome { reports.record("\(error)") } else { reports.record(plugin) }
    }
    func revision() async throws -> PluginValue? {
      try await host.call("revision", of: "test.reloading").outcomeInTime().value
    }
    // While there is no file, nothing is reloaded, and nothing reported.
    try FileManager.default.removeItem(atPath: root)
    try makeFolder(root)
    try await Task.sleep(for: .milliseconds(100))
    try makeFolder("\(root)/build")
    try await Task.sleep(for: .milliseconds(100))
    try install(2, path)
    try await waiting(for: { reports.count == 1 })
    #expect(try await revision() == .int(2))
    let watches = try Self.watches
    try makeFolder("\(root)/build.new")
    try install(3, "\(root)/build.new/reloading.so")
    try #require(rename("\(root)/build", "\(root)/build.old") == 0)
    try #require(rename("\(root)/build.new", "\(root)/build") == 0)
    try await waiting(for: { reports.count == 2 })
    #expect(try await revision() == .int(3))
    // The folder that was at the path before is not watched any more. Other tests have watches for a while.
    try await waiting(for: { try Self.watches <= watches })
    try install(4, "\(root)/build.old/reloading.so")
    try await Task.sleep(for: .milliseconds(200))
    try install(5, path)
    try await waiting(for: { reports.count == 3 })
    #expect(try await revision() == .int(5))
    #expect(reports.events == Array(repeating: "test.reloading", count: 3))
    watcher.stop()
    try host.unload("test.reloading")
  }

  @Test("a file in a folder that was made again is not loaded before it is complete and closed")
  func unfinished() async throws {
    let file = try ExchangedFile()
    let build = "\(file.folder.path)/build"
    let path = "\(build)/reloading.so"
    try #require(mkdir(build, 0o700) == 0 && rename(file.path, path) == 0)
    try file.install(2)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file.path)))
    let host = Host()
    try host.load(path, isolation: try file.options)
    let reports = Recorder<String>()
    let watcher = try PluginWatcher(host) { plugin, outcome in
      if case .failure(let error) = outcome { reports.record("\(error)") } else { reports.record(plugin) }
    }
    try FileManager.default.removeItem(atPath: build)
    try #require(mkdir(build, 0o700) == 0)
    // A process that another test starts would keep the file open for writing.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o700)
    for part in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
      try #require(Array(part).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == part.count)
      // Several times the time for which no file may change.
      try await Task.sleep(for: .milliseconds(300))
      #expect(reports.count == 0, "\(reports.events)")
    }
    close(descriptor)
    try await waiting(for: { reports.count == 1 })
    #expect(reports.events == ["test.reloading"])
    #expect(try await host.call("revision", of: "test.reloading").outcomeInTime().value == .int(2))
    watcher.stop()
    try host.unload("test.reloading")
  }

  @Test("a file that is open for writing by another name is loaded once it is closed, of which there is no event")
  func heldThroughAnotherName() async throws {
    let file = try ExchangedFile()
    let host = Host()
    try host.load(file.path, isolation: try file.options)
    let reports = Recorder<String>()
    let watcher = try PluginWatcher(host) { plugin, _ in reports.record(plugin) }
    let built = try Fixture.plugin("reloading", ["-DREVISION=2", "-DEVENTS=\"\(file.events)\""])
    let descriptor = open(built, O_RDWR | O_CLOEXEC)
    try #require(link(built, "\(file.path).new") == 0 && rename("\(file.path).new", file.path) == 0)
    try await Task.sleep(for: .milliseconds(300))
    #expect(reports.count == 0)
    close(descriptor)
    try await waiting(for: { reports.count == 1 })
    #expect(try await host.call("revision", of: "test.reloading").outcomeInTime().value == .int(2))
    watcher.stop()
    try host.unload("test.reloading")
  }

  @Test("reloading does not wait for other files in the folder of the plugin, which change all the time")
  func busyFolder() async throws {
    let file = try ExchangedFile()
    let host = Host()
    try host.load(file.path, isolation: try file.options)
    let reports = Recorder<String>()
    let watcher = try PluginWatcher(host) { plugin, _ in reports.record(plugin) }
    try file.install(2)
    try await waiting(for: {
      try Data().write(to: URL(fileURLWithPath: "\(file.path).other"))
      return reports.count == 1
    })
    watcher.stop()
    try host.unload("test.reloading")
  }

  @Test("reloading follows from a change that is read together with an earlier one of another file")
  func afterAnother() async throws {
    let file = try ExchangedFile()
    let host = Host()
    try host.load(file.path, isolation: try file.options)
    let reports = Recorder<String>()
    let gate = DispatchSemaphore(value: 0)
    let watcher = try PluginWatcher(host) { plugin, _ in
      reports.record(plugin)
      // Meanwhile the watcher reads no events.
      if reports.count == 1 { gate.wait() }
    }
    try file.install(2)
    try await waiting(for: { reports.count == 1 })
    try Data().write(to: URL(fileURLWithPath: "\(file.path).other"))
    try file.install(3)
    gate.signal()
    try await waiting(for: { reports.count == 2 })
    watcher.stop()
    try host.unload("test.reloading")
  }

  @Test("reloading follows from a write to the file too, which is watched until the watcher is stopped")
  func written() async throws {
    let file = try ExchangedFile()
    let host = Host()
    try host.load(file.path, isolation: try file.options)
    let reports = Recorder<String>()
    let watcher = try PluginWatcher(host) { plugin, _ in reports.record(plugin) }
    // Writes the bytes that the file has, so that it can be loaded again.
    let descriptor = open(file.path, O_WRONLY | O_CLOEXEC)
    try #require(pwrite(descriptor, "\u{7F}ELF", 4, 0) == 4 && close(descriptor) == 0)
    try await waiting(for: { reports.events == ["test.reloading"] })
    watcher.stop()
    try host.unload("test.reloading")
  }

  @Test("reloading follows from a change whose event the system has dropped because there were too many")
  func overflown() async throws {
    let text = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let limit = try #require(Int(text.filter(\.isNumber)))
    let file = try ExchangedFile()
    let host = Host()
    try host.load(file.path, isolation: try file.options)
    let (gate, reports) = (Gate(), Recorder<String>())
    defer { gate.open() }
    let watcher = try PluginWatcher(host) { plugin, _ in
      reports.record(plugin)
      // Holds the thread that reads the events.
      gate.wait()
    }
    try file.install(2)
    try await waiting(for: { reports.count == 1 })
    let folder = (file.path as NSString).deletingLastPathComponent
    let names = ["\(folder)/one", "\(folder)/two"]
    #expect(FileManager.default.createFile(atPath: names[0], contents: nil))
    // Equal events that follow each other count once.
    for number in 0..<(limit + 10) { rename(names[number % 2], names[(number + 1) % 2]) }
    try file.install(3)
    gate.open()
    try await waiting(for: { reports.count == 2 })
    #expect(try await host.call("revision", of: "test.reloading").outcomeInTime().value == .int(3))
    watcher.stop()
    try host.unload("test.reloading")
  }

  @Test("a folder on the path that the user may not list is not watched, unless the plugin's file is in it")
  func unlistable() async {
    await #expect(processExitsWith: .success) {
      // Root may list it.
      if getuid() == 0 { try #require(setuid(65_534) == 0) }
      var template = Array("\(FileManager.default.temporaryDirectory.path)/promise-unlistable-XXXXXX".utf8CString)
      let root = String(cString: try #require(mkdtemp(&template)))
      defer {
        chmod(root, 0o700)
        try? FileManager.default.removeItem(atPath: root)
      }
      try #require(mkdir("\(root)/open", 0o700) == 0)
      let paths = ["\(root)/open/x.so", "\(root)/y.so"]
      for path in paths { try Data().write(to: URL(fileURLWithPath: path)) }
      try #require(chmod(root, 0o300) == 0)
      let hosts = try paths.map { path in
        let host = Host()
        host.registry.add(try StillPlugin(path))
        return host
      }
      try PluginWatcher(hosts[0]) { _, _ in }.stop()
      let error = #expect(throws: PluginError.self) { try PluginWatcher(hosts[1]) { _, _ in } }
      #expect(error?.description == "\(root): cannot be watched: Permission denied", "\(error as Any)")
    }
  }
}

/// A plugin in another process that does not exist.
private final class StillPlugin: RemotePlugin {
  let description: PluginDescription
  let files: [String]

  init(_ path: String) throws {
    let members: [(String, PluginValue)] = [
      ("path", .string(path)), ("id", .string("test.still")), ("version", .string("1")),
      ("abi", .object([PluginMember("min", .uint(1)), PluginMember("max", .uint(1))])), ("required", .array([])),
      ("functions", .array([])),
    ]
    description = try PluginDescription(from: .object(members.map { PluginMember($0.0, $0.1) }))
    files = [path]
  }

  func call(
    _ function: String, _ arguments: [Argument], use: CallUse, progress: (@Sendable (ProgressReport) -> Void)?
  ) -> Promise<PluginValue> { .reject(nil) }

  func reload(adopting: Adoption?, deadline: Duration) throws(PluginError) -> PluginDescription { description }

  func unload(deadline: Duration) {}
}
