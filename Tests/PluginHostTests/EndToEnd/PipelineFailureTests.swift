import Foundation
import Testing

extension EndToEnd {
  /// Failures of steps: which is reported, and which calls follow.
  @Suite struct PipelineFailureTests: ~Copyable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ steps: String, _ options: [String] = []) throws -> HostProcess.Ending {
      try folder.write(
        "library: libc.so.6\nfunctions: ['system(command: cstr) -> i32 ! nonzero']\n", to: "c.adopt.yaml")
      try folder.write(
        "plugins: [./c.adopt.yaml, calling, kinds]\nset: {log: \(folder.path("log"))}\nsteps:\n\(steps)\n", to: "p.yaml"
      )
      return try HostProcess.run(["run", "--progress", "off"] + options + [folder.path("p.yaml")])
    }

    @Test(
      "a step whose replacement lacks an input fails with its own error",
      arguments: ["when: 1 > 2", "each: [1], when: 1 > 2", "after: f, when: 1 > 2"])
    func rescueWithoutInputs(alt: String) throws {
      let each = alt.hasPrefix("each") ? ", each: [1, 2]" : ""
      // One call at a time: the first of two fails first.
      let ending = try run(
        """
          f: {call: kinds.text}
          alt: {call: kinds.text, with: {x: spare}, \(alt)}
          a: {call: kinds.setting, with: {key: none}\(each), rescue: {call: kinds.text, with: {x: "${steps.alt}"}}}
        """, ["-j", "1"])
      let place = each.isEmpty ? "" : "[0]: "
      #expect(ending.status == 1 && ending.text == "", "\(ending)")
      #expect(ending.errors == "plugin-host: a: \(place)not set (fixture 8)\n")
    }

    @Test("the error of a step is reported beside that of the input of its replacement")
    func rescueWithARejectedInput() throws {
      let ending = try run(
        """
          alt: {call: kinds.setting, with: {key: nothing}}
          a: {call: kinds.fail, with: {message: own}, rescue: {call: kinds.say, with: {level: 1, message: "${steps.alt}"}}}
        """)
      #expect(ending.errors == "plugin-host: alt: not set (fixture 8)\nplugin-host: a: own (fixture 7)\n")
    }

    @Test(
      "after the first rejected call of a list no call begins that waits for its turn",
      arguments: [
        ("", ["-j", "1"], ["0"]), ("serial: s, ", [], ["0"]),
        ("limit: 1, ", [], ["0"]), ("retry: {times: 1, delay: 20ms}, ", ["-j", "1"], ["0", "1", "2", "0"]),
        (
          "rescue: {call: c.system, with: {command: 'echo r${item} >> ${log}; false'}}, ", ["-j", "1"],
          ["0", "1", "2", "r0"]
        ),
      ])
    func firstFailure(key: String, options: [String], begun: [String]) throws {
      let call = "call: c.system, \(key)with: {command: 'echo ${item} >> ${log}; false'}"
      // Otherwise the first call may end before the others wait for their turn, and its rescue begins before them.
      let gate = key.hasPrefix("rescue") ? "  gate: {call: c.system, with: {command: sleep 0.5}}\n" : ""
      let steps = "\(gate)  a: {each: [0, 1, 2], \(call)}"
      let ending = try run(steps, options)
      #expect(ending.status == 1 && ending.errors.hasPrefix("plugin-host: a: [0]: "), "\(ending)")
      #expect(try folder.text("log").split(separator: "\n").map(String.init) == begun)
    }

    /// unsteady() returns the number of its calls.
    @Test(
      "after the first call that a worker rejects no call begins that waits for its turn",
      arguments: [
        ("times: 1000}", 21), ("times: 1000}, rescue: {call: later.unsteady, with: {times: 1000}}", 5),
        ("times: 1000}, rescue: {call: later.unsteady, with: {times: {step: none}}}", 21),
      ])
    func firstFailureInAWorker(call: String, number: Int) throws {
      // Elements wait for the slot of a step if the calls of rescues have to come after theirs. Otherwise a first call
      // may end before anything waits for its outcome; one of twenty does.
      let isGated = number == 5
      let gate = isGated ? "gate: {call: later.await_file, with: {path: \(folder.path("go"))}}" : ""
      let steps = (0..<number - 1).map {
        "  a\($0): {each: [0, 1, 2], serial: s\($0), call: later.unsteady, with: {\(call)}"
      }
      try folder.write(
        """
        plugins: [later]
        steps:
          none: {call: later.unsteady, with: {times: 0}, when: 1 > 2}
          \(gate)
        \(steps.prefix(isGated ? 1 : 20).joined(separator: "\n"))
        finally: {b: {call: later.unsteady, with: {times: 0}}}
        """, to: "p.yaml")
      let options = isGated ? ["-j", "1"] : []
      let host = try HostProcess(["run", "--isolation", "process"] + options + [folder.path("p.yaml")])
      try host.process.run()
      while isGated, host.process.isRunning, !host.errorsSoFar.contains("a0: started") { usleep(10_000) }
      try folder.write("", to: "go")
      let ending = try host.wait()
      #expect(
        ending.status == 1 && ending.errors.withoutTimes.contains("b: fulfilled in 0 s: \(number)\n"), "\(ending)")
    }

    @Test(
      "a step is rejected at once although the calls for other elements wait for their next attempts",
      arguments: ["each: [0, 1]", "each: {stream: rows}"])
    func failureDuringADelay(each: String) throws {
      let callback = each.contains("stream") ? "{stream: 8, returns: true}" : "{expression: i < 9}"
      try folder.write(
        """
        plugins: [calling, kinds, later]
        steps:
          rows: {call: calling.count, with: {n: 2, f: \(callback)}}
          a:
            \(each)
            call: kinds.fail
            with: {message: "m${item}"}
            retry: {times: 1, delay: 1h, limit: 1h, on: [m0]}
          other: {call: later.await_file, with: {path: \(folder.path("go"))}}
        """, to: "p.yaml")
      // Only a step that waits takes so long.
      let host = try HostProcess(["run", "--timeout", "60", folder.path("p.yaml")])
      try host.process.run()
      while host.process.isRunning, !host.errorsSoFar.contains("a: rejected") { usleep(10_000) }
      try folder.write("", to: "go")
      let ending = try host.wait()
      #expect(ending.status == 1 && ending.errors.contains("plugin-host: a: [1]: m1 (fixture 7)\n"), "\(ending)")
      #expect(ending.errors.contains("other: fulfilled"), "\(ending)")
    }

    @Test("after the first rejected call for an event no call begins that waits for its turn")
    func firstFailureOfEvents() throws {
      let ending = try run(
        """
          rows: {call: calling.count, with: {n: 3, f: {stream: 8, returns: true}}}
          a: {each: {stream: rows}, call: c.system, with: {command: 'echo ${item} >> ${log}; false'}}
        """, ["-j", "1"])
      #expect(ending.status == 1 && ending.errors.contains("plugin-host: a: [0]: "), "\(ending)")
      #expect(try folder.text("log") == "0\n")
    }
  }
}
