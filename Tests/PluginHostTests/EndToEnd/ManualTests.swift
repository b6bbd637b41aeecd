import Foundation
import Testing

extension EndToEnd {
  @Suite struct ManualTests {
    @Test func namesEveryOption() throws {
      let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
      let manual = try String(contentsOf: root.appending(path: "docs/man/plugin-host.1"), encoding: .utf8)
      let commands = [
        "list", "inspect", "call", "run", "shell", "doc", "adopt", "new", "check", "cache list", "cache prune",
        "quarantine list", "quarantine release", "trust add", "trust policy",
      ]
      for command in commands {
        let host = try HostProcess(command.split(separator: " ").map(String.init) + ["--help"])
        try host.process.run()
        let help = try host.wait().text
        let options = help.matches(of: #/--([a-z-]+)/#).map(\.output.1)
        #expect(!options.isEmpty)
        for option in Set(options) { #expect(manual.contains("-\(option)"), "--\(option) of \(command)") }
      }
    }
  }
}
