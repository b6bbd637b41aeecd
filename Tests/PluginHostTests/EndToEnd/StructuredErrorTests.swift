import Foundation
import Testing

extension EndToEnd {
  /// Failures for programs: JSON on standard error with `--format json`.
  @Suite struct StructuredErrorTests {
    private func error(_ words: String...) throws -> (status: Int32?, members: [String: Any]) {
      let ending = try HostProcess.run(["call", "--plugins", Package.adopted, "--format", "json"] + words)
      #expect(ending.text == "")
      let object = try JSONSerialization.jsonObject(with: Data(ending.errors.utf8)) as? [String: [String: Any]]
      return (ending.status, try #require(object?["error"], "\(ending.errors)"))
    }

    @Test func aRejectionHasItsDomainAndCode() throws {
      let (status, error) = try error("sqlite", "sqlite3_open", "/nonexistent/file")
      #expect(status == 1)
      #expect(error["kind"] as? String == "rejected" && error["status"] as? Int == 1)
      #expect(error["plugin"] as? String == "org.sqlite" && error["function"] as? String == "sqlite3_open")
      #expect(error["domain"] as? String == "org.sqlite" && error["code"] as? Int == 14)
      #expect(error["message"] as? String == "unable to open database file")
    }

    @Test func otherFailuresHaveAKindAndAMessage() throws {
      let usage = try error("libm", "pow", "x", "2")
      #expect(usage.status == 64 && usage.members["kind"] as? String == "usage")
      #expect((usage.members["message"] as? String)?.contains("expected a number") == true, "\(usage.members)")
      let unknown = try error("libm", "pov")
      #expect((unknown.members["message"] as? String)?.contains("did you mean \"pow\"?") == true, "\(unknown.members)")
      let missing = try error("./none.so", "f")
      #expect(missing.status == 2 && missing.members["kind"] as? String == "notLoaded")
    }

    @Test(
      "failures of commands that print JSON are JSON, too",
      arguments: [
        ["inspect", "--json", "./none.so"], ["inspect", "--elf", "--json", "./none.so"],
        ["inspect", "--json", "./none.so", "more"], ["list", "--json", "./none.so"], ["list", "--jsom", "--json"],
        ["check", "--format", "json", "./none.so"], ["check", "--format=json", "--calls", "0", "./none.so"],
        ["cache", "list", "--json", "--cache", "/dev"], ["cache", "list", "--json", "more"],
        ["quarantine", "list", "--json", "more"],
      ])
    func failuresOfJSON(words: [String]) throws {
      let ending = try HostProcess.run(words)
      let error = try members(ending.errors)
      #expect(error["status"] as? Int32 == ending.status && ending.status != 0, "\(ending.errors)")
      #expect((error["message"] as? String)?.isEmpty == false)
    }

    @Test func eachFileThatIsNotListedHasALine() throws {
      let ending = try HostProcess.run("list", "--json", "./none.so", "./neither.so")
      let lines = ending.errors.split(separator: "\n")
      #expect(ending.text == "[]\n" && ending.status == 2 && lines.count == 2)
      #expect(
        try zip(["none", "neither"], lines).allSatisfy { name, line in
          (try members(String(line))["message"] as? String)?.contains(name) == true
        })
    }

    @Test func withoutTheOptionFailuresAreText() throws {
      let ending = try HostProcess.run("call", "--plugins", Package.adopted, "libm", "pow", "x", "2")
      #expect(ending.errors.hasPrefix("plugin-host: libm.pow: "))
    }

    @Test(
      "a reason that is a value is JSON, in both forms and from both places",
      arguments: [
        (#"{"b":[1,{"c":null}],"a":-1.5}"#, #"{"a":-1.5,"b":[1,{"c":null}]}"#), ("[]", "[]"), ("{}", "{}"),
        ("42", "42"), ("true", "true"), (#"["x"]"#, #"["x"]"#), (#"{"base64":"AAH/"}"#, #"{"base64":"AAH/"}"#),
      ], [["--isolation", "process"], []])
    func reasonsAreJSON(_ reason: (given: String, printed: String), options: [String]) throws {
      let plain = try HostProcess.run(["call"] + options + ["kinds", "refuse", "reason=\(reason.given)"])
      #expect(plain.errors == "plugin-host: kinds.refuse: \(reason.printed)\n" && plain.status == 1)
      let json = try HostProcess.run(
        ["call", "--format", "json"] + options + ["kinds", "refuse", "reason=\(reason.given)"])
      #expect(json.errors.hasSuffix(",\"reason\":\(reason.printed)}}\n"), "\(json.errors)")
      #expect(try members(json.errors)["message"] as? String == "kinds.refuse: \(reason.printed)")
    }

    @Test func aTextAsReasonIsItsMessage() throws {
      let plain = try HostProcess.run("call", "kinds", "refuse", "reason=\"no \\\"way\\\"\"")
      #expect(plain.errors == "plugin-host: kinds.refuse: no \"way\"\n")
      let json = try HostProcess.run("call", "--format", "json", "kinds", "refuse", "reason=\"no \\\"way\\\"\"")
      let error = try members(json.errors)
      #expect(error["reason"] as? String == "no \"way\"" && error["message"] as? String == "kinds.refuse: no \"way\"")
    }

    @Test("a rejection because of another worker's end has the call there as its cause")
    func causes() throws {
      let ending = try HostProcess.run("call", "--isolation", "process", "--format", "json", "relay", "crash")
      #expect(ending.status == 1)
      let line = try #require(ending.errors.split(separator: "\n").last.map(String.init))
      let error = try members(line)
      #expect(error["plugin"] as? String == "org.example.relay" && error["kind"] as? String == "rejected")
      let causes = try #require(error["causes"] as? [[String: String]], "\(line)")
      #expect(causes.map { $0["subject"] } == ["org.example.mortal.crash"])
      #expect(causes[0]["message"]?.contains("generation 1) was killed by SIGSEGV") == true, "\(line)")
      let message = error["message"] as? String
      #expect(message?.hasPrefix("relay.crash: depends on org.example.mortal.crash") == true, "\(line)")
    }

    @Test("the end of the process in code of a plugin is JSON")
    func endsOfTheProcess() throws {
      func error(_ words: String..., in environment: [String: String] = [:]) throws -> [String: Any] {
        let ending = try HostProcess.run(
          ["call", "--isolation", "in-process", "--format", "json"] + words, environment: environment)
        // The plugin's output precedes the line, and the stack that the runtime of Swift prints follows it.
        let lines = ending.errors.split(separator: "\n").map(String.init)
        return try members(try #require(lines.first { $0.hasPrefix("{\"error\"") }, "\(ending.errors)"))
      }
      let left = try error("mortal", "leave", "7")
      #expect(left["kind"] as? String == "rejected" && left["status"] as? Int == 1)
      #expect(left["plugin"] as? String == "org.example.mortal" && left["function"] as? String == "leave")
      #expect(
        left["message"] as? String == "org.example.mortal.leave: called exit(7) in this call: the process ends")
      let crashed = try error("mortal", "crash")
      #expect(crashed["status"] as? Int == 139 && crashed["signal"] as? String == "SIGSEGV", "\(crashed)")
      #expect(crashed["function"] as? String == "crash")
      let unloaded = try error("mortal", "echo", "1", in: ["HANG_IN": "exit"])
      #expect(unloaded["kind"] as? String == "rejected" && unloaded["status"] as? Int == 1, "\(unloaded)")
      #expect(unloaded["plugin"] as? String == "org.example.mortal" && unloaded["function"] == nil, "\(unloaded)")
    }

    @Test("the end of the process in a file of any name is JSON with that name, in which a control character is '?'")
    func endsInAFileOfAnyName() throws {
      let folder = try TemporaryFolder()
      let (plugin, shown) = (folder.path("ä漢😀\"\\\u{7f}.so"), folder.path("ä漢😀\"\\?.so"))
      try FileManager.default.copyItem(atPath: FixturePlugins.path("replacing"), toPath: plugin)
      let ending = try HostProcess.run(
        "call", "--isolation", "in-process", "--format", "json", plugin, "run", "execv",
        environment: ["REPLACE_IN": "load"])
      let lines = ending.errors.split(separator: "\n").map(String.init)
      let error = try members(try #require(lines.first { $0.hasPrefix("{\"error\"") }, "\(ending.errors)"))
      #expect(error["kind"] as? String == "notLoaded" && error["plugin"] as? String == shown, "\(error)")
      let message = error["message"] as? String
      #expect(message?.hasPrefix("\(shown): called execv() in load()") == true, "\(error)")
    }

    @Test(
      "mistakes in the command line are JSON too, and begin like all failures without it",
      arguments: [
        (["kinds"], "missing expected argument '<function>'"),
        (["--row", "kinds", "tiny"], "unknown option --row; did you mean \"--raw\"?"),
        (["kinds", "tiny", "--row"], "unknown option --row; did you mean \"--raw\"?"),
        (["--timeout", "x", "kinds", "tiny"], "the value 'x' is invalid for '--timeout <seconds>'"),
      ])
    func mistakesInTheCommandLine(words: [String], message: String) throws {
      for option in [["--format", "json"], ["--format=json"], ["-o", "json"]] {
        let json = try HostProcess.run(["call"] + option + words)
        let error = try members(json.errors)
        #expect(error["kind"] as? String == "usage" && error["status"] as? Int == 64 && json.status == 64)
        #expect((error["message"] as? String)?.hasPrefix(message) == true, "\(error)")
        #expect((error["message"] as? String)?.contains("\n") == false, "\(error)")
      }
      let plain = try HostProcess.run(["call"] + words)
      #expect(plain.errors.hasPrefix("plugin-host: \(message)") && plain.status == 64, "\(plain.errors)")
    }

    @Test func aPipelineNamesEachStep() throws {
      let file = try PipelineFile(
        """
        plugins: [kinds]
        steps:
          a: {call: kinds.refuse, with: {reason: {code: 7}}}
          b: {call: kinds.fail, with: {message: broken}}
          c: {call: kinds.nothing, after: a}
          d: {call: kinds.fail, with: {message: first}, rescue: {call: kinds.refuse, with: {reason: "1"}}}
        """)
      let ending = try HostProcess.run("run", "--format", "json", "--progress", "off", file.path)
      #expect(ending.status == 1 && ending.text == "")
      let lines = ending.errors.split(separator: "\n").map(String.init)
      try #require(lines.count == 3, "\(ending.errors)")
      let (a, b, d) = (try members(lines[0]), try members(lines[1]), try members(lines[2]))
      #expect(a["step"] as? String == "a" && a["plugin"] as? String == "org.example.kinds")
      #expect(a["function"] as? String == "refuse" && (a["reason"] as? [String: Int]) == ["code": 7])
      #expect(b["step"] as? String == "b" && b["domain"] as? String == "fixture" && b["code"] as? Int == 7)
      #expect(b["message"] as? String == "broken")
      #expect(d["step"] as? String == "d" && d["function"] as? String == "refuse")
      let wrong = try PipelineFile("plugins: [kinds]\nsteps: {a: {call: kinds.fial}}\n")
      let usage = try HostProcess.run("run", "--format", "json", wrong.path)
      #expect(try members(usage.errors)["kind"] as? String == "usage")
      let plain = try HostProcess.run("run", "--progress", "off", file.path)
      #expect(
        plain.errors
          == "plugin-host: a: {\"code\":7}\nplugin-host: b: broken (fixture 7)\nplugin-host: d: 1\n")
    }

    @Test func aSessionNamesTheLine() throws {
      func error(_ script: String) throws -> [String: Any] {
        let ending = try HostProcess.run("shell", "--format", "json", input: script)
        return try members(ending.errors)
      }
      let refused = try error("kinds.nothing\nkinds.refuse '{\"code\":7}'\n")
      #expect(refused["line"] as? Int == 2 && (refused["reason"] as? [String: Int]) == ["code": 7])
      #expect(refused["function"] as? String == "refuse" && refused["status"] as? Int == 1)
      let mistake = try error("\n\nkinds.tiny 'x\n")
      #expect(mistake["line"] as? Int == 3 && mistake["kind"] as? String == "usage")
      #expect((mistake["message"] as? String)?.hasPrefix("stdin:3: column 12: ") == true, "\(mistake)")
    }

    @Test("secrets are hidden before they become JSON", arguments: ["s3cret", "with \"s3c\" \\ and\ttab", "1234567"])
    func secretsInReasons(secret: String) throws {
      let file = try PipelineFile(
        """
        plugins: [kinds]
        secrets: {token: {env: TOKEN}}
        steps:
          a: {call: kinds.refuse, with: {reason: {a: ["${token}"], b: {step: bytes}}}}
          b: {call: kinds.fail, with: {message: "bad ${token}"}}
          bytes: {call: kinds.blob, with: {x: "x${token}"}}
        """)
      for options in [[], ["--format", "json"]] {
        let host = try HostProcess(
          ["run", "--progress", "off"] + options + [file.path], environment: ["TOKEN": secret])
        try host.process.run()
        let ending = try host.wait()
        #expect(ending.errors.contains("***") && !ending.errors.contains("s3c"), "\(ending.errors)")
        #expect(!ending.errors.contains("234567") && !ending.errors.contains("base64"), "\(ending.errors)")
        guard !options.isEmpty else { continue }
        for line in ending.errors.split(separator: "\n") { _ = try members(String(line)) }
      }
    }

    @Test(
      "a secret that looks like a part of the line of JSON does not damage it",
      arguments: [
        "error", "status", "rejected", #"{"error"#, "message", #""kind":"#,
      ])
    func secretsLikeTheLine(secret: String) throws {
      let file = try PipelineFile(
        """
        plugins: [kinds]
        secrets: {token: {env: TOKEN}}
        steps:
          a: {call: kinds.refuse, with: {reason: ["${token}"]}, rescue: {value: ~}}
          b: {call: kinds.fail, with: {message: "bad ${token}"}}
        """)
      let host = try HostProcess(
        ["run", "--progress", "off", "--format", "json", file.path], environment: ["TOKEN": secret])
      try host.process.run()
      let ending = try host.wait()
      let lines = ending.errors.split(separator: "\n").map(String.init)
      #expect(!lines.isEmpty)
      for line in lines { _ = try members(line) }
      let last = try members(try #require(lines.last))
      #expect(last["message"] as? String == "bad ***" && last["status"] as? Int == 1, "\(ending.errors)")
    }

    @Test func aLongMessageIsCut() throws {
      let folder = try TemporaryFolder()
      try folder.write(String(repeating: "x", count: 1 << 20 | 3), to: "long")
      let message = "message=@\(folder.path("long"))"
      let ending = try HostProcess.run("call", "--format", "json", "kinds", "fail", message)
      #expect((try members(ending.errors)["message"] as? String)?.hasSuffix("x... (3 more bytes)") == true)
    }

    private func members(_ line: String) throws -> [String: Any] {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: [String: Any]]
      return try #require(object?["error"], "\(line)")
    }
  }
}
