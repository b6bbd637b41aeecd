import Foundation
import Testing

extension EndToEnd {
  /// The place of the cache's file, and its first use.
  @Suite struct CacheFileTests: ~Copyable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a relative path of the cache starts from the folder of the command, not from that of a plugin")
    func folders() throws {
      for name in ["here", "there"] {
        try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
      }
      try folder.write(
        "plugins: [shifting, kinds]\nsteps: {a: {call: kinds.tiny, pure: true}, b: {call: shifting.nothing}}\n",
        to: "here/p.yaml")
      let host = try HostProcess(
        ["-c", "umask 077; exec \"$0\" run --resume --cache results.db p.yaml", HostProcess.executable.path],
        environment: ["MOVE": folder.path("there")])
      host.process.executableURL = URL(filePath: "/bin/sh")
      host.process.currentDirectoryURL = folder.url.appending(path: "here")
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.status == 0, "\(ending)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("there")).isEmpty)
      for name in ["results.db", "results.db-runs"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("here/\(name)"))
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name): \(attributes)")
      }
    }

    @Test("a relative path in XDG_CACHE_HOME is ignored")
    func relativeVariable() throws {
      try folder.write("plugins: [kinds]\nsteps: {a: {call: kinds.tiny, pure: true}}\n", to: "p.yaml")
      let host = try HostProcess(
        ["run", "p.yaml"], environment: ["XDG_CACHE_HOME": "cache", "HOME": folder.path("home")])
      host.process.currentDirectoryURL = folder.url
      try host.process.run()
      #expect(try host.wait().status == 0)
      #expect(try folder.names() == ["home", "p.yaml"])
      #expect(FileManager.default.fileExists(atPath: folder.path("home/.cache/plugin-host/results.db")))
    }

    /// Another process creates the tables of this version, and stores a row, while this one waits to do that. If this
    /// one has not read the version yet when the other one ends, the test passes without having tested anything.
    @Test("results that another process stores while this one opens the file stay")
    func firstUseByTwo() throws {
      let path = folder.path("results.db")
      try folder.write("plugins: [kinds]\nsteps: {a: {call: kinds.tiny, pure: true}}\n", to: "p.yaml")
      #expect(try HostProcess.run("run", "--cache", path, folder.path("p.yaml")).status == 0)
      try Package.run("sqlite3", [path, "pragma user_version = 1"])
      let other = Process()
      other.executableURL = URL(filePath: "/usr/bin/env")
      other.arguments = ["sqlite3", path]
      let (statements, answers) = (Pipe(), Pipe())
      (other.standardInput, other.standardOutput) = (statements, answers)
      try other.run()
      let input = statements.fileHandleForWriting
      try input.write(contentsOf: Data("begin immediate;\npragma user_version = 2;\nselect 'begun';\n".utf8))
      #expect(answers.fileHandleForReading.availableData == Data("begun\n".utf8))
      let host = try HostProcess(["cache", "list", "--json", "--cache", path])
      try host.process.run()
      let descriptors = "/proc/\(host.process.processIdentifier)/fd"
      func isOpen() -> Bool {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
        return names.contains {
          (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")) == path + "-shm"
        }
      }
      while host.process.isRunning, !isOpen() { usleep(1_000) }
      usleep(200_000)
      try input.write(contentsOf: Data("commit;\n".utf8))
      try input.close()
      other.waitUntilExit()
      let ending = try host.wait()
      #expect(ending.status == 0 && ending.text.contains("kinds.tiny"), "\(ending)")
    }
  }
}
