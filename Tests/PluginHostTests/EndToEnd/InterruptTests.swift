import Foundation
import Glibc
import Testing

extension EndToEnd {
  @Suite struct InterruptTests {
    /// Starts a command, and sends it signals once it has written `line`.
    private func interrupted(
      _ arguments: [String], after line: String, by signals: [Int32] = [SIGINT]
    ) throws -> (lines: [String], ending: HostProcess.Ending) {
      // The host ignores signals that its parent ignores, and these tests may run under nohup, or in the background.
      let defaults = ["--default-signal=INT,TERM,HUP", HostProcess.executable.path]
      let host = try HostProcess(defaults + arguments)
      host.process.executableURL = URL(filePath: "/usr/bin/env")
      let errors = Pipe()
      host.process.standardError = errors
      try host.process.run()
      var text = ""
      while !text.contains(line) {
        let data = errors.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
      }
      for signal in signals { kill(host.process.processIdentifier, signal) }
      text += String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      return (text.split(separator: "\n").map(String.init), try host.wait())
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func discardsRunningCallsAndEndsByTheSignal(signal: Int32) throws {
      let file = try PipelineFile(
        "plugins: [later, kinds]\nsteps: {a: {call: later.never, rescue: {value: ~}}, b: {call: kinds.tiny, after: a}}")
      let (lines, ending) = try interrupted(["run", file.path], after: "a: for ever", by: [signal])
      #expect(ending.signal == signal)
      #expect(ending.text == "")
      #expect(
        lines.sorted() == [
          "a: for ever", "a: interrupted", "a: started later.never", "b: interrupted",
          "org.example.later: error: discarded",
        ])
    }

    @Test func aFunctionThatDoesNotReturnDoesNotHoldItUp() throws {
      let file = try PipelineFile("plugins: [later]\nsteps: {a: {call: later.block}}")
      let (_, ending) = try interrupted(["run", file.path], after: "a: started")
      #expect(ending.signal == SIGINT)
    }

    @Test(arguments: ["in-process", "process"])
    func theTraceOfAnInterruptedCallIsWritten(isolation: String) throws {
      let folder = try TemporaryFolder()
      let (lines, ending) = try interrupted(
        ["call", "--isolation", isolation, "--trace", folder.path("trace"), "--progress", "plain", "later", "never"],
        after: "never: for ever")
      #expect(ending.signal == SIGINT, "\(lines)")
      let trace = try JSONSerialization.jsonObject(with: Data(folder.text("trace").utf8)) as? [String: Any]
      #expect((trace?["traceEvents"] as? [Any])?.isEmpty == false, "\(trace ?? [:])")
    }

    @Test func aCallIsInterruptedToo() throws {
      let (lines, ending) = try interrupted(
        ["call", "--progress", "plain", "later", "never"], after: "never: for ever")
      #expect(ending.signal == SIGINT)
      #expect(lines == ["never: for ever", "org.example.later: error: discarded"])
    }
  }
}
