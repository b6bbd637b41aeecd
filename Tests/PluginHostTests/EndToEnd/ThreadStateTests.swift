import Foundation
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
      let ending = try session(
        "round_up", "divide 1 3", "divide_long 1 3", "same 5e-324", "same 0.3", isolation: isolation)
      #expect(ending.text == "0\n0.3333333333333333\n0.3333333333333333\n5e-324\n0.3\n", "\(ending)")
    }

    @Test(arguments: [
      ("block_signal", "blocks_signal"), ("use_locale", "has_locale"), ("refuse_cancellation", "refuses_cancellation"),
      ("cancel_anywhere", "cancels_anywhere"),
    ])
    func theStateOfAThreadIsRestored(change: String, question: String) throws {
      let ending = try session(change, question, question)
      #expect(ending.text == "0\n0\n0\n", "\(ending)")
    }

    @Test(
      "a step of a pipeline does not find the changes of the step before it, whose thread it may reuse",
      arguments: ["in-process", "process"],
      [
        ("block_signal", "blocks_signal"), ("use_locale", "has_locale"),
        ("refuse_cancellation", "refuses_cancellation"), ("cancel_anywhere", "cancels_anywhere"),
      ])
    func theStateOfAPooledThreadIsRestored(isolation: String, names: (change: String, question: String)) throws {
      let questions = (0..<5).map { number in
        "  q\(number): {call: unsettling.\(names.question), after: \(number == 0 ? "change" : "q\(number - 1)")}"
      }
      let file = try PipelineFile(
        """
        plugins: [unsettling]
        steps:
          change: {call: unsettling.\(names.change)}
        \(questions.joined(separator: "\n"))
        result: [q0, q1, q2, q3, q4]
        """)
      let ending = try HostProcess.run("run", "--isolation", isolation, "--progress", "off", file.path)
      #expect(ending.text == #"{"q0":0,"q1":0,"q2":0,"q3":0,"q4":0}"# + "\n", "\(ending)")
    }

    @Test(
      "calls of a session share a thread, also with calls of other plugins between them",
      arguments: ["in-process", "process"])
    func oneThread(isolation: String) throws {
      let lines = (0..<20).flatMap { _ in ["unsettling.thread", "kinds.text x=between"] }
      let ending = try HostProcess.run(
        "shell", "--isolation", isolation, input: lines.joined(separator: "\n") + "\n")
      let threads = ending.text.split(separator: "\n").filter { $0 != "\"between\"" }
      #expect(threads.count == 20 && Set(threads).count == 1, "\(ending)")
    }

    @Test func aCallThatIsGivenUpKeepsItsThread() throws {
      let (drawing, ending) = try terminalSession { terminal, host in
        terminal.type("unsettling.thread\r")
        waitForPrompt(terminal, after: "unsettling.thread")
        terminal.type("unsettling.nap 60000\r")
        #expect(terminal.wait { $0.contains("napping") })
        kill(host.processIdentifier, SIGINT)
        waitForPrompt(terminal, after: "plugin-host: interrupted")
        terminal.type("unsettling.thread\r")
        waitForPrompt(terminal, after: "unsettling.thread", times: 2)
      }
      let threads = ending.text.split(separator: "\n")
      #expect(threads.count == 2 && Set(threads).count == 2, "\(ending) \(drawing)")
    }

    @Test func theStackForSignalHandlersIsRestored() throws {
      let ending = try session("drop_signal_stack", "overflow 1")
      #expect(ending.errors.contains("org.example.unsettling.overflow: SIGSEGV in this call"), "\(ending)")
    }
  }

  /// Changes that code of a plugin makes to its process do not change which files the command reads and writes.
  @Suite struct ProcessStateTests: ~Copyable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: [String], input: String = "") throws -> HostProcess.Ending {
      let host = try HostProcess(arguments, input: Data(input.utf8))
      host.process.currentDirectoryURL = folder.url
      try host.process.run()
      return try host.wait()
    }

    @Test func relativePathsStartFromTheFirstFolder() throws {
      try folder.write("here", to: "text")
      let session = try run(
        ["shell", "--isolation", "in-process"], input: "unsettling.change_folder /\nkinds.text x=@text\n")
      #expect(session.text == "0\n\"here\"\n", "\(session)")
      let call = try run(["call", "--isolation", "in-process", "-o", "result", "unsettling", "change_folder", "/"])
      #expect(call.status == 0, "\(call)")
      #expect(try folder.text("result") == "0\n")
    }

    @Test func newFilesHaveTheFirstMask() throws {
      let ending = try run(["call", "--isolation", "in-process", "-o", "result", "unsettling", "change_mask", "511"])
      #expect(ending.status == 0, "\(ending)")
      #expect(access(folder.path("result"), R_OK) == 0)
      var status = stat()
      #expect(stat(folder.path("result"), &status) == 0 && status.st_mode & 0o400 != 0)
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
      let ending = try HostProcess.run("call", "--isolation", "in-process", "unsettling", "raise_signal", "\(signal)")
      #expect(ending.signal == signal && ending.text == "", "\(ending)")
      #expect(
        ending.errors == "plugin-host: org.example.unsettling.raise_signal: \(name) in this call: the process ends\n")
    }

    @Test("a crash of a destructor is reported, after the result")
    func oneOfADestructorIsReported() throws {
      let ending = try HostProcess.run(
        ["call", "--isolation", "in-process", "mortal", "echo", "1"], environment: ["HANG_IN": "destructor"])
      #expect(ending.signal == SIGSEGV && ending.text == "1\n", "\(ending)")
      let place = "while the exit handlers and destructors of plugins ran"
      // The runtime of Swift may add a backtrace.
      let report = "plugin-host: \(FixturePlugins.path("mortal")): SIGSEGV \(place): the process ends\n"
      #expect(ending.errors.hasPrefix(report), "\(ending)")
    }

    @Test(arguments: signals)
    func oneOfTheProcessIsReported(signal: Int32, name: String) throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "in-process", "--progress", "off", "unsettling", "send_signal", "\(signal)")
      #expect(ending.signal == signal && ending.text == "", "\(ending)")
      // The system chooses the thread: that of the call, or another.
      let reports = ["org.example.unsettling.send_signal: \(name) in this call", name]
      #expect(reports.contains { ending.errors == "plugin-host: \($0): the process ends\n" }, "\(ending)")
    }
  }
}
