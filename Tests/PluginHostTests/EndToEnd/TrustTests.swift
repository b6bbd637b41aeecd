import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite(.enabled(if: geteuid() == 0, "only root can give files to other users"))
  struct TrustTests {
    private static let strict = ["PROMISE_ACCEPT_UNSAFE_FILES": ""]

    @Test(
      "a plugin of another user is refused by each command, unless it is accepted",
      arguments: [["list"], ["inspect"], ["doc"], ["call", "tiny"], ["call", "tiny", "--help"]])
    func refuses(_ words: [String]) throws {
      let folder = try Folder()
      chown(folder.plugin, 54_321, 0)
      let command = [words[0], folder.plugin] + words.dropFirst()
      let refused = try run(command, Self.strict)
      #expect(refused.status == 2 && refused.text == "")
      #expect(
        refused.errors == """
          plugin-host: \(folder.plugin): \(folder.plugin) belongs to 54321, who can change it; expected root: change its \
          owner by chown, or give --accept-unsafe-files

          """)
      #expect(try run([words[0], "--accept-unsafe-files"] + command.dropFirst(), Self.strict).status == 0)
      #expect(try run(command, ["PROMISE_ACCEPT_UNSAFE_FILES": "1"]).status == 0)
      chown(folder.plugin, 0, 0)
      #expect(try run(command, Self.strict).status == 0)
    }

    @Test("a library that a file adopts is checked, and the file itself")
    func adoptions() throws {
      let folder = try Folder()
      let file = folder.path + "/m.adopt.yaml"
      let text = "library: ./plugin.so\nfunctions: ['tiny(x: i8) -> i8']\n"
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      chmod(folder.plugin, 0o666)
      let library = try run(["inspect", file], Self.strict)
      #expect(library.status == 2 && library.errors.contains("every user can write to \(folder.plugin): take"))
      chmod(folder.plugin, 0o644)
      chmod(file, 0o622)
      let description = try run(["inspect", file], Self.strict)
      #expect(description.status == 2 && description.errors.contains("every user can write to \(file): take"))
      let signature = ["call", "--signature", "tiny(x: i8) -> i8", folder.plugin, "1"]
      chmod(folder.path, 0o777)
      #expect(try run(signature, Self.strict).errors.contains("every user can write to \(folder.path): take"))
    }

    @Test("the libraries that a plugin needs are checked, and a library that is found by its name")
    func needed() throws {
      let (folder, other) = (try Folder(), try Folder())
      let library = other.path + "/help.so"
      try "int help(void) { return 7; }".write(toFile: library + ".c", atomically: true, encoding: .utf8)
      try Package.run("cc", ["-shared", "-fPIC", "-w", library + ".c", "-o", library])
      let source = Package.fixtures.appending(path: "kinds.c").path
      try Package.run(
        "cc",
        [
          "-shared", "-fPIC", "-w", source, "-o", folder.plugin, "-I", Package.include, "-D_GNU_SOURCE", "-pthread",
          "-L\(other.path)", "-Wl,--no-as-needed", "-l:help.so", "-Wl,-rpath,\(other.path)",
        ])
      let environment = Self.strict.merging(["LD_LIBRARY_PATH": other.path]) { $1 }
      let commands = [
        ["list", folder.plugin], ["inspect", folder.plugin], ["call", folder.plugin, "tiny", "1"],
        ["call", "--isolation", "process", folder.plugin, "tiny", "1"],
      ]
      let named = ["call", "--signature", "help() -> i32", "help.so"]
      for command in commands + [named] { #expect(try run(command, environment).status == 0, "\(command)") }
      chmod(other.path, 0o777)
      let danger = "\(library): every user can write to \(other.path): take"
      for command in commands {
        let refused = try run(command, Self.strict)
        #expect(refused.status == 2 && refused.text == "", "\(command): \(refused)")
        #expect(refused.errors.contains("plugin-host: \(folder.plugin): needs \(danger)"), "\(refused)")
        #expect(try run([command[0], "--accept-unsafe-files"] + command.dropFirst(), Self.strict).status == 0)
      }
      let refused = try run(named, environment)
      #expect(refused.status == 2 && refused.errors.contains("plugin-host: \(danger)"), "\(refused)")
    }

    @Test("a trust file that another user can change is refused, and no plugin is loaded")
    func rules() throws {
      let folder = try Folder()
      let environment = Self.strict.merging(["XDG_CONFIG_HOME": folder.path]) { $1 }
      let file = folder.path + "/plugin-host/trust.conf"
      // The mask of the user is the least strict one; others cannot change the file that the program makes.
      let host = try HostProcess([], environment: environment)
      host.process.executableURL = URL(filePath: "/bin/sh")
      let command = [HostProcess.executable.path, "trust", "policy", "any"]
      host.process.arguments = ["-c", "umask 0; exec \"$@\"", "sh"] + command
      try host.process.run()
      #expect(try host.wait().status == 0)
      chmod(folder.path + "/plugin-host", 0o755)
      #expect(try run(["call", folder.plugin, "tiny", "1"], environment).status == 0)
      chmod(file, 0o666)
      let refused = try run(["call", folder.plugin, "tiny", "1"], environment)
      #expect(refused.status == 2 && refused.errors.contains("every user can write to \(file): take"), "\(refused)")
    }

    @Test("a host with the rights of another user ignores the environment's plugins and permissions")
    func secure() throws {
      let folder = try Folder()
      let host = folder.path + "/host"
      try copy(HostProcess.executable.path, to: host)
      let ordinary = try run(["list"], ["PROMISE_PLUGIN_PATH": folder.path], by: host)
      #expect(ordinary.status == 0 && ordinary.text.hasPrefix("org.example.kinds"))
      chown(host, 54_321, 0)
      chmod(host, 0o4755)
      // A container may take setuid away, and the user may be unable to read the libraries of Swift.
      guard try isSecure(folder), try run(["--version"], [:], by: host).status == 0 else { return }
      let path = ["PROMISE_PLUGIN_PATH": folder.path, "PROMISE_ACCEPT_UNSAFE_FILES": "1"]
      #expect(try run(["list"], path, by: host).status == 64)
      chmod(folder.plugin, 0o666)
      let unsafe = try run(["list", folder.plugin], path, by: host)
      #expect(unsafe.status == 2 && unsafe.errors.contains("every user can write to"))
    }

    @Test("a host whose file has capabilities ignores the environment's plugins and permissions")
    func capable() throws {
      let folder = try Folder()
      let host = folder.path + "/host"
      try copy(HostProcess.executable.path, to: host)
      let asStranger = ["--reuid=54321", "--clear-groups", host]
      // The user may be unable to reach the program or the libraries of Swift.
      guard try run(asStranger + ["--version"], [:], by: "/usr/bin/setpriv").status == 0 else { return }
      let path = ["PROMISE_PLUGIN_PATH": folder.path, "PROMISE_ACCEPT_UNSAFE_FILES": "1"]
      #expect(try run(asStranger + ["list"], path, by: "/usr/bin/setpriv").status == 0)
      // CAP_NET_RAW, permitted and effective, in the kernel's second format.
      let script =
        "import os, sys; os.setxattr(sys.argv[1], 'security.capability', bytes([1, 0, 0, 2, 0, 32] + [0] * 14))"
      guard try run(["python3", "-c", script, host], [:], by: "/usr/bin/env").status == 0,
        try run(asStranger + ["--version"], [:], by: "/usr/bin/setpriv").status == 0
      else { return }
      #expect(try run(asStranger + ["list"], path, by: "/usr/bin/setpriv").status == 64)
    }

    /// Copies a program, in another process: a child that this process starts meanwhile would keep the copy open for
    /// writing, and the copy could not be run.
    private func copy(_ program: String, to path: String) throws {
      #expect(try run([program, path], [:], by: "/bin/cp").status == 0)
    }

    /// Whether the system runs a program with the rights of its owner here.
    private func isSecure(_ folder: Folder) throws -> Bool {
      let program = folder.path + "/id"
      try copy("/usr/bin/id", to: program)
      chown(program, 54_321, 0)
      chmod(program, 0o4755)
      return try run(["-u"], [:], by: program).text == "54321\n"
    }

    private func run(
      _ arguments: [String], _ environment: [String: String], by program: String? = nil
    ) throws -> HostProcess.Ending {
      let host = try HostProcess(arguments, environment: environment)
      if let program { host.process.executableURL = URL(filePath: program) }
      try host.process.run()
      return try host.wait()
    }

    /// A folder with `plugin.so`, the fixture `kinds`, removed at the end.
    private final class Folder {
      let path = "/tmp/trust-\(UUID().uuidString)"
      var plugin: String { path + "/plugin.so" }

      init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        chmod(path, 0o755)
        try FileManager.default.copyItem(atPath: FixturePlugins.path("kinds"), toPath: plugin)
        chmod(plugin, 0o644)
      }

      deinit { try? FileManager.default.removeItem(atPath: path) }
    }
  }
}
