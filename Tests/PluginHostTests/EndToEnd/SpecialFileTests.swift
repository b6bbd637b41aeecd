import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// FIFOs and devices where a command finds a file that it reads.
  @Suite struct SpecialFileTests: ~Copyable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a FIFO without a writer, or a link to an endless device.
    private func make(_ kind: String, _ name: String) {
      let path = folder.path(name)
      #expect((kind == "FIFO" ? mkfifo(path, 0o600) : symlink("/dev/zero", path)) == 0)
    }

    @Test("an adoption in the folder of plugins has to be a regular file", arguments: ["FIFO", "device"])
    func adoptions(kind: String) throws {
      make(kind, "z.adopt.yaml")
      try FileManager.default.copyItem(atPath: FixturePlugins.path("kinds"), toPath: folder.path("kinds.so"))
      let error = "\(folder.path("z.adopt.yaml")): not a regular file\n"
      for command in [["list"], ["inspect", "z"], ["call", "z", "f"]] {
        let ending = try HostProcess.run(command, environment: ["PROMISE_PLUGIN_PATH": folder.url.path])
        #expect(ending.status == 2 && ending.errors == "plugin-host: \(error)", "\(command): \(ending)")
        #expect(ending.text.hasPrefix("org.example.kinds") == (command == ["list"]))
      }
    }

    @Test("a plugin has to be a regular file", arguments: ["FIFO", "device"])
    func plugins(kind: String) throws {
      make(kind, "p.so")
      // Every user may write to the device, as its mode should be.
      let unset = ["PROMISE_ACCEPT_UNSAFE_FILES": "0", "PROMISE_PLUGIN_PATH": ""]
      let ending = try HostProcess.run(["inspect", folder.path("p.so")], environment: unset)
      #expect(ending.status == 2 && ending.errors.contains(", expected a regular file"), "\(ending.errors)")
    }

    @Test("a pipeline includes regular files", arguments: ["FIFO", "device"])
    func includes(kind: String) throws {
      make(kind, "part.yaml")
      let steps = "{a: {call: kinds.tiny}}"
      try folder.write("plugins: [kinds]\ninclude: {part: {file: part.yaml}}\nsteps: \(steps)\n", to: "p.yaml")
      let ending = try HostProcess.run("run", folder.path("p.yaml"))
      #expect(ending.status == 64 && ending.errors.contains("part.yaml: not a regular file"), "\(ending)")
    }

    @Test("an argument from a FIFO is waited for until the time limit", arguments: ["in-process", "process"])
    func arguments(place: String) throws {
      make("FIFO", "x")
      let ending = try HostProcess.run(
        "call", "--isolation", place, "--timeout", "0.1", "kinds", "text", "@\(folder.path("x"))")
      #expect(ending.status == 3 && ending.text == "", "\(ending)")
      #expect(ending.errors == "plugin-host: kinds.text: timed out after 0.1 s\n")
    }

    @Test("a file without end is not kept in memory")
    func endless() throws {
      make("device", "p.yaml")
      let ending = try HostProcess.run("run", folder.path("p.yaml"))
      #expect(ending.status == 64)
      #expect(
        ending.errors == "plugin-host: \(folder.path("p.yaml")): File too large: expected at most 67108864 bytes\n")
    }

    @Test("neither an empty file nor a FIFO is taken for a cache", arguments: ["empty", "FIFO"])
    func caches(kind: String) throws {
      if kind == "FIFO" { make(kind, "x") } else { try folder.write("", to: "x") }
      let ending = try HostProcess.run("cache", "prune", "--all", "--cache", folder.path("x"))
      #expect(ending.status == 1 && ending.errors.contains("is not recognised as results of plugin-host"), "\(ending)")
      #expect(try folder.names() == ["x"])
    }
  }
}
