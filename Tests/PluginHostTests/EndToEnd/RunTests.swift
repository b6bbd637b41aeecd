import Foundation
import Testing

extension EndToEnd {
  @Suite struct RunTests {
    private func run(
      _ text: String, _ options: String..., input: String = "", environment: [String: String] = [:]
    ) throws -> HostProcess.Ending {
      let file = try PipelineFile(text)
      return try HostProcess.run(["run"] + options + [file.path], input: input, environment: environment)
    }

    @Test func passesResultsOn() throws {
      let ending = try run(
        """
        plugins: [kinds]
        set: {text: none, more: "${text}!"}
        steps:
          packed: {call: kinds.blob, with: {x: "${more}"}}
          read: {call: org.example.kinds.text, with: {x: {step: packed}}}
          again: {call: kinds.blob, with: {x: {step: read}}}
        result: read
        """, "--set", "text=@日本")
      #expect(ending.text == "\"@日本!\"\n")
      #expect(
        ending.errors.withoutTimes == """
          packed: started kinds.blob
          packed: fulfilled in 0 s: 8 bytes
          read: started kinds.text
          read: fulfilled in 0 s: "@日本!"
          again: started kinds.blob
          again: fulfilled in 0 s: 8 bytes

          """)
      #expect(ending.status == 0)
    }

    @Test func runsIndependentStepsInParallel() throws {
      // Each call waits until the other has begun.
      let ending = try run(
        """
        plugins: [later]
        steps:
          l: {call: later.left}
          r: {call: later.right}
        """)
      #expect(ending.text == "\"right\"\n")
      #expect(ending.status == 0)
    }

    @Test func readsFilesAndStandardInput() throws {
      let text = """
        plugins: [kinds]
        set: {file: ~}
        steps:
          a: {call: kinds.blob, with: {x: "@${file}"}}
          b: {call: kinds.text, with: {x: "@-"}}
          c: {call: kinds.text, with: {x: "-"}}
        result: b
        """
      let ending = try run(text, "--progress", "off", "--set", "file=/dev/null", input: "in")
      #expect(ending.text == "\"in\"\n")
      #expect(ending.errors == "")
      let missing = try run(text, "--set", "file=/no/file")
      #expect(
        missing.errors.withoutTimes.contains(
          "a: rejected after 0 s: argument 'x': /no/file: No such file or directory\n"))
      #expect(missing.status == 1)
      let unset = try run(text)
      #expect(unset.errors == "plugin-host: the variable \"file\" has no value: give it one with --set file=VALUE\n")
      #expect(unset.status == 64)
    }

    @Test func aFailureStopsDependentSteps() throws {
      let ending = try run(
        """
        plugins: [kinds]
        steps:
          bad: {call: kinds.fail, with: {message: broken}}
          next: {call: kinds.nothing, after: bad}
          last: {call: kinds.nothing, after: next}
          free: {call: kinds.tiny}
        result: free
        """)
      let lines = ending.errors.withoutTimes.split(separator: "\n").map(String.init)
      #expect(
        lines.filter { !$0.hasPrefix("free: ") } == [
          "bad: started kinds.fail", "bad: rejected after 0 s: broken (fixture 7)",
          "next: not run: \"bad\" was not fulfilled", "last: not run: \"bad\" was not fulfilled",
          "plugin-host: bad: broken (fixture 7)",
        ])
      #expect(lines.contains("free: fulfilled in 0 s: -3"))
      #expect(ending.text == "")
      #expect(ending.status == 1)
    }

    @Test func rescues() throws {
      let ending = try run(
        """
        plugins: [kinds]
        steps:
          bad: {call: kinds.fail, with: {message: broken}}
          other: {call: kinds.tiny, with: {x: 5}}
          skipped: {call: kinds.whole, with: {x: {step: other}}, after: bad, rescue: {value: -1}}
          called:
            call: kinds.setting
            with: {key: none}
            rescue: {call: kinds.text, with: {x: "${kept}"}}
          twice: {call: kinds.setting, with: {key: none}, rescue: {call: kinds.setting, with: {key: none}}}
        set: {kept: yes}
        """, "--progress", "plain")
      let lines = ending.errors.withoutTimes.split(separator: "\n").map(String.init)
      #expect(lines.contains("skipped: rejected, to be rescued: not run: \"bad\" was not fulfilled"))
      #expect(lines.contains("skipped: fulfilled: -1"))
      #expect(lines.contains("called: rejected, to be rescued: not set (fixture 8)"))
      #expect(lines.contains("called: fulfilled in 0 s: \"yes\""))
      #expect(lines.contains("twice: rejected after 0 s: not set (fixture 8)"))
      #expect(
        lines.suffix(2).sorted() == ["plugin-host: bad: broken (fixture 7)", "plugin-host: twice: not set (fixture 8)"])
      #expect(ending.status == 1)
    }

    @Test func aRescuedPipelineIsFulfilled() throws {
      let ending = try run(
        """
        plugins: [kinds, later]
        steps:
          slow: {call: later.never, timeout: 0.05, rescue: {value: null}}
          after: {call: kinds.text, with: {x: done}, after: slow}
        """, "--log", "off")
      #expect(ending.text == "\"done\"\n")
      #expect(ending.errors.contains("slow: rejected, to be rescued: timed out after 0.05 s\n"))
      #expect(ending.status == 0)
    }

    @Test(arguments: ["never", "block"])
    func aStepThatTakesTooLongIsStatusThree(function: String) throws {
      let ending = try run(
        """
        plugins: [later, kinds]
        steps:
          slow: {call: later.\(function), timeout: 0.05}
          next: {call: kinds.nothing, after: slow}
        """, "--log", "off")
      #expect(
        ending.errors.replacing("slow: for ever\n", with: "") == """
          slow: started later.\(function)
          slow: timed out after 0.05 s
          next: not run: "slow" was not fulfilled
          plugin-host: slow: timed out after 0.05 s

          """)
      #expect(ending.status == 3)
    }

    @Test func aRejectionBesideATimeoutIsStatusOne() throws {
      let ending = try run(
        """
        plugins: [later, kinds]
        steps:
          bad: {call: kinds.fail, with: {message: broken}}
          slow: {call: later.never, timeout: 0.05}
        """, "--progress", "off", "--log", "off")
      #expect(
        ending.errors == """
          plugin-host: bad: broken (fixture 7)
          plugin-host: slow: timed out after 0.05 s

          """)
      #expect(ending.status == 1)
    }

    /// Tries a longer limit if one passes before the function is called, as it may on a slow machine.
    @Test func aPromiseThatComesAfterTheTimeoutIsDiscarded() throws {
      let texts = ["0.1", "1", "10", "100"].lazy.map { seconds in
        try? run(
          """
          plugins: [later]
          steps:
            slow: {call: later.late, timeout: \(seconds), rescue: {value: null}}
            end: {call: later.opens, after: slow}
          """, "--progress", "off", "--log", "off"
        ).text
      }
      #expect(texts.contains("\"discarded\"\n"))
    }

    /// Runs a pipeline with a limit for the whole, which lasts until these steps have started: on a slow machine a
    /// short limit may be over before.
    private func limited(_ text: String, untilStarted steps: String...) throws -> (limit: String, HostProcess.Ending) {
      for limit in ["0.1", "1"] {
        let ending = try run(text, "--timeout", limit, "--log", "off")
        if steps.allSatisfy({ ending.errors.contains("\($0): started ") }) { return (limit, ending) }
      }
      return ("10", try run(text, "--timeout", "10", "--log", "off"))
    }

    @Test func theWholeMayTakeTooLong() throws {
      let (limit, ending) = try limited(
        "plugins: [later]\nsteps: {a: {call: later.never}, b: {call: later.block}}", untilStarted: "a", "b")
      let lines = ending.errors.split(separator: "\n").map(String.init)
      #expect(Set(lines.suffix(2)) == Set(["a", "b"].map { "plugin-host: \($0): timed out after \(limit) s" }))
      #expect(ending.status == 3)
    }

    @Test func aWholeThatTookTooLongIsNotRescued() throws {
      let (limit, ending) = try limited(
        """
        plugins: [later, kinds]
        steps:
          a: {call: later.never, rescue: {value: null}}
          b: {call: kinds.nothing, after: a}
        """, untilStarted: "a")
      #expect(ending.text == "")
      #expect(ending.errors.hasSuffix("plugin-host: a: timed out after \(limit) s\n"))
      #expect(ending.errors.contains("b: not run: \"a\" was not fulfilled\n"))
      #expect(ending.status == 3)
    }

    @Test func mistakesAreReportedBeforeAnythingRuns() throws {
      let file = try PipelineFile(
        """
        plugins: [kinds]
        steps:
          a: {call: kinds.say, with: {level: loud, message: heard}}
          b: {call: kinds.text, with: {x: {step: c}}}
        """)
      let ending = try HostProcess.run("run", file.path)
      #expect(
        ending.errors == """
          \(file.path):4:42: error: no step is named "c"
            \u{20}\u{20}b: {call: kinds.text, with: {x: {step: c}}}
            \(String(repeating: " ", count: 41))^

          """)
      #expect(ending.text == "")
      #expect(ending.status == 64)
      let typed = try run("plugins: [kinds]\nsteps:\n  a: {call: kinds.say, with: {level: loud, message: x}}\n")
      #expect(typed.errors.contains("p.yaml:3:38: error: \"level\" is \"loud\", expected an integer from"))
      #expect(typed.status == 64)
    }

    @Test("calls that are repeated, or made for several elements, all get standard input")
    func repeatedInput() throws {
      let head = "plugins: [kinds, later]\nsteps: {a: {call: "
      let each = try run(head + "kinds.text, with: {x: \"@-\"}, each: [1, 2]}}", input: "in")
      #expect(each.text == "[\"in\",\"in\"]\n", "\(each)")
      let again = try run(
        head + "later.unsteady_length, with: {data: \"@-\"}, retry: {times: 2, delay: 1ms}}}", input: "in")
      #expect(again.text == "2\n", "\(again)")
    }

    @Test func fileAndPluginProblems() throws {
      let missing = try HostProcess.run("run", "/no/pipeline.yaml")
      #expect(missing.errors == "plugin-host: /no/pipeline.yaml: No such file or directory\n")
      #expect(missing.status == 64)
      let plugin = try run("plugins: [none]\nsteps: {a: {call: none.f}}")
      let none = "no plugin \"none\": no none.so or none.adopt.yaml in \(FixturePlugins.folder.path), "
      #expect(plugin.errors.contains(none))
      #expect(plugin.errors.hasSuffix("p.yaml:1:11: note: \"none\" is listed here\n"))
      #expect(plugin.status == 2)
      let refusing = try run("plugins: [refusing]\nsteps: {a: {call: refusing.nothing}}")
      #expect(refusing.errors.contains("not on a Sunday"))
      #expect(refusing.status == 2)
    }

    @Test func pathsCountFromTheFile() throws {
      let file = try PipelineFile("plugins: [./sub/kinds.so]\nsteps: {a: {call: kinds.tiny}}")
      let folder = file.folder.appending(path: "sub")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try FileManager.default.copyItem(
        atPath: FixturePlugins.path("kinds"), toPath: folder.appending(path: "kinds.so").path)
      let ending = try HostProcess.run("run", file.path, environment: ["PROMISE_PLUGIN_PATH": ""])
      #expect(ending.text == "-3\n")
      let named = try HostProcess.run("run", "-", input: "plugins: [kinds]\nsteps: {a: {call: kinds.tiny}}")
      #expect(named.text == "-3\n")
    }

    @Test func configuresPlugins() throws {
      let text = """
        plugins: [kinds]
        set: {value: "1"}
        config: {kinds: {a: "${value}", b: two}}
        steps:
          a: {call: kinds.setting, with: {key: a}}
          b: {call: kinds.setting, with: {key: b}}
        """
      #expect(try run(text, "--progress", "off").text == "\"two\"\n")
      #expect(try run(text, "--config", "kinds:b=three").text == "\"three\"\n")
    }

    @Test func takesManySteps() throws {
      let steps = (0..<500).map { "  s\($0): {call: kinds.tiny\($0 % 5 == 0 ? "" : ", after: s\($0 - 1)")}\n" }
      let ending = try run("plugins: [kinds]\nsteps:\n" + steps.joined(), "--progress", "off")
      #expect(ending.text == "-3\n")
      #expect(ending.errors == "")
    }
  }
}
