import Foundation
import Testing

extension EndToEnd {
  /// A child that plugin code forks never goes on as a second host.
  @Suite struct ForkTests {
    private static let id = "org.example.forking"

    private func line(_ subject: String, _ place: String) -> String {
      "\(subject): forked in \(place), and the child process returned into the host instead of ending by exec() or "
        + "_exit(): the child ends\n"
    }

    @Test(
      arguments: [
        ("initialiser", "its initialisers, while it was being loaded"), ("entry", "promise_plugin_entry()"),
        ("load", "load()"), ("call", "this call"), ("unload", "unload()"),
      ], ["fork", "_Fork"])
    func aChildThatReturnsEnds(_ fork: (place: String, text: String), by function: String) throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "in-process", "forking", "answer",
        environment: ["FORK_IN": fork.place, "FORK_BY": function])
      #expect(ending.status == 0 && ending.text == "5\n", "\(ending)")
      let subject = ["call": "\(Self.id).answer", "unload": Self.id][fork.place] ?? FixturePlugins.path("forking")
      // The entry is called twice: for the description, and to load the plugin.
      let line = "plugin-host: " + line(subject, fork.text)
      #expect(ending.errors == (fork.place == "entry" ? line + line : line))
    }

    @Test func aChildMayCallBack() throws {
      let ending = try HostProcess.run("call", "forking", "ask", "f=x + 1", environment: ["FORK_IN": "callback"])
      #expect(ending.status == 0 && ending.text == "6\n", "\(ending)")
      #expect(ending.errors == "")
    }

    @Test func aChildOfAWorkerEnds() throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "process", "--allow", "processes", "--allow", "env=FORK_IN", "forking", "answer",
        environment: ["FORK_IN": "call"])
      #expect(ending.status == 0 && ending.text == "5\n", "\(ending)")
      #expect(ending.errors.hasSuffix(line("\(Self.id).answer", "this call")), "\(ending.errors)")
    }

    @Test func aChildOfAWorkerSettlesNothingOutside() throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "process", "--allow", "processes", "forking", "settle")
      #expect(ending.status == 0 && ending.text == "7\n" && ending.errors == "", "\(ending)")
    }

    @Test func aChildOfAWorkerHasNoCallbacks() throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "process", "--allow", "processes", "--allow", "env=FORK_IN", "forking", "ask", "f=x + 1",
        environment: ["FORK_IN": "callback"])
      #expect(ending.status == 0 && ending.text == "6\n" && ending.errors == "", "\(ending)")
    }

    @Test func aChildOfAWorkerEndsWithTheHost() throws {
      let host = try HostProcess(["call", "--allow", "processes", "forking", "leave_child"])
      try host.process.run()
      let deadline = Date(timeIntervalSinceNow: 60)
      var child: Int32?
      while child == nil, Date() < deadline {
        child = host.errorsSoFar.firstMatch(of: #/child ([0-9]+)\./#).flatMap { Int32($0.1) }
        usleep(5_000)
      }
      let number = try #require(child)
      kill(host.process.processIdentifier, SIGKILL)
      #expect(try host.wait().signal == SIGKILL)
      while Self.isRunning(number), Date() < deadline { usleep(5_000) }
      #expect(!Self.isRunning(number))
    }

    /// Whether a process has not ended; one that nobody has waited for yet has.
    static func isRunning(_ process: Int32) -> Bool {
      guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
      return !text.contains(") Z ") && !text.contains(") X ")
    }

    @Test(arguments: ["take_children", "ignore_children"])
    func aWorkerWhoseStatusIsTakenHasUnloaded(by function: String) throws {
      let file = try PipelineFile(
        "plugins: [{plugin: forking, isolation: in-process}, {plugin: kinds, isolation: process}]\n"
          + "steps: {a: {call: kinds.whole, with: {x: 3}}, b: {call: forking.\(function), after: a}}\nresult: a")
      let ending = try HostProcess.run("run", file.path)
      #expect(ending.status == 0 && ending.text == "3\n" && !ending.errors.contains("its worker process"), "\(ending)")
    }

    @Test(arguments: ["exec", "_exit"])
    func aChildThatDoesNotReturnIsThePlugins(end: String) throws {
      let ending = try HostProcess.run("call", "forking", "child_of", end)
      #expect(ending.status == 0 && ending.text == "7\n" && ending.errors == "", "\(ending)")
    }
  }
}
