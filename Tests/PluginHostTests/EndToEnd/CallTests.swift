import Foundation
import Testing

@testable import plugin_host

extension EndToEnd {
  @Suite struct CallTests {
    @Test(arguments: [("rn", "; did you mean \"run\"?"), ("cal", "; did you mean \"call\"?"), ("nothing-like-it", "")])
    func anUnknownCommandIsSaid(word: String, hint: String) throws {
      let ending = try HostProcess.run(word, "x")
      #expect(ending.status == 64)
      #expect(
        ending.errors == "plugin-host: there is no command \"\(word)\"\(hint); plugin-host --help lists the commands\n")
    }

    @Test("the command line is read without /proc", .enabled(if: canHideProc, "no right to mount"))
    func commandLineWithoutProc() throws {
      let command = "mount -t tmpfs none /proc && exec \"$0\" \"$@\""
      let words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", command, HostProcess.executable.path]
      let host = try HostProcess(words + ["call", "no-such-plugin", "f"])
      host.process.executableURL = URL(filePath: "/usr/bin/env")
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.status == 2 && ending.errors.hasPrefix("plugin-host: no plugin \"no-such-plugin\": "), "\(ending)")
    }

    private static var canHideProc: Bool {
      system("unshare --user --map-root-user --mount mount -t tmpfs none /proc 2> /dev/null") == 0
    }

    @Test(
      "misspelt words of the command line get a suggestion",
      arguments: [
        (["call", "--isolation", "proces", "kinds", "tiny"], "'thread' or 'process'; did you mean \"process\"?"),
        (["call", "--isolation=tread", "kinds", "tiny"], "did you mean \"thread\"?"),
        (["call", "--format", "jsn", "kinds", "tiny"], "did you mean \"json\"?"),
        (["call", "--log", "eror", "kinds", "tiny"], "did you mean \"error\"?"),
        (["list", "--trust", "sined"], "did you mean \"signed\"?"), (["trust", "policy", "sined"], "\"signed\"?"),
        (["run", "--graph", "sgv", "x"], "did you mean \"svg\"?"),
        (["call", "--allow", "netwrok", "kinds", "tiny"], "did you mean \"network\"?"),
        (["cache", "pruen"], "there is no command \"pruen\" of cache; did you mean \"prune\"?"),
        (["trust", "polcy", "any"], "there is no command \"polcy\" of trust; did you mean \"policy\"?"),
        (["cache", "prune", "--al"], "unknown option --al; did you mean \"--all\"?"),
        (["quarantine", "list", "--jsno"], "unknown option --jsno; did you mean \"--json\"?"),
        (["call", "--signature", "f(x: i23)", "libm.so.6"], "token, value, fd); did you mean \"i32\"?"),
        (["call", "--signature", "f(x: in32)", "libm.so.6"], "did you mean \"i32\"?"),
        (["call", "--signature", "f(x: vaule)", "libm.so.6"], "did you mean \"value\"?"),
        (["call", "--signature", "sqtr(x: f64) -> f64", "libm.so.6", "4"], "did you mean \"sqrt\"?"),
      ])
    func suggestions(words: [String], hint: String) throws {
      let ending = try HostProcess.run(words)
      #expect(ending.status != 0 && ending.errors.contains(hint), "\(ending.errors)")
    }

    @Test(arguments: [
      ["number", "9007199254740993"], ["number", "+9007199254740993"], ["number", "0x20000000000001"],
      ["small", "16777217"], ["small", "--", "-16777217"], ["anything", "1e400"],
      ["anything", "[99999999999999999999]"],
    ])
    func aNumberIsNotRounded(words: [String]) throws {
      let ending = try HostProcess.run(["call", "kinds"] + words)
      #expect(ending.status == 64 && ending.text == "", "\(ending.text)")
      #expect(ending.errors.contains("expected a number that an f"), "\(ending.errors)")
    }

    @Test(arguments: [
      (["flip", "true"], "false"), (["tiny"], "-3"), (["tiny", "-128"], "-128"), (["tiny", "x=0x7f"], "127"),
      (["whole", "-9223372036854775808"], "-9223372036854775808"),
      (["natural", "18446744073709551615"], "18446744073709551615"),
      (["number", "-1.5e-7"], "-1.5e-07"), (["number", "-inf"], "\"-Infinity\""), (["number", "nan"], "\"NaN\""),
      (["nothing"], "null"), (["text"], "\"none\""), (["text", ""], "\"\""),
      (["text", "tab\t\"\u{1B}日本\n"], #""tab\t\"\u001b日本\n""#), (["text", "--", "y=1"], "\"y=1\""),
      (["text", "x=x=1"], "\"x=1\""), (["text", "--", "-v"], "\"-v\""), (["text", #"\@home"#], "\"@home\""),
      (["text", #"\-"#], "\"-\""), (["text", "--", "@home"], "\"@home\""), (["text", "--", "x=@home"], "\"x=@home\""),
      (["text", "--text", "x=@home"], "\"@home\""), (["text", "--", "-"], "\"-\""), (["text", "a/x=1"], "\"a/x=1\""),
      (["small", "0.1"], "0.1"), (["small", "--", "-3.4028235e38"], "-3.4028235e+38"),
      (["small", "inf"], "\"Infinity\""), (["small", "16777216"], "16777216.0"),
      (["number", "0x20000000000000"], "9007199254740992.0"), (["number", "9007199254740992"], "9007199254740992.0"),
      (["mixed", "0.1", "0.1"], #"{"x":0.1,"y":0.1}"#),
      (["split", "0.2"], #"{"result":1,"half":0.1,"third":0.20000000298023224}"#),
      (["packed", "hi"], #"{"base64":"aGk="}"#), (["anything", #"[{"base64":"/wA="},1]"#], #"[{"base64":"/wA="},1]"#),
      (["anything", #"{"a":{"base64":"/wA="}}"#], #"{"a":{"base64":"/wA="}}"#),
      (["blob", "hi!"], "\"aGkh\""), (["blob", ""], "\"\""), (["blob", "a"], "\"YQ==\""),
    ])
    func printsOneLineOfJSON(words: [String], expected: String) throws {
      let ending = try HostProcess.run(["call", "kinds"] + words)
      #expect(ending.text == expected + "\n")
      #expect(ending.errors == "")
      #expect(ending.status == 0)
    }

    @Test("the function of --signature is named after the whole library")
    func namesOfLibraries() throws {
      let ending = try HostProcess.run(
        "call", "--signature", "g_get_num_processors() -> u32 ! nonzero", "libglib-2.0.so.0")
      #expect(ending.errors.hasPrefix("plugin-host: libglib-2_0.g_get_num_processors: "), "\(ending.errors)")
    }

    /// Runs the host with a word that no Swift string can be. `word` has the escapes of printf(1).
    private func call(_ words: [String], _ word: String) throws -> HostProcess.Ending {
      let host = try HostProcess(
        [
          "-c", "word=$(printf '%b' \"$1\"); shift; exec \"$0\" call \"$@\" \"$word\"", HostProcess.executable.path,
          word,
        ]
          + words)
      host.process.executableURL = URL(filePath: "/bin/sh")
      try host.process.run()
      return try host.wait()
    }

    @Test func bytesOfTheCommandLineAreKept() throws {
      for word in [#"x=caf\0351"#, #"caf\0351"#] {
        let ending = try call(["--raw", "kinds", "blob"], word)
        #expect(ending.output == Data([0x63, 0x61, 0x66, 0xE9]), "\(ending.errors)")
      }
      #expect(
        try call(["--raw", "kinds", "blob", "--"], #"\0377=\0357\0277\0277"#).output
          == Data([0xFF, 0x3D, 0xEF, 0xBF, 0xBF]))
      let text = try call(["kinds", "text"], #"caf\0351"#)
      #expect(text.status == 64)
      #expect(text.errors.hasPrefix("plugin-host: kinds.text: argument 'x' is not UTF-8, which str has to be\n"))
      let function = try call(["kinds"], #"te\0351xt"#)
      #expect(function.errors.contains("no function \"te\u{FFFD}xt\"; did you mean \"text\"?"))
      let missing = try call(["kinds", "text"], #"@/no/\0351"#)
      #expect(missing.errors == "plugin-host: argument 'x': /no/\u{FFFD}: No such file or directory\n")
    }

    @Test func readsFilesAndStandardInput() throws {
      let file = TemporaryPath()
      try Data([0, 255, 10]).write(to: file.url)
      #expect(try HostProcess.run("call", "kinds", "blob", "@\(file.path)").text == "\"AP8K\"\n")
      #expect(try HostProcess.run("call", "kinds", "blob", "x=-", input: "in\n").text == "\"aW4K\"\n")
      #expect(try HostProcess.run("call", "kinds", "text", "@-", input: "in\n").text == "\"in\\n\"\n")
      #expect(try HostProcess.run("call", "kinds", "whole", "-", input: " 5\n").text == "5\n")
      let binary = try HostProcess.run("call", "kinds", "text", "@\(file.path)")
      #expect(binary.status == 64)
      #expect(binary.errors.contains("UTF-8"))
      let missing = try HostProcess.run("call", "kinds", "text", "@/no/file")
      #expect(missing.status == 64)
      #expect(missing.errors == "plugin-host: argument 'x': /no/file: No such file or directory\n")
    }

    @Test func rawWritesTheBytesOfTheResult() throws {
      #expect(
        try HostProcess.run("call", "--raw", "kinds", "blob", "-", input: "a\u{0}b").output == Data("a\u{0}b".utf8))
      #expect(try HostProcess.run("call", "kinds", "text", "no end", "--raw").text == "no end")
      #expect(try HostProcess.run("call", "--raw", "kinds", "tiny").text == "-3\n")
      #expect(try HostProcess.run("call", "--raw", "kinds", "nothing").text == "")
    }

    @Test func aFormatIsChosen() throws {
      for words in [["--format", "raw"], ["--output", "raw"], ["-o", "raw"], ["--raw", "--format", "raw"]] {
        let host = try HostProcess(["call"] + words + ["kinds", "text", "a b"])
        try host.process.run()
        #expect(try host.wait().text == "a b")
      }
      #expect(try HostProcess.run("call", "--output", "json", "kinds", "text", "a\nb").text == "\"a\\nb\"\n")
      #expect(try HostProcess.run("call", "--output", "table", "kinds", "text", "a\nb").text == "a b\n")
      let file = TemporaryPath()
      #expect(try HostProcess.run("call", "-o", "table", "-o", file.path, "kinds", "tiny").text == "")
      #expect(try Data(contentsOf: file.url) == Data("-3\n".utf8))
    }

    @Test(arguments: [
      (["--format", "xml"], "xml"), (["--raw", "--format", "table"], "one format, not"),
      (["-o", "json", "--raw"], "one format, not"),
      (["-o", "./a", "-o", "./b"], "one file for the result, not ./a and ./b"),
    ])
    func twoFormatsAreWrongUsage(words: [String], part: String) throws {
      let ending = try HostProcess.run(["call"] + words + ["kinds", "tiny"])
      #expect(ending.status == 64 && ending.text == "")
      #expect(ending.errors.contains(part), "\(ending.errors)")
    }

    @Test func writesToAFile() throws {
      let file = TemporaryPath()
      let ending = try HostProcess.run("call", "--raw", "-o", file.path, "kinds", "text", "x")
      #expect(ending.status == 0 && ending.output.isEmpty)
      #expect(try Data(contentsOf: file.url) == Data("x".utf8))
      let full = try HostProcess.run("call", "--output", "/dev/full", "kinds", "text", "x")
      #expect(full.status == 1)
      #expect(full.errors == "plugin-host: the result cannot be written: /dev/full: No space left on device\n")
    }

    @Test func aClosedStandardOutputIsAnError() throws {
      // No other file may get descriptor 1, which would receive the result.
      let host = try HostProcess(["-c", "exec \"$0\" \"$@\" >&-", HostProcess.executable.path, "call", "kinds", "tiny"])
      host.process.executableURL = URL(filePath: "/bin/sh")
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.status == 1)
      #expect(ending.errors == "plugin-host: the result cannot be written: Bad file descriptor\n")
    }

    @Test func aRejectionIsStatusOne() throws {
      let ending = try HostProcess.run("call", "kinds", "fail", "no\nway")
      #expect(ending.status == 1)
      #expect(ending.text == "")
      #expect(ending.errors == "plugin-host: kinds.fail: no way (fixture 7)\n")
    }

    @Test(arguments: [[], ["--isolation", "process"]])
    func aPromiseThatNothingCanSettleIsARejection(options: [String]) throws {
      let ending = try HostProcess.run(["call"] + options + ["later", "lost"])
      #expect(ending.status == 1)
      #expect(
        ending.errors == "plugin-host: later.lost: returned a promise that nothing can settle: "
          + "its last reference was released while it was pending\n")
    }

    @Test(arguments: [
      (["kinds", "tiny", "128"], "expected an integer from -128 to 127"), (["kinds", "flip"], "x"),
      (["kinds", "tiny", "1", "2"], "kinds.tiny: "), (["kinds", "tiny", "x=1", "x=2"], "kinds.tiny: "),
      (["kinds", "whole", "xy"], "xy"), (["kinds", "fail", "mesage=x"], "did you mean \"message\"?"),
      (["kinds", "text", "--text", "y=1"], "text has no parameter \"y\""),
      (["kinds", "text", "--text", "y"], "NAME=VALUE"), (["kinds", "tnyi"], "did you mean \"tiny\"?"),
      (["kinds"], "<function>"),
      ([], "<plugin>"), (["kinds", "tiny", "--rwa"], "unknown option --rwa; did you mean \"--raw\"?"),
      (["kinds", "tiny", "--timout=5"], "unknown option --timout=5; did you mean \"--timeout\"?"),
      (["kinds", "tiny", "-q"], "unknown option -q; before"),
      (
        ["--timeout", "0", "kinds", "tiny"],
        "'0' is invalid for '--timeout <seconds>': expected a number of seconds greater than 0"
      ),
      (["--timeout", "-1", "kinds", "tiny"], "'-1'"), (["--log", "loud", "kinds", "tiny"], "loud"),
      (["--config", "x", "kinds", "tiny"], "expected PLUGIN:KEY=VALUE"),
      (["--config", "x:y=z", "kinds", "tiny"], "no such plugin is used here"),
    ])
    func wrongUsageIsStatus64(words: [String], part: String) throws {
      let ending = try HostProcess.run(["call"] + words)
      #expect(ending.status == 64)
      #expect(ending.text == "")
      #expect(ending.errors.contains(part), "\(ending.errors)")
    }

    @Test func aFunctionHasHelpOfItsOwn() throws {
      for words in [["call", "kinds", "small", "--help"], ["call", "--raw", "kinds", "-h", "small", "x=3"]] {
        let ending = try HostProcess.run(words)
        #expect(ending.status == 0 && ending.errors == "")
        #expect(ending.text.hasPrefix("small(x: f32) -> f32\n    The same.\n\nARGUMENTS\n  x  f32\n\nRESULT\n  f32\n"))
        #expect(ending.text.contains("\nC\n  float small(float x);\n"), "\(ending.text)")
      }
      #expect(try HostProcess.run("call", "--help").text.hasPrefix("OVERVIEW: Call one function"))
      #expect(try HostProcess.run("call", "kinds", "--help").text.hasPrefix("OVERVIEW: Call one function"))
      let text = try HostProcess.run("call", "kinds", "text", "--", "--help")
      #expect(text.text == "\"--help\"\n")
      let unknown = try HostProcess.run("call", "kinds", "smal", "--help")
      #expect(unknown.status == 64 && unknown.errors.contains("did you mean \"small\"?"))
      let tail = try HostProcess.run(
        "call", "--help", "--signature", "printf(format: cstr, ...rest: i32 | f64) -> i32", "libc.so.6")
      #expect(tail.text.contains("\n  format  cstr\n  rest    i32 | f64\n"), "\(tail.text)\(tail.errors)")
    }

    @Test(arguments: [
      ("fmal(x: f64x, y: f64x, z: f64x) -> f64x", "libm.so.6", ["2", "3.5", "-1e3"], "-993.0"),
      ("modfl(x: f64x, whole: out f64x) -> f64x", "libm.so.6", ["-3.25"], #"{"result":-0.25,"whole":-3.0}"#),
      ("scalbnl(x: f64x, exponent: i32) -> f64x", "libm.so.6", ["1", "20000"], #""Infinity""#),
      ("strtold(text: cstr, end: ptr<void>?) -> f64x", "libc.so.6", ["0.1"], "0.1"),
      (
        "snprintf(text: out str[room], room: usize = 99, format: cstr, ...: i32 | f64x) -> i32", "libc.so.6",
        ["room=99", "%d %d %d %d %Lg %Lg", "1", "2", "3", "4", "0.5", "1e300"],
        #"{"result":18,"text":"1 2 3 4 0.5 1e+300"}"#
      ),
    ])
    func longDoublesAreRounded(signature: String, library: String, words: [String], expected: String) throws {
      for place in ["in-process", "process"] {
        let ending = try HostProcess.run(["call", "--isolation", place, "--signature", signature, library] + words)
        #expect(ending.text == expected + "\n", "\(ending.errors)")
      }
    }

    @Test func aMistypedPluginIsSuggested() throws {
      for name in ["kindz", "org.example.kindz"] {
        let ending = try HostProcess.run("call", name, "tiny")
        #expect(ending.status == 2)
        #expect(ending.errors.hasSuffix("; did you mean \"kinds\"?\n"), "\(ending.errors)")
      }
    }

    @Test func showsTheSignatureOfAFunctionThatWasCalledWrongly() throws {
      let ending = try HostProcess.run("call", "kinds", "tiny", "y=3", "4")
      #expect(ending.status == 64 && ending.errors.contains("plugin-host: usage: tiny(x: i8 = -3) -> i8\n"))
      let second = try HostProcess.run("call", "kinds", "tiny", "3", "4")
      #expect(second.errors.hasSuffix("expected at most 1: tiny(x: i8 = -3) -> i8\n"), "\(second.errors)")
    }

    @Test(arguments: [
      ("noplugin", "noplugin.so"), ("lonely", "\"org.example.lonely\" requires \"org.example.missing\""),
      ("refusing", "not on a Sunday"), ("org.other.kinds", "\(FixturePlugins.path("kinds")) is \"org.example.kinds\""),
    ])
    func aPluginThatCannotBeLoadedIsStatusTwo(plugin: String, part: String) throws {
      let ending = try HostProcess.run("call", plugin, "nothing")
      #expect(ending.status == 2)
      #expect(ending.text == "")
      #expect(ending.errors.contains(part), "\(ending.errors)")
    }

    @Test func findsRequiredPlugins() throws {
      for plugin in ["needy", "org.example.needy", FixturePlugins.path("needy")] {
        let ending = try HostProcess.run(
          "call", plugin, "ask", "-7",
          environment: ["PROMISE_PLUGIN_PATH": plugin.hasPrefix("/") ? "" : FixturePlugins.folder.path])
        #expect(ending.text == "-7\n")
        #expect(ending.errors == "")
      }
    }

    @Test func configures() throws {
      let ending = try HostProcess.run(
        "call", "--config", "kinds:a.b=x", "--config", "org.example.kinds:a.b=c=d", "kinds", "setting", "a.b")
      #expect(ending.text == "\"c=d\"\n")
      #expect(
        try HostProcess.run("call", "kinds", "setting", "a").errors
          == "plugin-host: kinds.setting: not set (fixture 8)\n")
    }

    @Test func showsTheLog() throws {
      let loud = try HostProcess.run("call", "kinds", "say", "3", "red\u{1B}[31m\nalert")
      #expect(loud.errors == "org.example.kinds: warning: red [31m alert\n")
      #expect(loud.text == "null\n")
      #expect(try HostProcess.run("call", "kinds", "say", "2", "quiet").errors == "")
      #expect(
        try HostProcess.run("call", "--log", "info", "kinds", "say", "2", "x").errors == "org.example.kinds: info: x\n")
      #expect(try HostProcess.run("call", "--log", "off", "kinds", "say", "4", "x").errors == "")
    }

    @Test func reportsProgress() throws {
      let ending = try HostProcess.run("call", "later", "slowly", "4")
      #expect(ending.text == "4\n")
      #expect(
        ending.errors == """
          slowly: 0 % step 0
          slowly: 25 % step 1
          slowly: 50 % step 2
          slowly: 75 % step 3
          slowly: 100 % step 4

          """)
      #expect(try HostProcess.run("call", "--progress", "off", "later", "slowly", "4").errors == "")
    }

    @Test func aResultThatFindsNoRoomWhenItsFileIsClosedIsNotWritten() throws {
      let folder = FixturePlugins.folder.resolvingSymlinksInPath().appending(path: "full")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let path = folder.appending(path: "result.json").path
      let ending = try HostProcess.run(
        "call", "--output", path, "kinds", "tiny",
        environment: ["LD_PRELOAD": FixturePlugins.path("Preloaded/full"), "FULL": folder.path])
      #expect(ending.errors.contains("the result cannot be written: \(path): No space left on device"))
      #expect(ending.status == 1)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    @Test(arguments: ["never", "block"])
    func aTimeoutIsStatusThree(function: String) throws {
      let ending = try HostProcess.run("call", "--timeout", "0.1", "--log", "off", "later", function)
      #expect(ending.status == 3)
      #expect(ending.text == "")
      #expect(ending.errors.hasSuffix("plugin-host: later.\(function): timed out after 0.1 s\n"))
    }

    @Test("--timeout covers the reading of an argument's file")
    func aTimeoutCoversReading() throws {
      let path = FileManager.default.temporaryDirectory.appending(path: "fifo-\(UUID().uuidString)").path
      #expect(mkfifo(path, 0o600) == 0)
      defer { unlink(path) }
      let ending = try HostProcess.run("call", "--timeout", "0.1", "kinds", "tiny", "@\(path)")
      #expect(ending.status == 3 && ending.text == "", "\(ending)")
      #expect(ending.errors == "plugin-host: kinds.tiny: timed out after 0.1 s\n", "\(ending)")
    }

    /// Tries a longer limit if one passes before the function is called, as it may on a slow machine.
    @Test func aTimeoutDiscardsTheCall() throws {
      let endings = ["0.1", "1", "10", "100"].lazy.map { seconds in
        let errors = try? HostProcess.run("call", "--timeout", seconds, "later", "never").errors
        return errors?.replacing("after \(seconds) s", with: "in time").split(separator: "\n").sorted()
      }
      #expect(
        endings.contains([
          "never: for ever", "org.example.later: error: discarded", "plugin-host: later.never: timed out in time",
        ]))
    }

    @Test func everyHelpHasTheExitStatuses() throws {
      let commands = PluginHost.shownCommands.map(\.words)
      #expect(commands.contains([]) && commands.contains(["trust"]) && commands.contains(["trust", "add"]))
      for command in commands {
        let ending = try HostProcess.run(command + ["--help"])
        #expect(ending.status == 0)
        #expect(ending.errors == "")
        for line in ["0   fulfilled", "1   rejected", "2   a plugin could", "3   timed out", "64  wrong usage"] {
          #expect(ending.text.contains(line), "\(command)")
        }
      }
      #expect(try HostProcess.run("--version").status == 0)
      #expect(try HostProcess.run("--bogus").status == 64)
    }
  }
}
