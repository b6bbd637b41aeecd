import Foundation
import Testing

extension EndToEnd {
  @Suite struct TerminalTests {
    /// Runs the host on a terminal, and returns the drawing.
    private func drawing(
      _ arguments: [String], output: Bool = false, environment: [String: String] = [:]
    ) throws -> (text: String, ending: HostProcess.Ending) {
      let terminal = PseudoTerminal()
      let host = try HostProcess(arguments, environment: environment)
      if output { host.process.standardOutput = terminal.handle } else { host.process.standardError = terminal.handle }
      try host.process.run()
      let ending = try host.wait()
      return (terminal.contents(), ending)
    }

    @Test func drawsThePipeline() throws {
      let file = try PipelineFile(
        """
        plugins: [kinds, later]
        steps:
          one: {call: kinds.tiny}
          two: {call: later.slowly, with: {steps: 3}, after: one}
          bad: {call: kinds.fail, with: {message: broken}}
        """)
      let (text, ending) = try drawing(["run", file.path], environment: ["NO_COLOR": "1"])
      #expect(ending.status == 1)
      // The last drawing stays.
      let last = String(text.split(separator: #/\x1B\[[0-9]+A\r/#).last ?? "")
      let lines = last.replacing("\u{1B}[K", with: "").replacing("\u{1B}[J", with: "").withoutTimes.components(
        separatedBy: "\r\n"
      ).map {
        $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
      }
      #expect(
        lines == [
          "✓ one kinds.tiny -3 0 s", "✓ two later.slowly 3 0 s", "✗ bad kinds.fail broken (fixture 7) 0 s",
          "plugin-host: bad: broken (fixture 7)", "",
        ])
    }

    @Test func redrawsWhileAStepRuns() throws {
      let file = try PipelineFile(
        "plugins: [later]\nset: {path: ~}\nsteps: {a: {call: later.await_file, with: {path: \"${path}\"}}}")
      let gate = file.folder.appending(path: "gate")
      let terminal = PseudoTerminal()
      let host = try HostProcess(["run", "--set", "path=\(gate.path)", file.path])
      host.process.standardError = terminal.handle
      try host.process.run()
      // Two drawings, the second over the first, and only then may the step end.
      terminal.wait(until: { $0.contains("\u{1B}[34m▸\u{1B}[0m a") && $0.contains("\u{1B}[1A\r\u{1B}[34m▸") })
      try Data().write(to: gate)
      let ending = try host.wait()
      #expect(ending.status == 0)
      #expect(terminal.contents().contains("\u{1B}[32m✓\u{1B}[0m a"))
    }

    /// The machine decides whether a call is quick: `TerminalProgressTests` tests drawing before the delay is over.
    @Test func nothingStaysOfACall() throws {
      let text = try drawing(["call", "kinds", "tiny"]).text
      #expect(text.isEmpty || text.hasSuffix("A\r\u{1B}[J"))
    }

    @Test func aDumbTerminalGetsLines() throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps: {a: {call: kinds.tiny}}")
      let (text, _) = try drawing(["run", file.path], environment: ["TERM": "dumb"])
      #expect(text.withoutTimes == "a: started kinds.tiny\r\na: fulfilled in 0 s: -3\r\n")
    }

    @Test func binaryIsNotWrittenToATerminal() throws {
      let refused = try drawing(["call", "--raw", "kinds", "blob", "\u{1}"], output: true)
      #expect(refused.text == "")
      #expect(refused.ending.status == 1)
      #expect(
        refused.ending.errors == "plugin-host: the result is binary, 1 byte, and not written to a terminal; "
          + "redirect it, name a file with --output, or insist with --output -\n")
      #expect(try drawing(["call", "--raw", "--output", "-", "kinds", "blob", "\u{1}"], output: true).text == "\u{1}")
      #expect(try drawing(["call", "--raw", "kinds", "blob", "text"], output: true).text == "text")
      #expect(try drawing(["call", "kinds", "blob", "\u{1}"], output: true).text == "\"AQ==\"\r\n")
    }
  }
}
