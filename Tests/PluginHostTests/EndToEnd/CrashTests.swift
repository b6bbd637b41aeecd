import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Fatal signals, and an exit, outside of the thread of a call.
  @Suite struct CrashTests {
    private static let nowhere = "on a thread that runs no function of a plugin"

    @Test("a trap ends the process, though its handler would return behind the instruction")
    func aTrapEndsTheProcess() throws {
      for isolation in ["in-process", "thread"] {
        let ending = try HostProcess.run("call", "--isolation", isolation, "unsettling", "trap")
        #expect(ending.signal == SIGTRAP && ending.text == "", "\(ending)")
        let report = "plugin-host: org.example.unsettling.trap: SIGTRAP in this call: the process ends\n"
        #expect(ending.errors.hasPrefix(report), "\(ending)")
      }
      let worker = try HostProcess.run("call", "--isolation", "process", "unsettling", "trap")
      #expect(worker.status == 1 && worker.text == "" && worker.errors.contains("SIGTRAP"), "\(worker)")
    }

    @Test(
      "a signal on a thread of the plugin's is reported",
      arguments: [
        (SIGILL, "SIGILL"), (SIGTRAP, "SIGTRAP"), (SIGABRT, "SIGABRT"), (SIGBUS, "SIGBUS"), (SIGFPE, "SIGFPE"),
        (SIGSEGV, "SIGSEGV"), (SIGSYS, "SIGSYS"),
      ])
    func aSignalOnAnotherThreadIsReported(signal: Int32, name: String) throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "in-process", "--progress", "off", "unsettling", "raise_on_thread", "\(signal)")
      #expect(ending.signal == signal && ending.text == "", "\(ending)")
      // The runtime of Swift may add a backtrace.
      #expect(ending.errors.hasPrefix("plugin-host: \(name) \(Self.nowhere): the process ends\n"), "\(ending)")
    }

    @Test("a crash on a thread of the plugin's is reported with the plugin's file")
    func aCrashOnAnotherThreadIsReported() throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "in-process", "--progress", "off", "unsettling", "crash_on_thread")
      #expect(ending.signal == SIGSEGV && ending.text == "", "\(ending)")
      let report = "plugin-host: \(FixturePlugins.path("unsettling")): SIGSEGV \(Self.nowhere): the process ends\n"
      #expect(ending.errors.hasPrefix(report), "\(ending)")
    }

    @Test("exit() on a thread of the plugin's during unload() is a failure")
    func exitDuringUnloadIsAFailure() throws {
      let ending = try HostProcess.run(
        ["call", "--isolation", "in-process", "mortal", "echo", "1"], environment: ["HANG_IN": "thread"])
      #expect(ending.status == 1 && ending.text == "1\n", "\(ending)")
      let report = "plugin-host: code of a plugin called exit(), outside of its functions: the process ends\n"
      #expect(ending.errors == report, "\(ending)")
    }

    @Test("a time limit ends the process although nobody reads its standard error")
    func unreadErrors() throws {
      let host = try HostProcess(
        ["call", "--plugin-timeout", "3", "--isolation", "in-process", "mortal", "echo", "1"],
        environment: ["HANG_IN": "load"])
      let pipe = Pipe()
      let end = pipe.fileHandleForWriting.fileDescriptor
      let bytes = [UInt8](repeating: 0, count: 4_096)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      while write(end, bytes, bytes.count) > 0 {}
      _ = fcntl(end, F_SETFL, 0)
      host.process.standardError = pipe
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.status == 3 && ending.text == "", "\(ending)")
    }

    @Test("an exit handler that unload() registers has a time limit", arguments: ["in-process", "thread", "process"])
    func anExitHandlerOfUnloadHasALimit(isolation: String) throws {
      let given = isolation == "process" ? ["--allow", "env=HANG_IN"] : []
      func run(_ seconds: Int, _ call: [String]) throws -> HostProcess.Ending {
        try HostProcess.run(
          ["call", "--isolation", isolation, "--plugin-timeout", "\(seconds)"] + given + ["mortal"] + call,
          environment: ["HANG_IN": "exit handler"])
      }
      // A short limit may pass on a slow machine before the plugin is loaded.
      let endings = try [1, 8].map { try run($0, ["echo", "1"]) }
      let ending = endings.first { $0.text == "1\n" } ?? endings[1]
      #expect(ending.status == 3 && ending.text == "1\n", "\(ending)")
      let report = isolation == "process" ? "it did not exit" : "ms from its exit handlers"
      #expect(ending.errors.contains(report), "\(ending)")
      // An earlier failure keeps its status.
      #expect(try run(8, ["refuse"]).status == 1)
    }

    @Test(
      "pthread_exit() in the function that frees a result rejects the call",
      arguments: [("give_bytes", "result"), ("give_texts", "result"), ("give_text", "given")],
      ["in-process", "thread", "process"])
    func anExitWhileFreeingIsARejection(_ call: (function: String, output: String), isolation: String) throws {
      let ending = try HostProcess.run("call", "--isolation", isolation, "unsettling", call.function)
      #expect(ending.status == 1 && ending.text == "", "\(ending)")
      let fault = "returned '\(call.output)' that was not freed: unsettling_free() tried to end its thread"
      #expect(ending.errors.contains("unsettling.\(call.function): \(fault)"), "\(ending)")
    }

    @Test("a limit of descriptors that poll() refuses its entries for stops nothing", arguments: [4, 2, 0])
    func aLimitOfDescriptorsStopsNothing(count: Int) throws {
      let file = try PipelineFile(
        """
        plugins: [unsettling, {plugin: kinds, isolation: process}]
        steps:
          first: {call: kinds.tiny, with: {x: 1}}
          change: {call: unsettling.limit_descriptors, with: {count: \(count)}, after: first}
          last: {call: kinds.tiny, with: {x: 2}, after: change}
        result: last
        """)
      let ending = try HostProcess.run("run", "--isolation", "in-process", "--progress", "off", file.path)
      #expect(ending.status == 0 && ending.text == "2\n", "\(ending)")
    }
  }
}
