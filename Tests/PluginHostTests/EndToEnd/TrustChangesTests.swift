import Foundation
import Glibc
import Testing

@testable import plugin_host

extension EndToEnd {
  /// Changes of the rules of trust by several processes.
  @Suite struct TrustChangesTests: ~Copyable {
    private let folder: TemporaryFolder
    private var environment: [String: String] { ["XDG_CONFIG_HOME": folder.url.path] }
    private var configuration: String { folder.path("plugin-host/trust.conf") }

    init() throws {
      let made = try TemporaryFolder()
      try FileManager.default.createDirectory(atPath: made.path("plugin-host"), withIntermediateDirectories: true)
      folder = made
    }

    private func key(_ number: Int) -> String { String(repeating: "0", count: 62) + String(number + 10) }

    @Test("changes at the same time are all in the file")
    func atOnce() throws {
      let removed = (0..<6).map { "key \(key($0)) old\($0)\n" }
      try folder.write("policy any\n" + removed.joined(), to: "plugin-host/trust.conf")
      var commands = [["policy", "listed"]]
      for number in 0..<6 {
        try folder.write(key(20 + number) + "\n", to: "new\(number)")
        commands += [["add", folder.path("new\(number)")], ["remove", "old\(number)"]]
      }
      let hosts = try commands.map { try HostProcess(["trust"] + $0, environment: environment) }
      for host in hosts { try host.process.run() }
      for host in hosts {
        let ending = try host.wait()
        #expect(ending.status == 0, "\(ending)")
      }
      let lines = try String(contentsOfFile: configuration, encoding: .utf8).split(separator: "\n").map(String.init)
      #expect(lines.sorted() == (0..<6).map { "key \(key(20 + $0)) new\($0)" } + ["policy listed"])
    }

    @Test("a change waits for that of another process")
    func waiting() throws {
      try folder.write(key(1), to: "one")
      let host = try HostProcess(["trust", "add", folder.path("one")], environment: environment)
      let lock = open(configuration + FileLock.suffix, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      #expect(lock >= 0 && flock(lock, LOCK_EX) == 0)
      try host.process.run()
      while host.process.isRunning && !has(open: configuration + FileLock.suffix, host) { usleep(2000) }
      #expect(host.process.isRunning && access(configuration, F_OK) != 0)
      close(lock)
      let ending = try host.wait()
      #expect(ending.status == 0 && ending.text == "trusted key \(key(1)) one\n", "\(ending)")
      #expect(try String(contentsOfFile: configuration, encoding: .utf8) == "key \(key(1)) one\n")
    }

    @Test("a lock cannot be opened for reading, so that a plugin that may read its folder does not take it")
    func mode() throws {
      try folder.write(key(1), to: "one")
      let lock = configuration + FileLock.suffix
      // That of an earlier version.
      close(open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600))
      for word in ["add", "remove"] {
        let ending = try HostProcess.run(
          ["trust", word, word == "add" ? folder.path("one") : "one"], environment: environment)
        #expect(ending.status == 0, "\(ending)")
        var information = stat()
        #expect(stat(lock, &information) == 0 && information.st_mode & 0o777 == 0o200, "\(word)")
        unlink(lock)
      }
    }

    /// Whether a process has a file open.
    private func has(open path: String, _ host: HostProcess) -> Bool {
      let descriptors = "/proc/\(host.process.processIdentifier)/fd"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: descriptors)) ?? []
      return names.contains {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")) == path
      }
    }

    @Test("rules in a folder that accepts no new files are changed in place")
    func inPlace() throws {
      try folder.write(key(1), to: "one")
      try folder.write("policy any\n", to: "plugin-host/trust.conf")
      // Without capabilities, permissions count for root too.
      let script = """
        if [ "$(id -u)" = 0 ]; then set -- setpriv --bounding-set=-all; fi
        exec "$@" "$0" trust add '\(folder.path("one"))'
        """
      let place = folder.path("plugin-host")
      #expect(chmod(place, 0o500) == 0)
      defer { chmod(place, 0o700) }
      let host = try HostProcess(["-c", script, HostProcess.executable.path], environment: environment)
      host.process.executableURL = URL(filePath: "/bin/sh")
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.status == 0, "\(ending)")
      #expect(try folder.text("plugin-host/trust.conf") == "policy any\nkey \(key(1)) one\n")
      #expect(try FileManager.default.contentsOfDirectory(atPath: place) == ["trust.conf"])
    }

    @Test("a lock that is not released is named")
    func busy() throws {
      let path = folder.path("file")
      let error = FileChangeError(path: path, error: SystemError(code: EWOULDBLOCK))
      #expect(error.description == "\(path): another process is changing it, and keeps \(path).lock locked")
      _ = try FileLock.holding(path) { () throws(SystemError) in
        #expect(throws: error) { try FileLock.holding(path, for: .milliseconds(20)) {} }
      }
      // A process that another test starts may have the lock for a moment.
      #expect(throws: Never.self) { try FileLock.holding(path) {} }
    }

    @Test("only a regular file is trusted", arguments: ["FIFO", "device"])
    func special(kind: String) throws {
      let path = folder.path("plugin.so")
      #expect((kind == "FIFO" ? mkfifo(path, 0o600) : symlink("/dev/zero", path)) == 0)
      let ending = try HostProcess.run(["trust", "add", path], environment: environment)
      #expect(ending.status == 1 && ending.errors == "plugin-host: \(path): not a regular file\n", "\(ending)")
      // The content of a device has no end, so it has no hash.
      let released = try HostProcess.run(
        ["quarantine", "release", path], environment: ["XDG_STATE_HOME": folder.url.path])
      #expect(released.status == 64 && released.errors.contains("is not in quarantine"), "\(released)")
    }
  }
}
