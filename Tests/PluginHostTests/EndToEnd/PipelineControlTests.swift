import Foundation
import Testing

extension EndToEnd {
  /// Conditions, lists of calls, calls that are made again, and steps that exclude each other.
  @Suite struct PipelineControlTests {
    private func run(_ steps: String, _ options: String...) throws -> HostProcess.Ending {
      let file = try PipelineFile("plugins: [kinds, later]\nset: {mode: fast, file: \"\"}\n\(steps)\n")
      return try HostProcess.run(["run"] + options + [file.path])
    }

    @Test func aStepRunsOnItsCondition() throws {
      let ending = try run(
        """
        steps:
          a: {call: kinds.anything, with: {x: {n: 5}}}
          b: {call: kinds.tiny, with: {x: 1}, when: steps.a.n > 4 and mode == "fast"}
          c: {call: kinds.tiny, with: {x: 2}, when: not (mode == "fast")}
          d: {call: kinds.tiny, with: {x: {step: c}}, rescue: {value: 9}}
          e: {call: kinds.tiny, with: {x: 3}, after: [c, d]}
        result: [b, c, d, e]
        """)
      #expect(ending.text == #"{"b":1,"c":null,"d":null,"e":3}"# + "\n")
      #expect(ending.errors.contains("c: skipped\n") && ending.errors.contains("d: skipped\n"))
      #expect(ending.status == 0)
      let unusable = try run("steps: {a: {call: kinds.tiny, when: mode}}", "--progress", "off")
      #expect(
        unusable.errors == "plugin-host: a: \"fast\" is neither true nor false; compare it with something\n")
    }

    @Test func aStepIsMadeForEachElement() throws {
      let ending = try run(
        """
        steps:
          a: {call: kinds.anything, with: {x: {rows: [{n: 1}, {n: 2}, {n: 3}], json: "[4, 5]"}}}
          b: {call: kinds.text, each: "${steps.a.rows}", with: {x: "${index}: ${item.n}"}}
          c: {call: kinds.number, each: {step: a, get: rows}, limit: 2, with: {x: "${item.n}"}}
          d: {call: kinds.total, with: {xs: {step: c}}}
          e: {call: kinds.blob, each: [x, {step: d}, "@/dev/null"], with: {x: "${item}"}}
          f: {call: kinds.anything, each: {step: a, get: json}, with: {x: {v: "${item}"}}}
          g: {call: kinds.tiny, each: [], with: {x: "${item}"}}
          h: {call: kinds.setting, each: [none, nothing], with: {key: "${item}"}, rescue: {value: missing}}
          i: {call: kinds.setting, each: [no, not], with: {key: "${item}"}, rescue: {call: kinds.text, with: {x: "${item}!"}}}
        result: [b, c, d, e, f, g, h, i]
        """, "--progress", "off")
      #expect(
        ending.text
          == #"{"b":["0: 1","1: 2","2: 3"],"c":[1.0,2.0,3.0],"d":6.0,"e":["eA==","Ni4w",""],"f":[{"v":4},{"v":5}],"#
          + #""g":[],"h":["missing","missing"],"i":["no!","not!"]}"# + "\n")
      #expect(ending.errors == "")
    }

    @Test("a condition with the element in it chooses elements, which keep their numbers")
    func elementsAreChosen() throws {
      let ending = try run(
        """
        steps:
          a: {call: kinds.anything, with: {x: {rows: [{n: 1, ok: true}, {n: 2, ok: false}, {n: 3, ok: true}]}}}
          b:
            {call: kinds.text, each: {step: a, get: rows}, when: item.ok and item.n > 1, with: {x: "${index}: ${item.n}"}}
          c: {call: kinds.tiny, each: [1, 5, 9], when: "${item} != 5 and index < 2", with: {x: "${item}"}}
          d: {call: kinds.tiny, each: [1], when: item > 1, with: {x: "${item}"}}
          e: {call: kinds.tiny, each: [1], when: mode == "slow", with: {x: "${item}"}}
          f: {call: kinds.fail, each: [x, y], when: item == "y", with: {message: "${item}"}, rescue: {value: null}}
        result: [b, c, d, e]
        """, "--progress", "off")
      #expect(ending.text == #"{"b":["2: 3"],"c":[1],"d":[],"e":null}"# + "\n", "\(ending.errors)")
      let bad = try run(
        "steps: {a: {call: kinds.fail, each: [x, y], when: index == 1, with: {message: \"bad ${item}\"}}}")
      #expect(bad.errors.hasSuffix("plugin-host: a: [1]: bad y (fixture 7)\n"), "\(bad.errors)")
      let unusable = try run("steps: {a: {call: kinds.tiny, each: [1, x], when: item}}")
      #expect(unusable.errors.hasSuffix("a: [1]: \"x\" is neither true nor false; compare it with something\n"))
    }

    @Test func aVariableIsAList() throws {
      let file = try PipelineFile(
        """
        plugins: [kinds]
        set: {x: '[]'}
        steps: {a: {call: kinds.text, each: '${x}', with: {x: '${index}: ${item}'}}}
        """)
      #expect(try HostProcess.run("run", "--progress", "off", file.path).text == "[]\n")
      let ending = try HostProcess.run("run", "--progress", "off", "--set", "x=[\"a\", 5]", file.path)
      #expect(ending.text == "[\"0: a\",\"1: 5\"]\n", "\(ending.errors)")
    }

    @Test func theFirstElementThatFailsEndsTheStep() throws {
      let ending = try run(
        "steps: {a: {call: kinds.fail, each: [x, y, z], limit: 1, with: {message: \"bad ${item}\"}}}")
      #expect(ending.errors.hasSuffix("plugin-host: a: [0]: bad x (fixture 7)\n"))
      #expect(ending.status == 1)
      let list = try run(
        "steps: {a: {call: kinds.anything, with: {x: {n: 5}}}, b: {call: kinds.tiny, each: {step: a}}}")
      #expect(list.errors.hasSuffix("plugin-host: b: \"each\" is an object, expected a list\n"))
    }

    /// The calls for the other elements wait for their turn, and are rejected with the first failure.
    @Test func ofElementsThatFailTheFirstIsReported() throws {
      let ending = try run(
        "steps: {a: {call: kinds.fail, each: [x, y, z], serial: s, with: {message: \"bad ${item}\"}}}")
      #expect(ending.errors.hasSuffix("plugin-host: a: [0]: bad x (fixture 7)\n"), "\(ending.errors)")
    }

    @Test("a time-out and a wrong argument name their element; the time limit of the run names the step alone")
    func elementsAreNamed() throws {
      let never = "steps: {a: {call: later.never, each: [x, y], limit: 1"
      let late = try run("\(never), timeout: 0.1}}", "--log", "off")
      #expect(late.errors.contains("a: [0]: timed out after 0.1 s\n"), "\(late.errors)")
      #expect(late.errors.hasSuffix("plugin-host: a: [0]: timed out after 0.1 s\n"), "\(late.errors)")
      #expect(late.status == 3)
      let event = try run(
        """
        steps:
          a: {call: later.ahead, with: {n: 1, f: {stream: 1}}}
          b: {call: later.never, each: {stream: a}, timeout: 0.1}
        """, "--log", "off")
      #expect(event.errors.contains("plugin-host: b: [0]: timed out after 0.1 s\n"), "\(event.errors)")
      let wrong = try run(
        "steps: {a: {call: kinds.tiny, each: [1, 999], when: index >= 0, with: {x: \"${item}\"}}}")
      #expect(wrong.errors.contains("plugin-host: a: [1]: "), "\(wrong.errors)")
      let whole = try run("\(never)}}", "--timeout", "0.2", "--log", "off")
      #expect(whole.errors.hasSuffix("plugin-host: a: timed out after 0.2 s\n"), "\(whole.errors)")
    }

    @Test func aStepThatFailsEndsAfterItsLastCall() throws {
      let file = try PipelineFile(
        """
        plugins: [./c.adopt.yaml, kinds]
        set: {file: ~}
        steps:
          a:
            call: c.system
            each:
              - "until test -e '${file}.begun'; do sleep 0.01; done; exit 1"
              - "> '${file}.begun'; sleep 0.5; > '${file}'"
            with: {command: "${item}"}
        finally: {b: {call: c.system, with: {command: "test -e '${file}'"}}}
        """)
      try Data("library: libc.so.6\nfunctions: ['system(command: cstr) -> i32 ! nonzero']\n".utf8)
        .write(to: file.folder.appending(path: "c.adopt.yaml"))
      let path = file.folder.appending(path: "ended").path
      let ending = try HostProcess.run("run", "--set", "file=\(path)", file.path)
      #expect(ending.errors.withoutTimes.contains("b: fulfilled in 0 s\n"), "\(ending.errors)")
      #expect(ending.errors.contains("plugin-host: a: [0]: "), "\(ending.errors)")
    }

    @Test func aLimitHoldsForElements() throws {
      let items = (0..<31).map(String.init).joined(separator: ", ")
      let text = "steps:\n  a: {call: later.most, each: [\(items)], limit: 3}\n  b: {call: later.most, after: a}"
      #expect(try run(text, "--progress", "off").text == "3\n")
    }

    @Test func manyElementsAreTaken() throws {
      let ending = try run(
        """
        steps:
          a: {call: kinds.text, with: {x: "[1\(String(repeating: ", 1", count: 4_999))]"}}
          b: {call: kinds.number, each: {step: a}, limit: 4, with: {x: "${item}"}}
          c: {call: kinds.total, with: {xs: {step: b}}}
        """, "--progress", "off")
      #expect(ending.text == "5000.0\n")
    }

    @Test func aCallIsMadeAgain() throws {
      let ending = try run(
        "steps: {a: {call: later.unsteady, with: {times: 3}, retry: {times: 5, delay: 1ms, on: [timeout, fixture 11]}}}"
      )
      #expect(ending.text == "4\n")
      #expect(ending.errors.contains("a: attempt 2 of 6 in 0.001 s: not yet (fixture 11)\n"))
      #expect(ending.errors.contains("a: attempt 4 of 6 in 0.004 s: not yet (fixture 11)\n"))
      let few = try run("steps: {a: {call: later.unsteady, with: {times: 3}, retry: {times: 2, delay: 1ms}}}")
      #expect(few.errors.hasSuffix("plugin-host: a: not yet (fixture 11)\n"))
      let other = try run("steps: {a: {call: later.unsteady, with: {times: 1}, retry: {times: 2, on: fixture 12}}}")
      #expect(other.status == 1)
      #expect(!other.errors.contains("attempt"))
    }

    @Test func aWaitForAnotherAttemptCanBeGivenUp() throws {
      let ending = try run(
        "steps: {a: {call: later.unsteady, with: {times: 3}, retry: {times: 5, delay: 1h, limit: 2h}}}", "--timeout",
        "0.3")
      #expect(ending.errors.hasSuffix("plugin-host: a: timed out after 0.3 s\n"))
      #expect(ending.status == 3)
    }

    @Test func serialStepsHaveOneThread() throws {
      let steps = (0..<20).map { "  s\($0): {call: later.alone, serial: db}\n" }.joined()
      let names = (0..<20).map { "s\($0)" }.joined(separator: ", ")
      let ending = try run(
        "steps:\n\(steps)  e: {call: later.alone, serial: db, each: [1, 2, 3]}\nresult: [\(names), e]", "--progress",
        "off")
      #expect(ending.errors == "")
      let threads = Set(ending.text.matches(of: #/[0-9]{3,}/#).map(\.output))
      #expect(threads.count == 1)
      #expect(ending.status == 0)
    }

    @Test(arguments: [
      ("when: a ==", "4:31: error: \"when\": it ends where a variable, a result or a value is expected"),
      (
        "when: mood == 1", "4:31: error: no variable is named \"mood\"; did you mean \"mode\"?"
      ),
      ("when: steps.x == 1", "4:31: error: no step is named \"x\""),
      ("limit: 2", "4:25: error: \"limit\" needs \"each\" in the same step"),
      ("when: item.x == 1", "4:31: error: \"item\" needs \"each\" with a list in the same step"),
      ("when: item == 1", "4:31: error: no variable is named \"item\""),
      ("each: x", "4:31: error: \"each\" must be a list, or a result or a variable that is one"),
      ("each: {a: 1}", "4:31: error: \"each\" must be a list, or a result or a variable that is one"),
      ("each: '@/dev/null'", "4:31: error: \"each\" must be a list, or a result or a variable that is one"),
      ("each: '${mode}'", "4:31: error: \"each\" must be a list, or a result or a variable that is one"),
      ("each: '${mood}'", "4:31: error: no variable is named \"mood\"; did you mean \"mode\"?"),
      ("each: {stp: b}", "4:32: error: a reference to a step has no key \"stp\"; did you mean \"step\"?"),
      ("each: {step: b}", "4:38: error: \"each\" must be a list, but the step \"b\" returns bool"),
      ("retry: 0", "4:32: error: \"retry\" must be a number from 1 to 1000000; this is \"0\""),
      ("retry: {times: 1, factor: 0.5}", "4:51: error: \"factor\" must be a number from 1 to 1000; this is \"0.5\""),
      ("retry: {times: 1, on: []}", "4:47: error: \"on\" must have an error that is tried again"),
      ("serial: false", "4:33: error: \"serial\" must be a name, which steps that exclude each other share"),
      ("with: {x: \"${item.x}\"}", "4:35: error: \"${item...}\" needs \"each\" in the same step"),
    ])
    func mistakesAreReported(key: String, message: String) throws {
      let ending = try run("steps:\n  a: {call: kinds.tiny, \(key)}\n  b: {call: kinds.flip, with: {x: true}}")
      #expect(ending.errors.contains("p.yaml:\(message)"), "\(ending.errors)")
      #expect(ending.status == 64)
    }

    @Test func aPlanNamesThem() throws {
      let ending = try run(
        """
        steps:
          b: {call: kinds.tiny, each: {step: a}, limit: 2, with: {x: "${item.n}"}, retry: 1, serial: s, when: mode == "x"}
          a: {call: kinds.anything, with: {x: []}}
        """, "--dry-run")
      #expect(
        ending.text.contains(
          "b: kinds.tiny(x: \"${item.n}\") for each of a, 2 at once, if its condition holds, 1 more time if rejected, serial s"
        ))
    }

    /// The last step reads the peak of the host's memory, in KiB.
    @Test func memoryGrowsWithTheSteps() throws {
      func peak(_ count: Int) throws -> Int {
        let steps = (0..<count).map { "  s\($0): {call: kinds.tiny\($0 % 10 == 0 ? "" : ", after: s\($0 - 1)")}\n" }
        let all = (0..<count).filter { $0 % 10 == 9 }.map { "s\($0)" }.joined(separator: ", ")
        let file = TemporaryPath()
        let ending = try run(
          "steps:\n\(steps.joined())  p: {call: kinds.start, with: {command: \"grep VmHWM /proc/$PPID/status > '${file}'\"}, "
            + "after: [\(all)]}", "--isolation", "in-process", "--progress", "off", "-j", "2", "--set",
          "file=\(file.path)")
        #expect(ending.text == "0\n")
        let text = try String(contentsOf: file.url, encoding: .utf8)
        return try #require(text.split(separator: " ").compactMap { Int($0) }.first)
      }
      let small = try peak(1_000)
      let large = try peak(10_000)
      #expect(large - small < 9_000 * 12, "\(small) KiB, \(large) KiB")
    }
  }
}
