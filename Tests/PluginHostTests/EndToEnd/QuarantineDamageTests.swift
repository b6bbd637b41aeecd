import Foundation
import Glibc
import Testing

@testable import plugin_host

extension EndToEnd {
  /// Entries of the quarantine, and stores, that cannot be read.
  @Suite struct QuarantineDamageTests: ~Copyable {
    private let state: TemporaryFolder
    private var store: String { state.path("plugin-host/quarantine") }

    init() throws {
      let folder = try TemporaryFolder()
      try FileManager.default.createDirectory(
        atPath: folder.path("plugin-host/quarantine"), withIntermediateDirectories: true)
      state = folder
    }

    private func run(_ arguments: String...) throws -> HostProcess.Ending {
      try HostProcess.run(arguments, environment: ["XDG_STATE_HOME": state.url.path])
    }

    /// An entry that cannot be read, and its problem.
    enum Damage: String, CaseIterable {
      case empty, garbage, zeros, latin, folder, fifo, device, dangling, loop, large

      var problem: String {
        switch self {
        case .empty, .garbage, .zeros: "it does not say when it begins and ends"
        case .latin: "not UTF-8 text"
        case .folder, .fifo, .device: "not a regular file"
        case .dangling: "No such file or directory"
        case .loop: "Too many levels of symbolic links"
        case .large: "File too large"
        }
      }

      func make(_ path: String) throws {
        switch self {
        case .empty: try Data().write(to: URL(filePath: path))
        case .garbage: try Data("begins soon\nends 1e9\n".utf8).write(to: URL(filePath: path))
        case .zeros: try Data(count: 100).write(to: URL(filePath: path))
        case .latin: try Data("begins 1\nends 2\nreason \u{FC}".utf16.map { UInt8($0) }).write(to: URL(filePath: path))
        case .folder: #expect(mkdir(path, 0o700) == 0)
        case .fifo: #expect(mkfifo(path, 0o600) == 0)
        case .device: #expect(symlink("/dev/zero", path) == 0)
        case .dangling: #expect(symlink("nowhere", path) == 0)
        case .loop: #expect(symlink(URL(filePath: path).lastPathComponent, path) == 0)
        case .large:
          try Data().write(to: URL(filePath: path))
          #expect(truncate(path, 300 << 20) == 0)
        }
      }
    }

    @Test("a damaged entry keeps its plugin in quarantine until it is released", arguments: Damage.allCases)
    func entries(damage: Damage) throws {
      let hash = try #require(try QuarantineTests.sha256(FixturePlugins.path("mortal")))
      let entry = "\(store)/\(hash)"
      try damage.make(entry)
      let reason = "its entry \(entry) is damaged: \(damage.problem)"
      for place in ["in-process", "process"] {
        let refused = try run("call", "--isolation", place, "mortal", "echo", "3")
        #expect(refused.status == 2 && refused.text == "", "\(refused)")
        #expect(
          refused.errors.contains(
            "is in quarantine until it is released: \(reason); `plugin-host quarantine release \(hash.prefix(12))` ends "
              + "it"),
          "\(refused)")
      }
      #expect(try run("call", "kinds", "text", "x").status == 0)
      let list = try run("quarantine", "list")
      #expect(list.text.contains("\(hash.prefix(12))  never") && list.text.contains(reason), "\(list)")
      let json = try run("quarantine", "list", "--json")
      #expect(json.text.contains("\"begins\":null,\"ends\":null"), "\(json)")
      let released = try run("quarantine", "release", FixturePlugins.path("mortal"))
      #expect(released.status == 0 && released.text == "released \(hash.prefix(12))\n", "\(released)")
      #expect(try run("call", "mortal", "echo", "3").text == "3\n")
      #expect(try run("quarantine", "list", "--json").text == "[]\n")
    }

    @Test("a folder with files in place of an entry is named")
    func fullFolder() throws {
      let entry = "\(store)/\(String(repeating: "a", count: 64))"
      try FileManager.default.createDirectory(atPath: "\(entry)/files", withIntermediateDirectories: true)
      let ending = try run("quarantine", "release", "--all")
      #expect(ending.status == 1)
      #expect(ending.errors == "plugin-host: \(entry): Directory not empty: remove it by hand\n")
    }

    @Test("while the store cannot be listed, no plugin is loaded", arguments: ["file", "loop", "nowhere"])
    func stores(kind: String) throws {
      try FileManager.default.removeItem(atPath: store)
      switch kind {
      case "file": try Data().write(to: URL(filePath: store))
      case "loop": #expect(symlink("quarantine", store) == 0)
      default: #expect(symlink("nowhere", store) == 0)
      }
      let problems = [
        "file": "Not a directory", "loop": "Too many levels of symbolic links", "nowhere": "No such file or directory",
      ]
      let problem = "the quarantine \(store) cannot be read: \(try #require(problems[kind])); repair or remove it\n"
      for place in ["in-process", "process"] {
        let refused = try run("call", "--isolation", place, "mortal", "echo", "3")
        #expect(refused.status == 2 && refused.text == "", "\(refused)")
        #expect(refused.errors.contains("mortal.so: is not loaded: \(problem)"), "\(refused)")
      }
      for command in [["list"], ["list", "--json"], ["release", "--all"]] {
        let ending = try HostProcess.run(["quarantine"] + command, environment: ["XDG_STATE_HOME": state.url.path])
        #expect(ending.status == 1 && ending.text == "", "\(ending)")
        #expect(ending.errors.contains(command.count > 1 && command[0] == "list" ? "cannot be read" : problem))
      }
      #expect(unlink(store) == 0)
      #expect(try run("call", "mortal", "echo", "3").text == "3\n")
    }

    @Test("a file that is in quarantine stays there for its time, with its reason")
    func again() throws {
      let store = Quarantine(folder: store)
      let hash = try ContentHash(path: FixturePlugins.path("mortal"))
      for reason in ["the first", "the second"] { try store.add(hash, path: "/x", reason: reason) }
      let entries = try store.entries()
      #expect(entries.map(\.reason) == ["the first"])
      // Entries that have ended are replaced, and damaged ones.
      for text in ["begins 1\nends 2\npath x\nreason old\n", ""] {
        try text.write(toFile: store.path(of: hash), atomically: true, encoding: .utf8)
        try store.add(hash, path: "/x", reason: "the third")
        #expect(try store.entries().map(\.reason) == ["the third"])
      }
    }

    @Test("an entry that has ended stays while another process changes the store, which may be adding it again")
    func locked() throws {
      let entry = "\(store)/\(String(repeating: "a", count: 64))"
      try "begins 1\nends 2\npath x\nreason because\n".write(toFile: entry, atomically: true, encoding: .utf8)
      let lock = open(store + FileLock.suffix, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
      #expect(try run("quarantine", "list", "--json").text == "[]\n")
      #expect(access(entry, F_OK) == 0)
      close(lock)
      #expect(try run("quarantine", "list", "--json").text == "[]\n")
      #expect(access(entry, F_OK) != 0)
    }
  }
}
