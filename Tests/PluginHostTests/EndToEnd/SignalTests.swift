import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Signals that end the host, although a plugin in its process changed their dispositions.
  @Suite struct SignalTests {
    /// Runs a function of the plugin, and sends it signals once it has written "for ever".
    ///
    /// - Parameter signals: sent once each, in their order; the last is sent again and again if `isRepeated`.
    private func ending(
      of function: String, _ environment: [String], by signals: [Int32], isRepeated: Bool = false
    ) throws -> HostProcess.Ending {
      // The tests may run under nohup, or in the background.
      let host = try HostProcess(
        ["--default-signal=INT,TERM,HUP"] + environment
          + [
            HostProcess.executable.path, "call", "--isolation", "in-process", "--progress", "plain", "ignoring",
            function,
          ])
      host.process.executableURL = URL(filePath: "/usr/bin/env")
      let errors = Pipe()
      host.process.standardError = errors
      try host.process.run()
      var text = ""
      while !text.contains("for ever") {
        let data = errors.fileHandleForReading.availableData
        if data.isEmpty { break }
        text += String(decoding: data, as: UTF8.self)
      }
      for signal in signals { kill(host.process.processIdentifier, signal) }
      let deadline = Date(timeIntervalSinceNow: 60)
      while isRepeated, let last = signals.last, host.process.isRunning, Date() < deadline {
        kill(host.process.processIdentifier, last)
        usleep(5_000)
      }
      return try host.wait()
    }

    @Test(
      arguments: [("constructor", "ignore"), ("constructor", "handle"), ("load", "ignore"), ("load", "handle")],
      [SIGINT, SIGTERM, SIGHUP])
    func aPluginThatIsLoadedDoesNotKeepThem(_ change: (place: String, kind: String), signal: Int32) throws {
      let ending = try ending(
        of: "wait_for_ever", ["SIGNALS=\(change.place)", "CHANGE=\(change.kind)"], by: [signal])
      #expect(ending.signal == signal)
    }

    @Test(arguments: ["change_and_wait", "change_and_block"], ["ignore", "handle"])
    func aCallDoesNotKeepThem(function: String, change: String) throws {
      let ending = try ending(of: function, ["CHANGE=\(change)"], by: [SIGTERM], isRepeated: true)
      #expect(ending.signal == SIGTERM)
    }

    @Test("a signal that comes before the call has returned ends the command, as one that comes later")
    func aSignalOfTheCall() throws {
      for _ in 0..<8 {
        let ending = try HostProcess.run("call", "--isolation", "in-process", "kinds", "start", "kill -TERM $PPID")
        #expect(ending.signal == SIGTERM && ending.text == "", "\(ending)")
        let script = "kinds.start 'kill -TERM $PPID'\nkinds.tiny 1\n"
        let session = try HostProcess.run("shell", "--isolation", "in-process", input: script)
        #expect(session.signal == SIGTERM && session.text == "", "\(session)")
      }
    }

    @Test func signalsThatTheParentIgnoresStayIgnored() throws {
      for change in [[], ["SIGNALS=load", "CHANGE=default"]] {
        let ending = try ending(of: "wait_for_ever", ["--ignore-signal=HUP"] + change, by: [SIGHUP, SIGTERM])
        #expect(ending.signal == SIGTERM)
      }
    }

    @Test func aFailedWriteOfAPluginIsItsError() throws {
      for change in [[:], ["SIGNALS": "constructor", "CHANGE": "default"], ["SIGNALS": "load", "CHANGE": "default"]] {
        let ending = try HostProcess.run(
          ["call", "--isolation", "in-process", "ignoring", "write_to_nobody"], environment: change)
        #expect(ending.text == "\(EPIPE)\n" && ending.status == 0, "\(ending.errors)")
      }
    }
  }
}
