import Foundation
import Testing

extension EndToEnd {
  @Suite struct IsolationTests {
    private func run(_ text: String, _ options: String...) throws -> HostProcess.Ending {
      let file = try PipelineFile(text)
      let host = try HostProcess(["run"] + options + [file.path])
      try host.process.run()
      return try host.wait()
    }

    @Test func aCallGivesWhatItGivesInProcess() throws {
      for arguments in [
        ["kinds", "text", "hello"], ["kinds", "tiny", "300"], ["kinds", "nothing"], ["mortal", "echo", "-5"],
      ] {
        let one = try HostProcess(["call"] + arguments)
        try one.process.run()
        let other = try HostProcess(["call", "--isolation", "process"] + arguments)
        try other.process.run()
        let (inside, apart) = (try one.wait(), try other.wait())
        #expect(
          inside.text == apart.text && inside.errors == apart.errors && inside.status == apart.status, "\(arguments)")
      }
    }

    @Test(arguments: [("crash", [], "was killed by SIGSEGV"), ("leave", ["0"], "exited with status 0")])
    func theEndOfAWorkerIsARejection(function: String, arguments: [String], reason: String) throws {
      let host = try HostProcess(["call", "--isolation", "process", "mortal", function] + arguments)
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.status == 1 && ending.text == "")
      #expect(ending.errors.contains("plugin-host: mortal.\(function): its worker process (generation 1) \(reason)"))
      #expect(ending.errors.contains("org.example.mortal.\(function)"))
      if function == "crash" { #expect(ending.errors.hasPrefix("about to crash\n")) }
    }

    @Test func aPipelineDecidesForSinglePlugins() throws {
      let ending = try run(
        """
        plugins: [kinds, {plugin: mortal, isolation: process}]
        steps:
          ends: {call: mortal.crash, rescue: {value: 7}}
          goes_on: {call: mortal.echo, with: {value: {step: ends}}}
        """)
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(ending.text == "7\n")
    }

    @Test func theCommandLineDecidesForTheOthers() throws {
      let text = "plugins: [mortal]\nsteps: {a: {call: mortal.leave, with: {status: 0}, rescue: {value: 3}}}"
      let apart = try run(text, "--isolation", "process")
      #expect(apart.status == 0 && apart.text == "3\n", "\(apart.errors)")
      #expect(try run(text).status == 1)
    }

    @Test func aMistakeInThePlaceIsShown() throws {
      let ending = try run("plugins: [{plugin: mortal, isolation: moon}]\nsteps: {a: {call: mortal.echo}}")
      #expect(ending.status == 64)
      #expect(ending.errors.contains(":1:39: error: \"isolation\" must be in-process or process; this is \"moon\""))
      #expect(try HostProcess.run("call", "--isolation", "moon", "mortal", "echo", "1").status == 64)
    }

    @Test func anAdoptedLibraryRunsInAWorkerToo() throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "process", "--signature", "pow(x: f64, y: f64) -> f64", "libm.so.6", "2", "10")
      #expect(ending.text == "1024.0\n", "\(ending.errors)")
    }
  }
}
