import Foundation
import Testing

@testable import plugin_host

extension EndToEnd {
  @Suite struct ManualTests {
    @Test func helpSaysThatASessionMayHaveCalled() throws {
      let help = try HostProcess.run("shell", "--help")
      #expect(help.text.contains("64  wrong usage: nothing was called; in a session, by this line\n"))
    }

    @Test func namesEveryOption() throws {
      let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
      let manual = try String(contentsOf: root.appending(path: "docs/man/plugin-host.1"), encoding: .utf8)
      let sections = manual.components(separatedBy: "\n.Sh ")
      let synopsis = try #require(sections.first { $0.hasPrefix("SYNOPSIS") })
      for (words, isGroup) in PluginHost.shownCommands where !isGroup {
        let command = words.joined(separator: " ")
        let help = try HostProcess.run(words + ["--help"]).text
        let options = help.matches(of: #/--([a-z-]+)/#).map(\.output.1)
        #expect(!options.isEmpty)
        #expect(synopsis.contains("\n.Cm \(command)\n"), "\(command)")
        for option in Set(options) { #expect(manual.contains("-\(option)"), "--\(option) of \(command)") }
      }
    }
  }
}
