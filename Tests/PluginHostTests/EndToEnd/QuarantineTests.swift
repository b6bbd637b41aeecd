import Foundation
import Testing

extension EndToEnd {
  @Suite struct QuarantineTests: ~Copyable {
    private let temporary: TemporaryFolder
    private var state: URL { temporary.url }
    private var environment: [String: String] { ["XDG_STATE_HOME": state.path] }

    init() throws { temporary = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> HostProcess.Ending {
      try HostProcess.run(arguments, environment: environment)
    }

    @Test func aPluginWhoseWorkersEndAgainAndAgainIsNotLoadedUntilItIsReleased() throws {
      #expect(try run("quarantine", "list").text == "")
      let file = try PipelineFile(
        """
        plugins: [{plugin: mortal, isolation: process}]
        steps: {a: {call: mortal.crash, retry: {times: 6, delay: 0.001}}}
        """)
      let crashed = try run("run", file.path)
      #expect(crashed.status == 1, "\(crashed.errors)")
      #expect(crashed.errors.contains("is not called for 60.0 seconds: its worker processes ended 5 times in a row"))
      let list = try run("quarantine", "list")
      let hash = list.text.split(separator: "\n").last?.prefix(12) ?? ""
      let json = try run("quarantine", "list", "--json").text
      let times = json.matches(of: #/"(?:begins|ends)":(\d+)/#).map { Int($0.1)! }
      #expect(times.count == 2 && times.last! - times.first! == 86_400, "\(times)")
      #expect(list.text.contains("was killed by SIGSEGV") && list.text.contains("/mortal.so"), "\(list.text)")
      // A copy has the same content.
      let copy = file.folder.appending(path: "copy.so").path
      try FileManager.default.copyItem(atPath: FixturePlugins.path("mortal"), toPath: copy)
      for plugin in ["mortal", copy] {
        for place in ["in-process", "process"] {
          let refused = try run("call", "--isolation", place, plugin, "echo", "3")
          #expect(refused.status == 2 && refused.text == "", "\(refused.errors)")
          #expect(refused.errors.contains("is in quarantine for another 2"), "\(refused.errors)")
          #expect(refused.errors.contains("`plugin-host quarantine release \(hash)` ends it"), "\(refused.errors)")
        }
        #expect(try run("inspect", FixturePlugins.path("mortal")).status == 2)
      }
      #expect(try run("call", "kinds", "text", "x").status == 0)
      #expect(try run("quarantine", "release", "00000").status == 64)
      #expect(try run("quarantine", "release", copy).text.hasPrefix("released \(hash) "))
      #expect(try run("call", "mortal", "echo", "3").text == "3\n")
      #expect(try run("quarantine", "list", "--json").text == "[]\n")
    }

    @Test func theContentThatTheWorkersLoadedIsInQuarantineAlthoughItsFileWasReplaced() throws {
      let file = try PipelineFile(
        """
        plugins: [{plugin: ./mortal.so, isolation: process}, {plugin: ./libc.yaml}]
        set: {old: x, new: x}
        steps:
          replace: {call: libc.rename, with: {from: '${new}', to: '${old}'}}
          crash: {call: mortal.crash, after: replace, retry: {times: 6, delay: 0.001}}
        """)
      let (old, new) = (file.folder.appending(path: "mortal.so"), file.folder.appending(path: "new.so"))
      let mortal = URL(filePath: FixturePlugins.path("mortal"))
      try FileManager.default.copyItem(at: mortal, to: old)
      try FileManager.default.copyItem(atPath: FixturePlugins.path("kinds"), toPath: new.path)
      try "{library: libc.so.6, functions: ['rename(from: cstr, to: cstr) -> i32']}"
        .write(to: file.folder.appending(path: "libc.yaml"), atomically: true, encoding: .utf8)
      let crashed = try run("run", file.path, "--set", "old=\(old.path)", "--set", "new=\(new.path)")
      #expect(crashed.status == 1 && !FileManager.default.fileExists(atPath: new.path), "\(crashed.errors)")
      #expect(try run("call", old.path, "text", "x").status == 0)
      #expect(try run("call", mortal.path, "echo", "3").errors.contains("is in quarantine"))
    }

    @Test func anEntryEndsByItself() throws {
      let folder = state.appending(path: "plugin-host/quarantine")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let hash = try #require(try Self.sha256(FixturePlugins.path("mortal")))
      let now = Int(Date().timeIntervalSince1970)
      let entry = folder.appending(path: hash)
      try "begins \(now - 50)\nends \(now + 500)\npath x\nreason because\n".write(
        to: entry, atomically: true, encoding: .utf8)
      let refused = try run("call", "mortal", "echo", "3")
      #expect(refused.status == 2 && refused.errors.contains("because"), "\(refused.errors)")
      try "begins \(now - 50)\nends \(now - 5)\npath x\nreason because\n".write(
        to: entry, atomically: true, encoding: .utf8)
      #expect(try run("call", "mortal", "echo", "3").text == "3\n")
      #expect(!FileManager.default.fileExists(atPath: entry.path))
    }

    @Test func entriesAreListedAndReleasedByTheirHashes() throws {
      let folder = state.appending(path: ".local/state/plugin-host/quarantine")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let now = Int(Date().timeIntervalSince1970)
      func write(_ name: String, _ text: String) throws {
        try text.write(to: folder.appending(path: name), atomically: true, encoding: .utf8)
      }
      for (name, age) in [("aaaa0", 30), ("aaaa1", 10), ("bbbb0", 20)] {
        let hash = name + String(repeating: "0", count: 59)
        try write(hash, "begins \(now - age)\nends \(now + 5_000)\npath /\(name)\nreason because of it\n")
      }
      // These files are not entries.
      try write("notes", "ends \(now + 500)\n")
      try write(String(repeating: "c", count: 63), "")
      try write(String(repeating: "D", count: 64), "")
      func run(_ arguments: String...) throws -> HostProcess.Ending {
        try HostProcess.run(["quarantine"] + arguments, environment: ["HOME": state.path])
      }
      let list = try run("list", "--json").text
      #expect(list.matches(of: #/"path":"([^"]*)"/#).map { String($0.1) } == ["/aaaa1", "/bbbb0", "/aaaa0"], "\(list)")
      #expect(list.contains("\"reason\":\"because of it\""))
      for wrong in [["bbb"], ["aaaa"], ["cccc"], [], ["--all", "bbbb"]] {
        #expect(try HostProcess.run(["quarantine", "release"] + wrong, environment: ["HOME": state.path]).status == 64)
      }
      #expect(try run("release", "aaaa").errors.contains("aaaa is the beginning of 2 hashes"))
      #expect(try run("release", "BBBB0").text == "released bbbb00000000 /bbbb0\n")
      #expect(try run("release", "--all").text == "released aaaa10000000 /aaaa1\nreleased aaaa00000000 /aaaa0\n")
      #expect(try run("list", "--json").text == "[]\n")
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
    }

    @Test(arguments: [(40, "s"), (5_000, "min"), (10_000, "h")])
    func theTimeThatIsLeftIsShown(seconds: Int, unit: String) throws {
      let folder = state.appending(path: "plugin-host/quarantine")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let hash = try #require(try Self.sha256(FixturePlugins.path("mortal")))
      let now = Int(Date().timeIntervalSince1970)
      try "begins \(now)\nends \(now + seconds)\npath x\nreason because\n".write(
        to: folder.appending(path: hash), atomically: true, encoding: .utf8)
      let refused = try run("call", "mortal", "echo", "3")
      #expect(
        refused.errors.contains(try Regex("in quarantine for another [0-9]{1,2} \(unit): because")),
        "\(refused.errors)")
    }

    /// Returns the hash that the system's program computes.
    static func sha256(_ path: String) throws -> String? {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["sha256sum", path]
      let output = Pipe()
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return text.split(separator: " ").first.map(String.init)
    }
  }
}
