import Foundation
import Testing

extension EndToEnd {
  /// Plugins that use `promise_executor_main()`.
  @Suite struct MainExecutorTests {
    private static let places = ["in-process", "thread", "process"]

    @Test(arguments: places) func aCallIsSettledOnTheMainThread(isolation: String) throws {
      for function in ["here", "timed"] {
        let ending = try HostProcess.run("call", "--isolation", isolation, "--timeout", "30", "central", function)
        #expect(ending.text == "true\n" && ending.errors == "" && ending.status == 0, "\(function): \(ending)")
      }
    }

    @Test(arguments: places) func aPipelineIsSettledOnTheMainThread(isolation: String) throws {
      let file = try PipelineFile(
        """
        plugins: [central]
        steps:
          first: {call: central.here}
          second: {call: central.timed, after: [first]}
        result: [first, second]
        """)
      let ending = try HostProcess.run("run", "--isolation", isolation, "--timeout", "30", file.path)
      #expect(ending.text == "{\"first\":true,\"second\":true}\n" && ending.status == 0, "\(ending)")
    }

    @Test(arguments: places) func theShellSettlesOnTheMainThread(isolation: String) throws {
      let ending = try HostProcess.run(
        "shell", "--isolation", isolation, "--timeout", "30", input: "central.here\ncentral.timed\n")
      #expect(ending.text == "true\ntrue\n" && ending.errors == "" && ending.status == 0, "\(ending)")
    }

    @Test func aCheckWaitsForTheMainThread() throws {
      // A call that has no processor for a second adds a note.
      let endings = (0..<3).lazy.map { _ in
        try? HostProcess.run("check", FixturePlugins.path("central"), "--skip", "seize", "--calls", "5")
      }
      #expect(endings.contains { $0?.status == 0 && $0?.text.contains("note:") == false })
    }

    @Test func theHostDoesNotDependOnThePluginsMainLoop() throws {
      let ending = try HostProcess.run(
        "shell", "--timeout", "30", input: "central.seize\ncentral.here\nkinds.tiny 5\n")
      #expect(ending.text == "null\nfalse\n5\n" && ending.errors == "" && ending.status == 0, "\(ending)")
    }
  }
}
