import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// The keys of the line editor, on a terminal.
  @Suite struct ShellEditingTests {
    private static let (left, right, up, down, delete) = (
      "\u{1B}[D", "\u{1B}[C", "\u{1B}[A", "\u{1B}[B", "\u{1B}[3~"
    )

    /// Types lines, each after the one before it has run. Returns the printed results.
    private func results(_ lines: [(keys: String, line: String)]) throws -> String {
      let (drawing, ending) = try terminalSession { terminal, _ in
        for (keys, line) in lines {
          let times = terminal.runs(of: line) + 1
          terminal.type(keys + "\r")
          waitForPrompt(terminal, after: line, times: times)
        }
      }
      #expect(ending.status == 0, "\(drawing)")
      return ending.text
    }

    @Test func keysMoveTheCursorAndRemoveText() throws {
      let (left, right) = (Self.left, Self.right)
      let text = try results([
        ("12\(left)\(right)3\u{1}kinds.tiny ", "kinds.tiny 123"),
        ("kinds.tiny 7junk\(left)\(left)\(left)\(left)\u{B}", "kinds.tiny 7"),
        ("junk kinds.tiny 8\u{1}\u{1B}f\(right)\u{15}", "kinds.tiny 8"),
        ("kinds.tiny 9 junk\u{17}", "kinds.tiny 9"),
        ("kinds.tiny 46\u{1B}b\(Self.delete)", "kinds.tiny 6"),
        ("kinds.tiny 5\u{1}\u{5}0", "kinds.tiny 50"),
      ])
      #expect(text == "123\n7\n8\n9\n6\n50\n")
    }

    @Test func theHistoryLeadsBackAndForth() throws {
      let text = try results([
        ("kinds.tiny 1", "kinds.tiny 1"), ("kinds.tiny 2", "kinds.tiny 2"),
        (Self.up + Self.up + Self.down, "kinds.tiny 2"), ("kinds.tiny 3" + Self.up + Self.down, "kinds.tiny 3"),
      ])
      #expect(text == "1\n2\n2\n3\n")
    }

    @Test func severalCompletionsAreListed() throws {
      let (drawing, _) = try terminalSession { terminal, _ in
        terminal.type("kinds.t\t")
        #expect(terminal.wait { $0.contains("kinds.tiny") && $0.contains("kinds.total") })
        // The line is as it was.
        terminal.type("iny 4\r")
        waitForPrompt(terminal, after: "kinds.tiny 4")
      }
      #expect(drawing.contains("\r\nkinds.t"), "\(drawing)")
    }

    @Test("a terminal that hangs up ends the session")
    func hangUp() throws {
      let terminal = PseudoTerminal()
      let host = try HostProcess(["shell", "--progress", "plain"])
      host.process.standardInput = terminal.handle
      host.process.standardError = terminal.handle
      try host.process.run()
      #expect(terminal.wait { $0.contains("plugin-host> ") })
      terminal.type("kinds.tiny 4\r")
      waitForPrompt(terminal, after: "kinds.tiny 4")
      terminal.hangUp()
      let ending = try host.wait()
      #expect(ending.status == 0 && ending.text == "4\n", "\(ending)")
    }

    @Test func anInterruptionByASignalDropsTheLine() throws {
      let (drawing, ending) = try terminalSession { terminal, process in
        terminal.type("junk ")
        #expect(terminal.wait { $0.contains("plugin-host> junk ") })
        kill(process.processIdentifier, SIGINT)
        #expect(terminal.wait { $0.contains("^C") })
        terminal.type("kinds.tiny 4\r")
        waitForPrompt(terminal, after: "kinds.tiny 4")
      }
      #expect(ending.status == 0, "\(drawing)")
      #expect(ending.text == "4\n", "\(drawing)")
    }
  }
}

extension PseudoTerminal {
  /// Returns the number of ended rows with that text.
  fileprivate func runs(of line: String) -> Int {
    var count = 0
    wait { drawing in
      count = drawing.components(separatedBy: "\r\n").dropLast().count { $0.contains(line) }
      return true
    }
    return count
  }
}
