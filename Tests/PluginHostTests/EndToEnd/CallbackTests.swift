import Foundation
import Testing

extension EndToEnd {
  /// Callbacks that are functions of plugins or expressions, on the command line, in sessions and in pipelines.
  @Suite struct CallbackTests {
    private static let libc = "\(Package.adopted)/libc.adopt.yaml"

    private func call(_ words: String...) throws -> HostProcess.Ending { try HostProcess.run(["call"] + words) }

    @Test(arguments: [
      (["compare=left - right"], "[-5,1,2,3]"), (["right - left"], "[3,2,1,-5]"),
      (["--text", "compare=$2-$1"], "[3,2,1,-5]"), (["--", "1 if left>right else -1"], "[-5,1,2,3]"),
      (["compare=(left > right) - (left < right)"], "[-5,1,2,3]"),
    ])
    func anExpressionSorts(words: [String], expected: String) throws {
      let ending = try HostProcess.run(["call", Self.libc, "qsort", "[3,1,2,-5]"] + words)
      #expect(ending.errors == "")
      #expect(ending.text == "{\"elements\":\(expected)}\n")
    }

    @Test func bsearchFindsWithAnExpression() throws {
      #expect(try call(Self.libc, "bsearch", "5", "[1,3,5,7]", "compare=key - element").text == "5\n")
      #expect(try call(Self.libc, "bsearch", "4", "[1,3,5,7]", "compare=$1 - $2").text == "null\n")
    }

    @Test(
      arguments: [
        (["number", "3", "f=x / 2"], "1.5"), (["natural", "18446744073709551614", "f=x + 1"], "18446744073709551615"),
        (["sum", #"[{"x":2,"y":0.5},{"x":4,"y":0.25}]"#, "f=p.x * p.y"], "2.0"),
        (["count", "10", "f=i % 3 == 0"], "4"),
        (["halves", "5", "f=calling.halve"], "3.5"), (["call", "f=null"], "0"), (["call", "f=text"], "1"),
        (["call"], "0"),
        (["apply", "3", "4", "f=calling.later"], "34"),
        (["apply", "3", "4", "f=org.example.calling.apply", "--isolation", "process"], nil),
        (["apply", "3", "4", "f=calling.later", "--isolation", "process"], "34"),
        (["apply", "3", "4", "f=x > $2", "--isolation", "process"], "0"),
        (["apply", "3", "4", "f=\(FixturePlugins.path("calling")).later"], "34"),
      ] as [([String], String?)])
    func callbacksGiveResults(words: [String], expected: String?) throws {
      let ending = try HostProcess.run(["call", "calling"] + words)
      guard let expected else {
        #expect(ending.errors.contains("\"f\": apply needs \"f\", but the callback has 2 arguments"))
        return
      }
      #expect(ending.text == expected + "\n", "\(ending.errors)")
    }

    @Test(arguments: [
      (
        ["qsort", "[3,1]", "compare=left / 0"], 1, "the callback compare='left / 0': 3 / 0 at column 6 divides by zero"
      ),
      (
        ["qsort", "[2147483647,-2147483648]", "compare=left - right"], 1,
        "its value is 4294967295, expected an integer from -2147483648 to 2147483647"
      ),
      (
        ["qsort", "[3,1]", "compare=left < null"], 1, "3 < null: expected two numbers of at most 128 bits, or two texts"
      ),
      (
        ["qsort", "[3,1]", "compare=lft - 1"], 64,
        "\"compare\": the callback has no argument \"lft\"; did you mean \"left\"?"
      ),
      (["qsort", "[3,1]", "compare=left.x"], 64, "\"x\" of \"left\": it is &i32, which has no part \"x\""),
      (["qsort", "[3,1]", "compare=left -"], 64, "expected PLUGIN.FUNCTION or an expression: it ends where"),
      (["qsort", "[3,1]", "compare=${steps.a}"], 64, "a step's result is written as ${steps.a}, in a pipeline file"),
      (["qsort", "[3,1]", "compare=kinds.text"], 64, "text takes \"x\" as str, but the callback has &i32 there"),
      (["qsort", "[3,1]", "compare=kinds.nothing"], 64, "nothing returns nothing, but the callback returns i32"),
      (["qsort", "[3,1]", "compare=kinds.nothin"], 64, "no function \"nothin\"; did you mean \"nothing\"?"),
      (["qsort", "[3,1]", "compare=nosuch.f"], 2, "no plugin \"nosuch\""),
    ])
    func mistakesAreNamed(words: [String], status: Int32, message: String) throws {
      let ending = try HostProcess.run(["call", Self.libc] + words)
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.status == status && ending.text == "")
    }

    @Test(
      "A mistake in the text of a callback commands no terminal",
      arguments: ["left -\u{1b}[2J", "\"\u{202e}a\"", "kinds.\u{9b}2J"])
    func mistakesAreHarmless(text: String) throws {
      let ending = try call(Self.libc, "qsort", "[3,1]", "compare=\(text)")
      #expect(ending.status == 64 && ending.errors.contains("\"compare\""), "\(ending)")
      let line = try #require(ending.errors.split(separator: "\n").first)
      let harmful = ["\u{1b}", "\u{202e}", "\u{9b}"].filter { line.unicodeScalars.contains(Unicode.Scalar($0)!) }
      #expect(harmful.isEmpty, "\(line.debugDescription)")
    }

    @Test("a mistake in a function for a callback names the argument, and a path of a plugin how it begins")
    func mistakesNameTheArgument() throws {
      let none = try call("calling", "number", "3", "f=kinds.nothin")
      #expect(none.status == 64 && none.errors.hasPrefix("plugin-host: \"f\": "), "\(none)")
      let unknown = try call("calling", "number", "3", "f=nosuch.f")
      let message = "plugin-host: \"f\": no plugin \"nosuch\""
      #expect(unknown.status == 2 && unknown.errors.hasPrefix(message), "\(unknown)")
      let folder = FixturePlugins.folder.path
      let shell = try HostProcess(
        ["-c", "cd \"$1/..\" && exec \"$0\" call calling number 3 \"f=$2\"", HostProcess.executable.path, folder])
      shell.process.executableURL = URL(filePath: "/bin/sh")
      let file = FixturePlugins.path("calling").split(separator: "/").suffix(2).joined(separator: "/")
      shell.process.arguments?.append("\(file).later")
      try shell.process.run()
      let path = try shell.wait()
      #expect(path.status == 64 && path.errors.contains("write ./\(file).later\n"), "\(path)")
    }

    /// A mistake that is known before the call is one in the command line; a later one is a failure of the call.
    @Test(arguments: [
      ("f=\"abc\"", Int32(64), "\"f\": its value is \"abc\", but the callback returns bool: fn(i: i64) -> bool"),
      ("f=null", 64, "\"f\": its value is null, but the callback returns bool"),
      ("f=7", 64, "\"f\": its value is 7, but the callback returns bool"),
      ("f=i", 64, "\"f\": i is i64, but the callback returns bool"),
      ("f=\"abc\" if i > 2 else true", 1, "its value is \"abc\", expected true or false"),
      ("f=null if i > 2 else true", 1, "its value is null, expected true or false"),
    ])
    func aResultOfAnotherTypeIsRefused(callback: String, status: Int32, message: String) throws {
      let ending = try call("calling", "count", "10", callback)
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.status == status && ending.text == "")
    }

    @Test func aFailedCallbackIsNotRunAgain() throws {
      let state = TemporaryPath()
      let environment = ["XDG_STATE_HOME": state.path]
      let ending = try HostProcess.run(
        ["call", "--isolation", "process", Self.libc, "qsort", "[9,8,7,6,5,4,3,2,1]", "compare=mortal.crash"],
        environment: environment)
      #expect(ending.status == 1 && ending.text == "", "\(ending)")
      let crashes = ending.errors.split(separator: "\n").filter { $0 == "org.example.mortal: about to crash" }
      #expect(crashes.count == 1, "\(ending.errors)")
      #expect(try HostProcess.run(["quarantine", "list"], environment: environment).text == "")
    }

    @Test func outArgumentsAreGivenByFunctions() throws {
      let expression = try call("calling", "halves", "5", "f=x / 2")
      #expect(expression.errors.contains("no expression gives a value for \"half\""), "\(expression.errors)")
      let other = try call("calling", "halves", "5", "f=kinds.number")
      #expect(other.errors.contains("number returns f64, but the callback has other outputs"), "\(other.errors)")
      let without = try call("calling", "halves", "5", "f=calling.bisect")
      let message = "bisect returns an object of half, but the callback has other outputs"
      #expect(without.errors.contains(message), "\(without.errors)")
    }

    /// A deadlock: the thread that runs the callback waits for its promise, and the call for that thread.
    @Test func aPromiseThatNeverComesIsGivenUp() throws {
      let ending = try call("--timeout", "0.2", "calling", "apply", "1", "2", "f=calling.never")
      #expect(ending.errors.contains("timed out after 0.2 s"))
      #expect(ending.status == 3)
    }

    @Test func aSessionKeepsCallbacks() throws {
      let ending = try HostProcess.run(
        "shell",
        input: """
          calling.keep f="x + 1"
          calling.fire 41
          n = calling.apply 3 4 'x * 10 + $2'
          $n
          calling.apply 3 4 calling.later
          calling.call null
          calling.keep f='x / 0'
          calling.fire 1

          """)
      #expect(ending.text == "42\n34\n34\n0\n0\n", "\(ending.errors)")
      #expect(ending.errors.contains("the callback f='x / 0': 1 / 0 at column 3 divides by zero"))
    }

    @Test func aPipelineWalksFolders() throws {
      let folder = TemporaryPath()
      try FileManager.default.createDirectory(at: folder.url.appending(path: "a/b"), withIntermediateDirectories: true)
      for name in ["1", "a/2", "a/b/3"] { try Data().write(to: folder.url.appending(path: name)) }
      let file = try PipelineFile(
        """
        plugins: [\(Self.libc), calling]
        set: {where: "", factor: 10}
        steps:
          walk: {call: libc.nftw, with: {path: "${where}", visit: {function: calling.visit}}, serial: one}
          visited: {call: calling.visited, after: walk, serial: one}
          files: {call: libc.nftw, with: {path: "${where}", visit: {expression: "kind if kind == 0 else 0"}}}
          first: {call: libc.nftw, with: {path: "${where}", visit: {expression: "7 if kind == 0 else 0"}}}
          sorted:
            call: libc.qsort
            with:
              elements: [30, 1, 200]
              compare: {expression: "(left - right) * ${factor} * ${steps.first}"}
          later: {call: calling.apply, with: {a: 1, b: 2, f: {function: calling.later}}, serial: one}
          each: {call: calling.apply, each: [{n: 5}, {n: 6}], with: {a: 1, b: 2, f: {expression: "x + ${item.n} * 10"}}}
        result: [walk, visited, files, first, sorted, later, each]
        """)
      for jobs in ["1", "4"] {
        let ending = try HostProcess.run(
          "run", "-j", jobs, "--progress", "off", "--set", "where=\(folder.path)", file.path)
        #expect(
          ending.text == #"{"walk":0,"visited":6,"files":0,"first":7,"sorted":{"elements":[1,30,200]},"later":12,"#
            + #""each":[51,61]}"# + "\n", "\(ending.errors)")
      }
      let plan = try HostProcess.run("run", "--dry-run", file.path)
      #expect(plan.text.contains("walk: libc.nftw(path: \"\", visit: {function: calling.visit}), serial one\n"))
      #expect(
        plan.text.contains(
          #"compare: {expression: "(left - right) * ${factor} * ${steps.first}"})"# + "\n"), "\(plan.text)")
    }

    @Test(arguments: [
      (
        "f: x + 1", 15,
        "\"f\" must be {function: PLUGIN.FUNCTION}, {expression: TEXT} or {stream: ROOM}, for the callback fn(x: i64"
      ),
      ("f: {function: calling.nope}", 26, "no function \"nope\""), ("f: {function: x}", 26, "must be PLUGIN.FUNCTION"),
      ("f: {function: nope.f}", 26, "\"plugins\" does not list \"nope\""),
      ("f: {function: calling.visited}", 26, ""), ("f: {function: calling.visit}", 26, "takes \"path\" as cstr"),
      ("f: {expression: x + z}", 28, "the callback has no argument \"z\"; it has x, $2"),
      ("f: {expression: x + steps.a}", 28, "a step's result is written as ${steps.a}"),
      ("f: {expression: '${steps.b}'}", 28, "no step is named \"b\""), ("f: {expression: 'x +'}", 28, "it ends where"),
    ])
    func mistakesOfFilesHaveAPlace(argument: String, column: Int, message: String) throws {
      let file = try PipelineFile(
        """
        plugins: [calling]
        steps:
          a: {call: calling.visited}
          b1:
            call: calling.apply
            with: {a: 1, b: 2,
                   \(argument)}
        """)
      let ending = try HostProcess.run("run", file.path)
      if message.isEmpty {
        #expect(ending.status == 0, "\(ending.errors)")
      } else {
        #expect(ending.errors.contains("p.yaml:7:\(column): error:"), "\(ending.errors)")
        #expect(ending.errors.contains(message), "\(ending.errors)")
        #expect(ending.status == 64)
      }
    }

    /// A callback has no value that could be a part of the key.
    @Test func callsWithCallbacksAreNotKept() throws {
      let file = try PipelineFile(
        """
        plugins: [calling]
        steps:
          a: {call: calling.apply, with: {a: 1, b: 2, f: {expression: x}}, pure: true}
        """)
      let ending = try HostProcess.run("run", file.path)
      #expect(ending.errors.contains("apply takes or returns values that are not valid in another run"))
    }

    @Test func completionOffersFunctions() throws {
      func candidates(_ words: String...) throws -> [String] {
        let ending = try HostProcess.run(
          ["complete", "--", "call", "--plugins", FixturePlugins.folder.path, "calling", "apply"] + words)
        return ending.text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
      }
      #expect(try candidates("f=cal") == ["f=calling."])
      #expect(try candidates("f=calling.vis") == ["f=calling.visit", "f=calling.visited"])
      let help = try HostProcess.run("call", "calling", "apply", "--help").text
      #expect(help.contains("CALLBACKS\n  f  PLUGIN.FUNCTION  or an expression of x, $2\n"))
      #expect(help.contains("calling.so apply a=1 b=1 f=x\n"))
    }
  }
}
