import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite struct NewTests {
    /// Whether a program is in PATH.
    private static func isInstalled(_ compiler: String) -> Bool {
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").contains {
        FileManager.default.isExecutableFile(atPath: "\($0)/\(compiler)")
      }
    }

    @Test("a new plugin in C or C++ builds, passes its test, and is described", arguments: ["c", "cpp"])
    func builds(_ language: String) throws { try build(language, "sums") }

    private func build(_ language: String, _ name: String) throws {
      let folder = try TemporaryFolder()
      let path = folder.url.appending(path: name).path
      let created = try HostProcess.run("new", path, "--language", language, "--id", "test.new.sums")
      #expect(created.errors == "" && created.status == 0)
      let files = created.text.split(separator: "\n").map(String.init)
      #expect(files.count == 4 && files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
      #expect(try folder.make(path, "test") == 0)
      let description = try HostProcess.run("inspect", "--json", "\(path)/\(name).so")
      let plugin = try #require(try JSONSerialization.jsonObject(with: description.output) as? [String: Any])
      #expect(plugin["id"] as? String == "test.new.sums")
      #expect((plugin["functions"] as? [Any])?.count == 3)
      let quotient = try HostProcess.run("call", "\(path)/\(name).so", "divide", "b=2", "a=6")
      #expect(quotient.text == "3\n", "\(quotient)")
      let checked = try HostProcess.run("check", "--seed", "1", "\(path)/\(name).so")
      #expect(checked.status == 0, "\(checked.text) \(checked.errors)")
    }

    @Test(
      "a new plugin in Rust builds and passes its test, even if it is named like a standard crate",
      .enabled(if: isInstalled("rustc"), "rustc is not installed"))
    func rust() throws { try build("rust", "core") }

    @Test(
      "a new plugin in Swift builds and passes its test, even if it is named like a standard module",
      .enabled(if: isInstalled("swiftc"), "swiftc is not in PATH"))
    func swift() throws { try build("swift", "Swift") }

    @Test("the test of a new plugin notices a wrong result")
    func notices() throws {
      let folder = try TemporaryFolder()
      let path = folder.url.appending(path: "sums").path
      #expect(try HostProcess.run("new", path).status == 0)
      let source = try String(contentsOfFile: "\(path)/sums.c", encoding: .utf8)
      try source.replacing("a + b", with: "a - b").write(toFile: "\(path)/sums.c", atomically: true, encoding: .utf8)
      #expect(try folder.make(path, "all") == 0)
      #expect(try folder.make(path, "test") != 0)
    }

    @Test("nothing is overwritten, and a wrong name or id writes nothing")
    func refusals() throws {
      let folder = try TemporaryFolder()
      let path = folder.url.appending(path: "sums").path
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      let existing = try HostProcess.run("new", path)
      #expect(existing.status == 1)
      #expect(existing.errors == "plugin-host: \(path): it is not overwritten; choose another name\n")
      for name in ["9lives", "a-b", "a.b", "ä"] {
        let place = folder.url.appending(path: name).path
        let wrong = try HostProcess.run("new", place)
        #expect(wrong.status == 64 && wrong.errors.contains("no name for a plugin"))
        #expect(!FileManager.default.fileExists(atPath: place))
      }
      let place = folder.url.appending(path: "other").path
      #expect(try HostProcess.run("new", place, "--id", "a b").status == 64)
      #expect(try HostProcess.run("new", place, "--language", "cobol").status == 64)
      let missing = try HostProcess.run("new", "\(place)/inner")
      #expect(missing.status == 1 && missing.errors.contains("No such file"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["sums"])
    }
  }
}

extension TemporaryFolder {
  /// Runs make with the headers of this package and its plugin-host, and kills it after 5 minutes. Returns its exit
  /// status.
  fileprivate func make(_ path: String, _ target: String) throws -> Int32 {
    let process = try Process.run(
      URL(filePath: "/usr/bin/env"),
      arguments: [
        "make", "-s", "-C", path, target, "PLUGIN_HOST=\(HostProcess.executable.path)",
        "PROMISE_CFLAGS=-I\(Package.include)",
      ])
    let deadline = Date(timeIntervalSinceNow: 300)
    while process.isRunning && Date() < deadline { usleep(2000) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    return process.terminationStatus
  }
}
