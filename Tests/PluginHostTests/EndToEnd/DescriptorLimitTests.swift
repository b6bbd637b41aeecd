import Foundation
import Testing

extension EndToEnd {
  /// Commands that open more files, one after the other, than the process may have open.
  @Suite struct DescriptorLimitTests: ~Copyable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs a command with a limit of descriptors.
    private func run(
      _ arguments: [String], limit: Int = 64, environment: [String: String] = [:]
    ) throws -> HostProcess.Ending {
      try HostProcess.run(under: "-n \(limit)", arguments, environment: environment)
    }

    /// Makes 100 files in the folder and returns their paths: copies of a plugin, or each with a content of its own.
    private func make(_ suffix: String, of plugin: String? = nil) throws -> [String] {
      return try (0..<100).map { number in
        let file = folder.url.appending(path: "f\(number)\(suffix)")
        let content = try plugin.map { try Data(contentsOf: URL(filePath: FixturePlugins.path($0))) }
        try (content ?? Data("content \(number)".utf8)).write(to: file)
        return file.path
      }
    }

    @Test func everyFileOfAFolderIsLookedAt() throws {
      _ = try make(".so")
      let ending = try run(["list", folder.url.path])
      #expect(ending.errors.components(separatedBy: "is not an ELF file").count - 1 == 100, "\(ending)")
    }

    @Test func everyFolderIsLookedAt() throws {
      let folders = (0..<100).map { folder.path("d\($0)") }
      for path in folders { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
      let ending = try run(["list", "--json"] + folders)
      #expect(ending.status == 0 && ending.text == "[]\n", "\(ending)")
    }

    @Test func everyFileOfAPipelineIsRead() throws {
      let steps = try make(".txt").enumerated().map { "  s\($0): {call: kinds.text, with: {x: \"@\($1)\"}}" }
      let file = try PipelineFile("plugins: [kinds]\nsteps:\n" + steps.joined(separator: "\n") + "\n")
      let ending = try run(["run", "-j", "1", "--progress", "off", file.path])
      #expect(ending.status == 0 && ending.text == "\"content 99\"\n", "\(ending)")
    }

    @Test("plugins for which no process can be started are named, and the list ends")
    func noDescriptorForAScan() throws {
      let ending = try run(["list"], limit: 8)
      #expect(ending.status == 2 && ending.text == "", "\(ending)")
      let error = "plugin-host: cannot start a process that reads plugins: Too many open files: RLIMIT_NOFILE is 8: "
      let lines = ending.errors.split(separator: "\n")
      #expect(lines.count > 10 && lines.allSatisfy { $0.hasPrefix(error) }, "\(ending.errors)")
    }

    @Test func everyFunctionIsChecked() throws {
      let functions = (0..<16).map { "  - {signature: 'f\($0)(x: f64) -> f64', symbol: sin}\n" }
      let file = folder.path("m.adopt.yaml")
      try Data("library: libm.so.6\nfunctions:\n\(functions.joined())".utf8).write(to: URL(filePath: file))
      // Two checks for each function.
      let ending = try run(["check", "--calls", "1", file], limit: 32)
      #expect(ending.status == 0, "\(ending)")
    }

    @Test func aPluginThatUsesUpTheDescriptorsIsNamed() throws {
      let plugin = FixturePlugins.path("shifting")
      let ending = try run(["call", "--isolation", "in-process", plugin, "nothing"], environment: ["HOARD": "1"])
      #expect(ending.status != 0 && ending.text == "" && ending.errors.contains(plugin), "\(ending)")
      #expect(ending.errors.contains("RLIMIT_NOFILE is 64"), "\(ending)")
    }

    @Test func everyTrustedFileIsHashed() throws {
      let files = try make(".so", of: "lonely")
      let ending = try run(["trust", "add"] + files, environment: ["XDG_CONFIG_HOME": folder.url.path])
      #expect(ending.status == 0 && ending.text.split(separator: "\n").count == 100, "\(ending)")
    }
  }
}
