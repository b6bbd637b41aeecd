import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Time limits of calls, and functions that go on after theirs.
  @Suite struct PipelineTimeTests {
    /// Runs a pipeline in whose commands `$D` is its folder.
    private func run(_ steps: String, _ options: String...) throws -> (ending: HostProcess.Ending, log: String) {
      let file = try PipelineFile("")
      let text = "plugins: [kinds, later]\n\(steps)\n".replacing("$D", with: file.folder.path)
      try Data(text.utf8).write(to: URL(filePath: file.path))
      let ending = try HostProcess.run(["run", "--log", "off"] + options + [file.path])
      let log = (try? String(contentsOf: file.folder.appending(path: "log"), encoding: .utf8)) ?? ""
      return (ending, log)
    }

    @Test("a time limit begins with the call, not while that waits for the thread of its plugin")
    func waitingForAPlugin() throws {
      let (ending, _) = try run(
        """
        steps:
          a: {call: later.await_file, with: {path: $D/go}}
          b: {call: later.alone, timeout: 2}
          c: {call: kinds.start, with: {command: "sleep 2.5; touch $D/go"}}
        """, "--isolation", "thread")
      #expect(ending.status == 0, "\(ending.errors)")
    }

    @Test(
      "a serial call begins once the one before it has returned, also after that one's time limit",
      arguments: [
        "", ", retry: {times: 1, delay: 1ms}",
      ])
    func waitingForASerialCall(retry: String) throws {
      let (ending, _) = try run(
        """
        steps:
          a: {call: later.await_file, serial: q, timeout: 0.1, with: {path: $D/go}, rescue: {value: 7}\(retry)}
          b: {call: later.alone, serial: q, timeout: 2}
          c: {call: kinds.start, with: {command: "sleep 2.5; touch $D/go"}}
        result: [a, c]
        """)
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(retry.isEmpty ? ending.text.contains("\"a\":7") : true, "\(ending)")
    }

    @Test("in a worker too, whose other calls would be rejected if it were killed")
    func waitingForACallInAWorker() throws {
      let (ending, _) = try run(
        """
        steps:
          a: {call: later.await_file, serial: q, timeout: 0.1, with: {path: $D/go}, rescue: {value: 7}}
          b: {call: later.alone, serial: q, timeout: 10}
        """, "--isolation", "process")
      #expect(ending.status == 0, "\(ending.errors)")
    }

    @Test(
      "discard blocks that never return hold up neither each other nor the end, in which their plugin is named",
      arguments: ["in-process", "thread"])
    func stubborn(isolation: String) throws {
      let (ending, _) = try run(
        "steps: {a: {call: later.stubborn, timeout: 0.1, each: [1, 2, 3, 4, 5, 6, 7, 8, 9]}}", "--isolation", isolation,
        "--log", "warning")
      #expect(ending.status == 3 && ending.errors.contains("not unloaded"), "\(ending)")
      #expect(ending.errors.components(separatedBy: "discard begins").count == (isolation == "thread" ? 2 : 10))
    }

    /// Commands that run at the same time write to the log.
    private static let command = "mkdir $D/l || echo both >> $D/log; sleep 0.6; rmdir $D/l"

    @Test(
      "a call whose time is over counts until its function has returned",
      arguments: [
        "each: [1, 2, 3], limit: 1", "each: [1, 2], limit: 1, retry: {times: 1, delay: 1ms}",
      ])
    func calledOneAtATime(each: String) throws {
      let (ending, log) = try run(
        "steps: {a: {call: kinds.start, \(each), timeout: 0.05, rescue: {value: 9}, "
          + "with: {command: \"\(Self.command)\"}}}")
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(ending.text.contains("[9,9"), "\(ending)")
      #expect(log == "")
    }

    @Test func jobsOneAtATime() throws {
      let step = "{call: kinds.start, timeout: 0.05, rescue: {value: 9}, with: {command: \"\(Self.command)\"}}"
      let (ending, log) = try run("steps:\n  a: \(step)\n  b: \(step)\n  c: \(step)\n", "-j", "1")
      #expect(ending.text == "9\n", "\(ending.errors)")
      #expect(log == "")
    }

    @Test("functions that never return hold up the calls behind them for --plugin-timeout")
    func functionsThatNeverReturn() throws {
      let block = "call: later.block, timeout: 0.05, rescue: {value: null}"
      let (each, _) = try run(
        "steps: {a: {\(block), each: [1, 2], limit: 1}}", "--plugin-timeout", "2", "--isolation", "in-process")
      #expect(each.status == 0, "\(each.errors)")
      let (serial, _) = try run(
        "steps: {a: {\(block), serial: q}, b: {call: later.alone, serial: q}}", "--plugin-timeout", "2",
        "--isolation", "in-process")
      #expect(serial.status == 1)
      #expect(
        serial.errors.hasSuffix(
          "plugin-host: b: not called: a call before it on its thread was given up, and has not returned\n"),
        "\(serial.errors)")
      let (own, _) = try run(
        "steps: {a: {\(block)}, b: {call: later.alone}}", "--plugin-timeout", "2", "--isolation", "thread")
      #expect(own.errors.contains("b: not called: a call before it"), "\(own.errors)")
    }

    @Test("a call whose function has returned leaves the thread of its plugin, though its promise is pending")
    func promisesBesideCallsOfAThread() throws {
      let (ending, log) = try run(
        """
        steps:
          a: {call: later.never}
          b: {call: later.most}
          c: {call: kinds.start, after: b, with: {command: "echo made >> $D/log; kill -TERM $PPID"}}
        """, "--timeout", "60", "--isolation", "thread")
      #expect(ending.signal == SIGTERM && log == "made\n", "\(ending)")
    }

    @Test("a blocked thread does not reject the calls that it has made, whose promises are pending")
    func promisesOfABlockedThread() throws {
      let (ending, _) = try run(
        "steps: {a: {call: later.never, timeout: 4}, b: {call: later.block, timeout: 0.05}}", "--plugin-timeout", "1",
        "--isolation", "thread")
      #expect(ending.errors.contains("a: timed out after 4 s"), "\(ending.errors)")
    }

    @Test("the time of the run is the reason for the end of a stream", arguments: 0..<4)
    func streams(round: Int) throws {
      let (ending, _) = try run(
        """
        steps:
          e: {call: later.ahead, with: {n: 1000000, f: {stream: 1}}}
          s: {call: kinds.start, with: {command: sleep 0.02}, each: {stream: e}, limit: 1}
        """, "--timeout", "0.5", "--progress", "off")
      #expect(ending.status == 3, "\(ending.errors)")
      #expect(ending.errors.hasPrefix("plugin-host: e: timed out after 0.5 s\n"), "\(ending.errors)")
    }
  }
}
