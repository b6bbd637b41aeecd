import Foundation
import Testing

extension EndToEnd {
  /// Pipeline files that include others.
  @Suite struct PipelineIncludeTests {
    /// Files in a folder of their own, by their paths in it.
    private struct Files: ~Copyable {
      let folder = FileManager.default.temporaryDirectory.appending(path: "include-\(UUID().uuidString)")

      init(_ files: [String: String]) throws {
        for (name, text) in files {
          let url = folder.appending(path: name)
          try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
          try Data(text.utf8).write(to: url)
        }
      }

      func run(_ options: String..., environment: [String: String] = [:]) throws -> HostProcess.Ending {
        try HostProcess.run(
          ["run", "--progress", "off"] + options + [folder.appending(path: "p.yaml").path], environment: environment)
      }

      deinit { try? FileManager.default.removeItem(at: folder) }
    }

    private static let twice = """
      plugins: [kinds]
      set: {x: null, y: "${x}!", z: unused}
      steps:
        a: {call: kinds.text, with: {x: "${x}"}}
        b: {call: kinds.text, with: {x: "${steps.a}-${y}"}, after: a}
        c:
          call: kinds.anything
          each: ["${y}", {step: a}]
          when: steps.a != "" and y != z
          with: {x: {item: "${item}", index: "${index}", y: "${y}"}}
      """

    @Test("in the condition of a step that takes a stream, item is a variable of the included file")
    func variablesNamedItem() throws {
      let part = """
        plugins: [calling, kinds]
        set: {item: "1"}
        steps:
          rows: {call: calling.count, with: {n: 2, f: {stream: 1, returns: true}}}
          all: {call: kinds.tiny, each: {stream: rows}, when: item == "1", with: {x: "${item}"}}
        result: {step: all}
        """
      let pipeline = "include: {part: {file: part.yaml}}\nresult: {step: part, get: result}\n"
      let files = try Files(["p.yaml": pipeline, "part.yaml": part])
      let ending = try files.run()
      #expect(ending.text == "[0,1]\n", "\(ending)")
    }

    @Test func stepsAndResultsOfAnIncludedFileAreUsed() throws {
      let files = try Files([
        "p.yaml": """
        plugins: [kinds]
        include:
          one: {file: parts/twice.yaml, set: {x: "${n}1"}}
          two: {file: parts/several.yaml, set: {q: "${n}2"}}
        set: {n: N}
        steps:
          last:
            call: kinds.anything
            after: one
            with: {x: ["${steps.one.result[0].item}", {step: two, get: result.b}, "${steps.two.result.deep.y}"]}
            when: steps.one.result[1].index == 1
        result: {last: last, c: {step: one, get: result}, b: {step: two, get: result.b}}
        """,
        "parts/twice.yaml": Self.twice,
        // A relative path starts from the folder of the file with the include.
        "parts/several.yaml": """
        plugins: [kinds]
        set: {q: null}
        include: {inner: {file: more/../twice.yaml, set: {x: "<${q}>"}}}
        steps: {b: {call: kinds.text, with: {x: "${steps.inner.result[1].item}"}}}
        result: {b: b, deep: {step: inner, get: "result[0]"}}
        """,
        "parts/more/none": "",
      ])
      let ending = try files.run()
      #expect(
        ending.text == #"{"last":["N1!","<N2>","<N2>!"],"c":[{"item":"N1!","index":0,"y":"N1!"},"#
          + #"{"item":"N1","index":1,"y":"N1!"}],"b":"<N2>"}"# + "\n", "\(ending.errors)")
      let plan = try files.run("--dry-run").text
      #expect(plan.contains("two.inner.b: kinds.text(x: \"${steps.two.inner.a}-<N2>!\")\n"), "\(plan)")
      let given = try files.run("--set", "one.x=5")
      #expect(given.errors.contains("--set one.x: the pipeline has no variable \"one.x\""))
    }

    @Test func secretsAndFinalStepsOfAnIncludedFileAreItsOwn() throws {
      let files = try Files([
        "p.yaml": """
        plugins: [kinds]
        include: {part: {file: sub/part.yaml, set: {w: "${s}"}}}
        secrets: {s: {env: OUTER}}
        steps: {a: {call: kinds.fail, with: {message: "${s}"}}}
        finally: {z: {call: kinds.say, with: {level: 1, message: own}}}
        """,
        "sub/part.yaml": """
        plugins: [kinds]
        set: {w: null}
        secrets: {s: {file: key}}
        config: {kinds: {greeting: "${w} and ${s}"}}
        pure: [kinds.text]
        steps: {a: {call: kinds.setting, with: {key: greeting}}, b: {call: kinds.text, with: {x: "${s}"}}}
        finally: {a2: {call: kinds.say, with: {level: 3, message: "bye ${s}"}}}
        """, "sub/key": "INNER\n",
      ])
      let ending = try files.run("--no-cache", environment: ["OUTER": "EXTERN"])
      #expect(ending.status == 1)
      #expect(ending.errors.contains("bye ***"), "\(ending.errors)")
      #expect(!(ending.errors + ending.text).contains("INNER") && !(ending.errors + ending.text).contains("EXTERN"))
      let plan = try files.run("--dry-run", environment: ["OUTER": "EXTERN"]).text
      #expect(plan.contains("part.b: kinds.text(x: \"***\"), pure\n"), "\(plan)")
      #expect(plan.contains("finally, part.a2: kinds.say"), "\(plan)")
    }

    @Test(arguments: [
      ("set: {x: 1, yy: 2}", "", "p.yaml:2:41: error: q.yaml has no variable \"yy\"; did you mean \"y\"?"),
      ("set: {}", "", "p.yaml:2:11: error: the include \"q\" needs \"x\" in \"set\": its file gives it no value"),
      ("set: {x: '${none}'}", "", "p.yaml:2:38: error: no variable is named \"none\""),
      ("set: {x: '${steps.a}'}", "", "p.yaml:2:38: error: the variable \"x\" cannot have a step's result in it"),
      ("sett: {x: 1}", "", "p.yaml:2:29: error: the include \"q\" has no key \"sett\"; did you mean \"set\"?"),
      ("set: {x: 1}", "after: qq", "p.yaml:3:52: error: no step is named \"qq\""),
      (
        "set: {x: 1}", "when: steps.q.b == 1",
        "p.yaml:3:51: error: \"q\" is an include, whose result is steps.q.result, or {step: q, get: result}; its steps "
          + "are steps.q.first"
      ),
      ("set: {x: 1}", "when: steps.q.frist == 1", "{step: q, get: result}; did you mean \"first\"?"),
    ])
    func mistakesHaveTheirPlace(include: String, step: String, message: String) throws {
      let files = try Files([
        "p.yaml": """
        plugins: [kinds]
        include: {q: {file: q.yaml, \(include)}}
        steps: {a: {call: kinds.text, with: {x: b}\(step.isEmpty ? "" : ", \(step)")}}
        """,
        "q.yaml": """
        plugins: [kinds]
        set: {x: null, y: 0}
        steps: {first: {call: kinds.anything, with: {x: "${x}"}}}
        """,
      ])
      let ending = try files.run()
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.status == 64)
    }

    @Test(arguments: [16, 17]) func filesAreNestedAtMostSixteenDeep(count: Int) throws {
      let step = "plugins: [kinds]\nsteps: {a: {call: kinds.text, with: {x: deep}}}\n"
      var files = ["p.yaml": "include: {i: {file: 1.yaml}}\n" + step]
      for number in 1..<count {
        files["\(number).yaml"] = (number == count - 1 ? "" : "include: {i: {file: \(number + 1).yaml}}\n") + step
      }
      let ending = try Files(files).run()
      #expect(ending.status == (count == 16 ? 0 : 64), "\(ending)")
      if count > 16 { #expect(ending.errors.contains("nested at most 16 deep"), "\(ending)") }
    }

    @Test(arguments: [
      ("[kinds", "q.yaml:2:1: error: not YAML"),
      ("plugins: [kinds]", "q.yaml:1:1: error: a pipeline needs the key \"steps\""),
      (
        "plugins: [kinds]\nset: {here: 1}\nsteps: {a: {call: kinds.text, with: {x: '${there}'}}}",
        "q.yaml:3:41: error: no variable is named \"there\" in this included file; did you mean \"here\"?"
      ),
      // The variables of the including file are not those of the included one.
      (
        "plugins: [kinds]\nsteps: {a: {call: kinds.text, with: {x: '${p}'}}}",
        "q.yaml:2:41: error: no variable is named"
      ),
      ("plugins: [kinds]\nsteps: {a: {call: kinds.text, after: p}}", "q.yaml:2:38: error: no step is named \"q.p\""),
      ("plugins: [kinds]\nsteps: {a: {call: kinds.tiny, with: {x: 300}}}", "q.yaml:2:41: error: \"x\" is"),
      (
        "plugins: [kinds]\ninclude: {r: {file: q.yaml}}\nsteps: {a: {call: kinds.text}}",
        "q.yaml:2:21: error: files cannot include each other: "
      ),
      // Itself, by another path.
      (
        "plugins: [kinds]\ninclude: {r: {file: ./q.yaml}}\nsteps: {a: {call: kinds.text}}",
        "q.yaml:2:21: error: files cannot include each other: "
      ),
      ("plugins: [nosuch]\nsteps: {a: {call: nosuch.f}}", "q.yaml:1:11: note: \"nosuch\" is listed here"),
      (
        "plugins: [{plugin: kinds, isolation: process}]\nsteps: {a: {call: kinds.text}}",
        "q.yaml:1:20: error: the plugin \"kinds\" has another place, or other capabilities, in the file that includes"
      ),
    ])
    func mistakesOfIncludedFilesHaveTheirFile(text: String, message: String) throws {
      let files = try Files([
        "p.yaml": """
        plugins: [kinds]
        set: {p: 1}
        include: {q: {file: q.yaml}}
        steps: {p: {call: kinds.text}}
        """, "q.yaml": text,
      ])
      let ending = try files.run()
      #expect(ending.errors.contains("/" + message), "\(ending.errors)")
      #expect(!ending.errors.contains("p.yaml:"))
    }

    @Test func filesThatCannotBeReadAreNamed() throws {
      let files = try Files(["p.yaml": "plugins: []\ninclude: {q: {file: none.yaml}}\nresult: {step: q, get: result}"])
      let ending = try files.run()
      #expect(ending.errors.contains("p.yaml:2:21: error:") && ending.errors.contains("none.yaml"), "\(ending.errors)")
      let taken = try Files([
        "p.yaml": "plugins: [kinds]\ninclude: {q: {file: q.yaml}}\nsteps: {q: {call: kinds.text}}",
        "q.yaml": "plugins: [kinds]\nsteps: {a: {call: kinds.text}}",
      ])
      #expect(try taken.run().errors.contains("p.yaml:2:11: error: a step and an include are both named \"q\""))
    }

    @Test func theElementInAConditionKeepsItsName() throws {
      let files = try Files([
        "p.yaml": "include: {q: {file: q.yaml, set: {most: '4'}}}\nresult: steps.q.result",
        "q.yaml": """
        plugins: [kinds]
        set: {most: ~}
        steps: {a: {call: kinds.tiny, each: [3, 4, 5], when: item <= most and index > 0, with: {x: "${item}"}}}
        """,
      ])
      let ending = try files.run()
      #expect(ending.text == "[4]\n", "\(ending.errors)")
    }

    @Test func aFileOfIncludesAloneNamesItsResult() throws {
      let part = "plugins: [kinds]\nsteps: {a: {call: kinds.text, with: {x: hi}}}"
      let include = "plugins: []\ninclude: {q: {file: q.yaml}, r: {file: q.yaml}}\n"
      let named = try Files(["p.yaml": include + "result: {step: q, get: result}", "q.yaml": part])
      #expect(try named.run().text == "\"hi\"\n")
      for result in ["steps.q.result", "{x: steps.q.a}"] {
        let files = try Files(["p.yaml": include + "result: \(result)", "q.yaml": part])
        #expect(try files.run().text == (result.contains("{") ? "{\"x\":\"hi\"}\n" : "\"hi\"\n"))
      }
      let nameless = try Files(["p.yaml": include, "q.yaml": part])
      let error = "p.yaml:2:11: error: a pipeline without steps of its own needs the key \"result\""
      #expect(try nameless.run().errors.contains(error))
    }

    /// A changed included file makes another run, which does not use the steps that a killed run has finished.
    @Test func aRunIsResumedWithTheSameIncludedFilesAlone() throws {
      let files = try Files([
        "p.yaml": """
        plugins: [kinds]
        include: {q: {file: q.yaml}}
        steps: {bad: {call: kinds.fail, after: q, with: {message: no}}}
        """,
        "q.yaml": "plugins: [kinds]\nsteps: {a: {call: kinds.text, with: {x: one}}}",
      ])
      let cache = files.folder.appending(path: "cache").path
      let options = ["--resume", "--cache", cache]
      func isFound() throws -> Bool {
        let ending = try HostProcess.run(
          ["run", "--progress", "plain"] + options + [files.folder.appending(path: "p.yaml").path])
        #expect(ending.status == 1, "\(ending.errors)")
        return ending.errors.contains("from the cache")
      }
      #expect(try !isFound())
      #expect(try isFound())
      let text = "plugins: [kinds]\nsteps: {a: {call: kinds.text, with: {x: one}}} # changed"
      try Data(text.utf8).write(to: files.folder.appending(path: "q.yaml"))
      #expect(try !isFound())
    }
  }
}
