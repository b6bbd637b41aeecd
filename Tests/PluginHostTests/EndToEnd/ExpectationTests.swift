import Foundation
import Testing

extension EndToEnd {
  /// Messages for wrong values, with the values that were expected.
  @Suite struct ExpectationTests {
    @Test(
      "the message for the value of an option names the accepted range",
      arguments: [
        (["call", "--timeout", "1e300", "kinds", "tiny"], "'1e300' is invalid for '--timeout <seconds>': expected a"),
        (["call", "--timeout", "1e300", "kinds", "tiny"], ", below 3.2e10 seconds"),
        (["call", "--recursion-limit", "x", "kinds", "tiny"], ": expected a number from 1 to 1000\n"),
        (["call", "--recursion-limit", "1001", "kinds", "tiny"], ": expected a number from 1 to 1000\n"),
        (["check", "--calls", "x", "kinds"], ": expected a number from 1 to 1000000\n"),
        (["check", "--calls", "1000001", "kinds"], ": expected a number from 1 to 1000000\n"),
        (["check", "--seed", "-1", "kinds"], ": expected a number from 0 to 18446744073709551615\n"),
      ])
    func options(words: [String], message: String) throws {
      let ending = try HostProcess.run(words)
      #expect(ending.status == 64 && ending.errors.contains(message), "\(ending)")
    }

    @Test("the message for a time in a pipeline names the maximum")
    func times() throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps: {a: {call: kinds.tiny, timeout: 99999999999}}\n")
      let ending = try HostProcess.run("run", file.path)
      let message = ", below 3.2e10 seconds; this is \"99999999999\""
      #expect(ending.status == 64 && ending.errors.contains(message), "\(ending)")
    }

    @Test("a result of no steps is a mistake", arguments: ["[]", "{}"])
    func emptyResult(result: String) throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps: {a: {call: kinds.tiny}}\nresult: \(result)\n")
      let ending = try HostProcess.run("run", file.path)
      #expect(ending.status == 64 && ending.text == "", "\(ending)")
      #expect(ending.errors.contains("p.yaml:3:9: error: a result needs at least one step"), "\(ending.errors)")
    }

    @Test("a plugin that is not found names the folders that cannot be searched")
    func folders() throws {
      let ending = try HostProcess.run("call", "--plugins", "/nonexistent", "none", "f")
      #expect(ending.status == 2, "\(ending)")
      #expect(ending.errors.hasSuffix("; /nonexistent: No such file or directory\n"), "\(ending.errors)")
    }

    @Test("a cache in a folder that does not exist is a mistake", arguments: ["list", "prune"])
    func caches(command: String) throws {
      let ending = try HostProcess.run("cache", command, "--cache", "/nonexistent/c.db")
      #expect(ending.status == 1 && ending.text == "", "\(ending)")
      #expect(ending.errors == "plugin-host: the cache /nonexistent/c.db: its folder does not exist\n")
    }
  }
}
