import Foundation
import Testing

/// Runs `plugin-host shell` on a terminal, with its results in a file, and ends it by Ctrl-D.
func terminalSession(
  environment: [String: String] = [:], _ body: (PseudoTerminal, Process) -> Void
) throws -> (drawing: String, ending: HostProcess.Ending) {
  let terminal = PseudoTerminal()
  let host = try HostProcess(["shell", "--progress", "plain"], environment: environment)
  host.process.standardInput = terminal.handle
  host.process.standardError = terminal.handle
  try host.process.run()
  #expect(terminal.wait { $0.contains("plugin-host> ") })
  body(terminal, host.process)
  terminal.type("\u{4}")
  let ending = try host.wait()
  #expect(terminal.isInLineMode)
  return (terminal.contents(), ending)
}

/// Waits until a line with that text has run `times` times, and the next one can be typed.
func waitForPrompt(_ terminal: PseudoTerminal, after text: String, times: Int = 1) {
  let isThere = terminal.wait { drawing in
    let rows = drawing.components(separatedBy: "\r\n")
    guard let last = rows.dropLast().lastIndex(where: { $0.contains(text) }) else { return false }
    // A plugin's log may end the row of the prompt.
    return rows.dropLast().count { $0.contains(text) } >= times
      && rows[(last + 1)...].contains { $0.contains("plugin-host> ") }
  }
  #expect(isThere, "\(text)")
}
