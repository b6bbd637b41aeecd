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
        ["-c", "umask 027; exec \"$0\" run --resume --cache results.db p.yaml", HostProcess.executable.path],
        environment: ["MOVE": folder.path("there")])
      host.process.executableURL = URL(filePath: "/bin/sh")
      host.process.currentDirectoryURL = folder.url.appending(path: "here")
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.status == 0, "\(ending)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("there")).isEmpty)
      for (name, mode) in [("results.db", 0o640), ("results.db-runs", 0o600)] {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("here/\(name)"))
        #expect(attributes[.posixPermissions] as? Int == mode, "\(name): \(attributes)")
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
  }
}
