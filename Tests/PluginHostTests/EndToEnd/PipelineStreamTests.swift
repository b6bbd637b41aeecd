import Foundation
import Testing

extension EndToEnd {
  /// Steps that take the events of a running step.
  @Suite struct PipelineStreamTests {
    private func run(_ steps: String, _ options: String..., result: String = "") throws -> HostProcess.Ending {
      let file = try PipelineFile("plugins: [calling, kinds, later]\nsteps:\n\(steps)\n\(result)\n")
      return try HostProcess.run(["run", "--progress", "off"] + options + [file.path])
    }

    @Test(arguments: [[], ["-j", "1"], ["--isolation", "process"], ["--isolation", "process", "-j", "1"]])
    func eventsAreTakenInOrderByEachTaker(options: [String]) throws {
      let file = try PipelineFile(
        """
        plugins: [calling, kinds]
        steps:
          rows: {call: calling.count, with: {n: 500, f: {stream: 3, returns: true}}}
          texts: {call: kinds.text, each: {stream: rows}, limit: 2, with: {x: "${index}:${item}"}}
          sums: {call: calling.later, each: {stream: rows}, with: {x: "${item}", y: 0}}
        result: [rows, texts, sums]
        """)
      let ending = try HostProcess.run(["run", "--progress", "off"] + options + [file.path])
      let texts = (0..<500).map { "\"\($0):\($0)\"" }.joined(separator: ",")
      let sums = (0..<500).map { "\($0 * 10)" }.joined(separator: ",")
      #expect(ending.text == "{\"rows\":500,\"texts\":[\(texts)],\"sums\":[\(sums)]}\n", "\(ending.errors)")
    }

    @Test(arguments: ["in-process", "process"])
    func aStepGivesEventsForEachThatItTakes(place: String) throws {
      let ending = try run(
        """
          rows: {call: calling.count, with: {n: 20, f: {stream: 1, returns: true}}}
          more: {call: calling.count, each: {stream: rows}, limit: 1, with: {n: "${item}", f: {stream: 1, returns: true}}}
          all: {call: kinds.tiny, each: {stream: more}, limit: 1, with: {x: "${item}"}}
        """, "--isolation", place, result: "result: [more, all]")
      let all = (0..<20).flatMap { 0..<$0 }.map(String.init).joined(separator: ",")
      let more = (0..<20).map(String.init).joined(separator: ",")
      #expect(ending.text == "{\"more\":[\(more)],\"all\":[\(all)]}\n", "\(ending.errors)")
    }

    @Test(arguments: ["in-process", "process"])
    func theCallbackWaitsForRoom(place: String) throws {
      let ending = try run(
        """
          rows: {call: later.ahead, with: {n: 1000, f: {stream: 5}}}
          taken: {call: later.take, each: {stream: rows}, limit: 3, with: {x: "${item}"}}
        """, "--isolation", place, result: "result: [rows, taken]")
      // Functions without a result make no list. At most 9 events are on their way: 3 in calls, 5 in the buffer, and
      // that of the callback that waits.
      #expect(ending.text.hasSuffix(",\"taken\":null}\n"), "\(ending.errors)")
      let most = ending.text.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
      #expect(most.map { 1...9 ~= $0 } == true, "\(ending.text)")
    }

    @Test func aStepUsesTheResultsForEvents() throws {
      let ending = try run(
        """
          rows: {call: calling.count, with: {n: 3, f: {stream: 4, returns: true}}}
          texts: {call: kinds.text, each: {stream: rows}, with: {x: "text ${item}"}}
          second: {call: kinds.text, with: {x: "${steps.texts[1]}"}}
        """)
      #expect(ending.text == "\"text 1\"\n", "\(ending.errors)")
    }

    @Test(arguments: ["in-process", "process"])
    func resultsThatNothingUsesAreNotKept(place: String) throws {
      let ending = try run(
        """
          rows: {call: calling.count, with: {n: 500, f: {stream: 4, returns: true}}}
          things: {call: later.hold, each: {stream: rows}, limit: 4, with: {most: 50}}
          last: {call: kinds.tiny, after: things, with: {x: 1}}
        """, "--isolation", place, result: "result: [rows, last]")
      #expect(ending.text == "{\"rows\":500,\"last\":1}\n", "\(ending.errors)")
    }

    @Test func aCallThatIsRejectedEndsTheStream() throws {
      let ending = try run(
        """
          rows: {call: calling.count, with: {n: 100000000, f: {stream: 2, returns: true}}, timeout: 1h}
          bad: {call: kinds.fail, each: {stream: rows}, limit: 1, with: {message: "bad ${item}"}}
          other: {call: kinds.tiny, each: {stream: rows}, with: {x: 1}}
        """, "--isolation", "process")
      #expect(
        ending.errors.contains(
          "plugin-host: rows: a call of the step \"bad\", which takes its events, was rejected\n"))
      #expect(ending.errors.contains("plugin-host: bad: [0]: bad 0 (fixture 7)\n"))
      #expect(!ending.errors.contains("other"))
      #expect(ending.status == 1)
      let rescued = try run(
        """
          rows: {call: calling.count, with: {n: 3, f: {stream: 2, returns: true}}}
          bad: {call: kinds.setting, each: {stream: rows}, with: {key: "no ${item}"}, rescue: {value: missing}}
        """)
      #expect(rescued.text == #"["missing","missing","missing"]"# + "\n")
    }

    @Test func theEndOfTheStepEndsTheStream() throws {
      let failed = try run(
        """
          rows: {call: later.ahead, with: {n: 3, f: {stream: 2}, fails: true}}
          taken: {call: kinds.tiny, each: {stream: rows}, with: {x: 1}}
        """)
      #expect(failed.errors == "plugin-host: rows: no more (fixture 5)\n")
      #expect(failed.status == 1)
      let rescued = try run(
        """
          rows: {call: later.ahead, with: {n: 3, f: {stream: 2}, fails: true}, rescue: {value: -1}}
          taken: {call: kinds.tiny, each: {stream: rows}, with: {x: 1}}
        """)
      #expect(rescued.text == "[1,1,1]\n")
      let late = try run(
        """
          rows: {call: calling.count, with: {n: 100000000, f: {stream: 2, returns: true}}, timeout: 0.2}
          taken: {call: kinds.tiny, each: {stream: rows}, with: {x: 1}}
        """)
      #expect(late.errors.hasPrefix("plugin-host: rows: timed out after 0.2 s\n"))
      #expect(late.status == 3)
      let none = try run(
        """
          rows: {call: calling.count, with: {n: 0, f: {stream: 2, returns: true}}}
          taken: {call: kinds.tiny, each: {stream: rows}, with: {x: 1}}
        """)
      #expect(none.text == "[]\n")
    }

    @Test func skippedStepsGiveAndTakeNothing() throws {
      let ending = try run(
        """
          a: {call: calling.count, with: {n: 9, f: {stream: 2, returns: true}}, when: 1 > 2}
          b: {call: kinds.tiny, each: {stream: a}, with: {x: 1}}
          c: {call: calling.count, with: {n: 999, f: {stream: 2, returns: true}}}
          d: {call: kinds.tiny, each: {stream: c}, with: {x: 1}, when: 1 > 2}
        """, result: "result: [a, b, c, d]")
      #expect(ending.text == #"{"a":null,"b":null,"c":999,"d":null}"# + "\n", "\(ending.errors)")
    }

    @Test func aStepBeginsWhenItsEventsCanBeTaken() throws {
      let ending = try run(
        """
          rows: {call: calling.count, with: {n: 9, f: {stream: 2, returns: true}}}
          failed: {call: kinds.fail, with: {message: bad}}
          taken: {call: kinds.tiny, each: {stream: rows}, with: {x: 1}, after: failed}
        """)
      #expect(ending.errors == "plugin-host: failed: bad (fixture 7)\n")
      let circle = try run(
        """
          rows: {call: calling.count, with: {n: 9, f: {stream: 2, returns: true}}}
          next: {call: kinds.tiny, with: {x: 1}, after: rows}
          taken: {call: kinds.tiny, each: {stream: rows}, with: {x: 1}, after: next}
        """)
      #expect(circle.errors.contains("can never run: \"rows\" waits for \"next\" waits for \"rows\""))
    }

    @Test func streamsOfIncludedFilesAndFinalStepsRun() throws {
      let part = try PipelineFile(
        """
        plugins: [calling, kinds]
        steps:
          rows: {call: calling.count, with: {n: 3, f: {stream: 2, returns: true}}}
          taken: {call: kinds.text, each: {stream: rows}, with: {x: "${item}!"}}
        """)
      let file = try PipelineFile(
        """
        plugins: [calling, later]
        include: {part: {file: \(part.path)}}
        finally:
          rows: {call: later.ahead, with: {n: 3, f: {stream: 2}}}
          taken: {call: later.take, each: {stream: rows}, with: {x: "${item}"}}
        result: {step: part, get: result}
        """)
      let ending = try HostProcess.run("run", file.path)
      #expect(ending.text == #"["0!","1!","2!"]"# + "\n")
      #expect(ending.errors.contains("taken: fulfilled"), "\(ending.errors)")
    }

    @Test func plansShowStreams() throws {
      let steps = """
          rows: {call: calling.count, with: {n: 9, f: {stream: 2, returns: true}}}
          taken: {call: kinds.tiny, each: {stream: rows}, with: {x: 1}}
        """
      let plan = try run(steps, "--dry-run")
      #expect(plan.text.contains("rows: calling.count(n: \"9\", f: {stream: 2})\n"))
      #expect(plan.text.contains("taken: kinds.tiny(x: \"1\") for each event of rows, 16 at once\n"))
      #expect(try run(steps, "--graph", "dot").text.contains("  s0 -> s1 [style=bold];\n"))
    }

    @Test(arguments: [
      ("with: {n: 1, f: {stream: 4}}", "3:47: error: \"f\" returns bool: expected the key \"returns\""),
      ("with: {n: 1, f: {stream: none, returns: true}}", "\"stream\" is the number of events that may wait, from 1"),
      ("with: {n: 1, f: {stream: [4], returns: true}}", "\"stream\" must be a value that is known"),
      ("with: {n: 1, f: {stream: 4, returns: 7}}", "error: \"returns\" is \"7\", expected true or false"),
      ("with: {n: 1, f: {stream: 4, gives: 7}}", "error: a stream has no key \"gives\"; it has \"stream\" and"),
      ("with: {n: 1, f: {stream: 4, returns: true}}, retry: 2", "error: a step that gives events is not retried"),
      ("with: {n: 1, f: {stream: 4, returns: true}}, serial: x", "so they cannot both be serial x"),
      ("with: {n: 1, f: {expression: i > 3}}", "the step \"rows\" has no stream: none of its arguments is {stream"),
    ])
    func mistakesInStreamsAreReported(step: String, message: String) throws {
      let ending = try run(
        "  rows: {call: calling.count, \(step)}\n"
          + "  taken: {call: kinds.tiny, each: {stream: rows}, with: {x: 1}, serial: x}")
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.status == 64)
    }

    @Test(arguments: [
      ("a: {call: calling.halves, with: {x: 1, f: {stream: 1, returns: 0}}}", "it has out parameters: fn(x: f64"),
      ("a: {call: calling.call, with: {f: {stream: 1, returns: 0}}}", "\"f\" returns nothing, expected no key"),
      (
        "a: {call: calling.keep, with: {f: {stream: 1, returns: 0}}}\n  b: {call: kinds.tiny, each: {stream: a}}",
        "p.yaml:3:37: error: \"f\" cannot give events: it is called when keep has returned"
      ),
      ("a: {call: calling.call, with: {f: {stream: 1}}}", "no step takes these events; add one with each: {stream: a}"),
      ("a: {call: kinds.tiny, each: {stream: a}, with: {x: 1}}", "error: the step \"a\" waits for itself"),
      ("a: {call: kinds.tiny, each: {stream: b}, with: {x: 1}}", "error: no step is named \"b\""),
      ("a: {call: kinds.tiny, each: {stream: b, get: c}, with: {x: 1}}", "error: a stream has no key \"get\""),
      (
        "a: {call: kinds.tiny, with: {x: 1}, rescue: {call: calling.call, with: {f: {stream: 1}}}}",
        "error: the call of a rescue cannot give events"
      ),
    ])
    func misplacedStreamsAreReported(step: String, message: String) throws {
      let ending = try run("  \(step)")
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.status == 64)
    }

    @Test func thePlaceOfAPluginMustAllowBothSteps() throws {
      let steps = """
          rows: {call: calling.count, with: {n: 9, f: {stream: 2, returns: true}}}
          taken: {call: calling.later, each: {stream: rows}, with: {x: 1, y: 1}}
        """
      let ending = try run(steps, "--isolation", "thread")
      #expect(ending.errors.contains("while that runs, but org.example.calling makes one call at a time"))
      let final = try PipelineFile(
        """
        plugins: [calling, kinds]
        steps: {rows: {call: calling.count, with: {n: 9, f: {stream: 2, returns: true}}}}
        finally: {taken: {call: kinds.tiny, each: {stream: rows}, with: {x: 1}}}
        """)
      let errors = try HostProcess.run("run", final.path).errors
      #expect(errors.contains("\"rows\" has ended when the steps of \"finally\" run"), "\(errors)")
    }
  }
}
