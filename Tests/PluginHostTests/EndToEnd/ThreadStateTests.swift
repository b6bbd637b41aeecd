import Glibc
import Testing

extension EndToEnd {
  /// Changes that code of a plugin makes to its thread affect no later call, though calls share threads.
  @Suite struct ThreadStateTests {
    /// Runs lines in a session, whose calls are made one after the other.
    private func session(_ lines: String..., isolation: String = "in-process") throws -> HostProcess.Ending {
      let lines = lines.map { "unsettling.\($0)" }
      return try HostProcess.run("shell", "--isolation", isolation, input: lines.joined(separator: "\n") + "\n")
    }

    @Test(arguments: ["in-process", "thread", "process"])
    func theModesOfArithmeticAreRestored(isolation: String) throws {
      let ending = try session("round_up", "divide 1 3", "same 5e-324", "same 0.3", isolation: isolation)
      #expect(ending.text == "0\n0.3333333333333333\n5e-324\n0.3\n", "\(ending)")
    }

    @Test(arguments: [
      ("block_signal", "blocks_signal"), ("use_locale", "has_locale"), ("refuse_cancellation", "refuses_cancellation"),
    ])
    func theStateOfAThreadIsRestored(change: String, question: String) throws {
      let ending = try session(change, question, question)
      #expect(ending.text == "0\n0\n0\n", "\(ending)")
    }

    @Test func theStackForSignalHandlersIsRestored() throws {
      let ending = try session("drop_signal_stack", "overflow 1")
      #expect(ending.errors.contains("org.example.unsettling.overflow: SIGSEGV in this call"), "\(ending)")
    }
  }

  /// Signals that no handler of the program takes.
  @Suite struct DeadlySignalTests {
    // A shell starts programs in the background with SIGQUIT ignored.
    private static let signals: [(Int32, String)] = [
      (SIGALRM, "SIGALRM"), (SIGVTALRM, "SIGVTALRM"), (SIGPROF, "SIGPROF"), (SIGUSR1, "SIGUSR1"), (SIGUSR2, "SIGUSR2"),
      (SIGXCPU, "SIGXCPU"), (SIGPOLL, "SIGPOLL"), (SIGPWR, "SIGPWR"), (SIGSTKFLT, "SIGSTKFLT"),
    ]

    @Test(arguments: signals)
    func oneOfThePluginsIsReportedWithItsFunction(signal: Int32, name: String) throws {
      let ending = try HostProcess.run("call", "unsettling", "raise_signal", "\(signal)")
      #expect(ending.signal == signal && ending.text == "", "\(ending)")
      #expect(
        ending.errors == "plugin-host: org.example.unsettling.raise_signal: \(name) in this call: the process ends\n")
    }

    @Test(arguments: signals)
    func oneOfTheProcessIsReported(signal: Int32, name: String) throws {
      let ending = try HostProcess.run("call", "--progress", "off", "unsettling", "send_signal", "\(signal)")
      #expect(ending.signal == signal && ending.text == "", "\(ending)")
      // The system chooses the thread: that of the call, or another.
      let reports = ["org.example.unsettling.send_signal: \(name) in this call", name]
      #expect(reports.contains { ending.errors == "plugin-host: \($0): the process ends\n" }, "\(ending)")
    }
  }
}
