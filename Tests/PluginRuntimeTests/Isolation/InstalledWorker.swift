import Foundation
import Testing

@testable import PluginRuntime

@Suite("Isolation: the installed worker")
struct InstalledWorker {
  /// Runs an action of install.sh for a prefix, with the plugin-host of the tests.
  private func install(_ action: String, _ prefix: String) throws {
    try Fixture.run(
      "env",
      [
        "PREFIX=\(prefix)", "DESTDIR=", "PLUGIN_HOST=\(Fixture.pluginHost)",
        Fixture.root.appendingPathComponent("scripts/install.sh").path, action, "host",
      ])
  }

  @Test("the installed worker serves programs that are not workers themselves, and is removed with plugin-host")
  func serves() async throws {
    let prefix = URL(fileURLWithPath: try Fixture.file("none", containing: [])).deletingLastPathComponent().path
    try install("install", prefix)
    let plugin = try IsolatedPlugin.loading("whole") { $0.program = .installed(under: prefix) }
    #expect(plugin.description.id == "test.whole")
    #expect(try await plugin.outcome("add", .int(40), .int(2)).value == .int(42))
    plugin.unload()
    try install("uninstall", prefix)
    let error = #expect(throws: PluginError.self) {
      try IsolatedPlugin.loading("whole") { $0.program = .installed(under: prefix) }
    }
    #expect(error?.message.contains("could not be started: No such file or directory") == true, "\(error as Any)")
  }

  @Test("a worker of another version, or another program, loads nothing, and the error names the reason")
  func others() throws {
    // A frame of the version 9, and a greeting of the ABI version 7.
    let greeting = try Frame(.ready, 0, .array([.string("plugin-worker"), .uint(7)])).encoded().bytes
    var later = greeting
    later[4] = 9
    for (bytes, reason) in [
      (later, "a frame of version 9, expected 1"), (greeting, #"the greeting of another version: ["plugin-worker",7]"#),
    ] {
      let octal = bytes.map { "\\" + String(Int($0) + 0o1000, radix: 8).suffix(3) }.joined()
      let script = try Fixture.file("worker", containing: "#!/bin/sh\nprintf '\(octal)' >&3\nexec sleep 60\n".utf8)
      #expect(chmod(script, 0o700) == 0)
      let error = #expect(throws: PluginError.self) {
        try IsolatedPlugin.loading("whole") { $0.program = WorkerProgram(path: script, arguments: []) }
      }
      #expect(error?.message.contains(reason) == true, "\(error as Any)")
    }
  }

  @Test("a worker that does not lead its process group leaves the other processes of the group alone")
  func group() async throws {
    let note = Fixture.file("note")
    let script = """
      #!/bin/sh
      '\(Fixture.pluginHost)' \(WorkerProgram.workerArgument)
      sleep 1
      echo alive >'\(note)'
      """
    let program = try Fixture.file("worker", containing: script.utf8)
    #expect(chmod(program, 0o700) == 0)
    let plugin = try IsolatedPlugin.loading("whole") {
      $0.program = WorkerProgram(path: program, arguments: [])
      $0.capabilities = .unrestricted
    }
    #expect(try await plugin.outcome("add", .int(40), .int(2)).value == .int(42))
    plugin.unload()
    #expect(try String(contentsOfFile: note, encoding: .utf8) == "alive\n")
  }
}
