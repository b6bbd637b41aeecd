import Foundation
import Testing

extension EndToEnd {
  @Suite struct IsolationTests {
    @Test("calls are nested as deep as --recursion-limit says", arguments: ["in-process", "thread", "process"])
    func recursion(_ place: String) throws {
      func call(_ levels: Int, _ limit: String...) throws -> HostProcess.Ending {
        let plugin = FixturePlugins.path("recursing")
        return try HostProcess.run(["call", "--isolation", place] + limit + [plugin, "recurse", "levels=\(levels)"])
      }
      #expect(try call(2, "--recursion-limit", "3").text == "7\n")
      let deep = try call(3, "--recursion-limit", "3")
      #expect(deep.text == "" && deep.status == 1)
      #expect(
        deep.errors.contains("org.example.recursing.recurse: is not called: it is nested in 3 calls"), "\(deep.errors)")
      #expect(try call(255).text == "7\n")
      #expect(try call(256).errors.contains("it is nested in 256 calls, which is the limit"))
      #expect(try call(0, "--recursion-limit", "0").errors.contains("expected a number from 1 to 1000"))
    }

    @Test("a plugin listed with two kinds of isolation, or required before it is listed with one, is refused")
    func listedTwice() throws {
      let steps = "\nsteps: {a: {call: kinds.nothing}}"
      let twice = try run(
        "plugins:\n- {plugin: kinds, isolation: process}\n- {plugin: org.example.kinds, isolation: in-process}\(steps)")
      #expect(twice.status == 64 && twice.text == "", "\(twice)")
      #expect(twice.errors.contains("p.yaml:3:12: error: "), "\(twice.errors)")
      #expect(twice.errors.contains("p.yaml:2:12\n"), "\(twice.errors)")
      // Each entry is compared with the first one that has settings.
      let names = ["kinds", "org.example.kinds", FixturePlugins.path("kinds")]
      let thrice = try run(
        "plugins:\n"
          + zip(names, ["process", "in-process", "process"]).map { "- {plugin: \($0), isolation: \($1)}\n" }.joined()
          + steps)
      #expect(thrice.errors.contains("p.yaml:3:12: error: "), "\(thrice.errors)")
      #expect(!thrice.errors.contains("p.yaml:4:12"), "\(thrice.errors)")
      let late = try run("plugins: [needy, {plugin: kinds, isolation: process}]\(steps)")
      #expect(late.status == 64, "\(late)")
      #expect(late.errors.contains("list it before that one"), "\(late.errors)")
      #expect(try run("plugins: [{plugin: kinds, isolation: process}, needy]\(steps)").status == 0)
      for list in [
        "{plugin: kinds, isolation: process}, org.example.kinds",
        "kinds, {plugin: org.example.kinds, pool: 2, isolation: process}",
      ] {
        let bare = try run("plugins: [\(list)]\(steps)")
        #expect(bare.status == 64 && bare.errors.contains("the plugin has other settings"), "\(bare)")
      }
    }

    private func run(_ text: String, _ options: String...) throws -> HostProcess.Ending {
      let file = try PipelineFile(text)
      return try HostProcess.run(["run"] + options + [file.path])
    }

    @Test func aCallGivesTheResultThatItGivesInProcess() throws {
      for arguments in [
        ["kinds", "text", "hello"], ["kinds", "tiny", "300"], ["kinds", "nothing"], ["mortal", "echo", "-5"],
      ] {
        let one = try HostProcess(["call", "--isolation", "in-process"] + arguments)
        try one.process.run()
        let other = try HostProcess(["call", "--isolation", "process"] + arguments)
        try other.process.run()
        let beside = try HostProcess.run(["call", "--isolation", "thread"] + arguments)
        let inside = try one.wait()
        for ending in [try other.wait(), beside] {
          #expect(
            inside.text == ending.text && inside.errors == ending.errors && inside.status == ending.status,
            "\(arguments)")
        }
      }
    }

    @Test(arguments: [("crash", [], "was killed by SIGSEGV"), ("leave", ["0"], "exited with status 0")])
    func theEndOfAWorkerIsARejection(function: String, arguments: [String], reason: String) throws {
      let ending = try HostProcess.run(["call", "--isolation", "process", "mortal", function] + arguments)
      #expect(ending.status == 1 && ending.text == "")
      let end = "its worker process (version 1.2.3, generation 1) \(reason)"
      #expect(ending.errors.contains("plugin-host: mortal.\(function): \(end)"))
      #expect(ending.errors.contains("org.example.mortal.\(function)"))
      if function == "crash" { #expect(ending.errors.hasPrefix("org.example.mortal: about to crash\n")) }
    }

    @Test(
      "a plugin that is not loaded in time ends a command with the same status in each place",
      arguments: ["initialiser", "load"], ["none", "in-process", "thread", "process"])
    func aPluginIsLoadedTooLate(place: String, isolation: String) throws {
      let apart = isolation == "none" ? [] : ["--isolation", isolation]
      let given = isolation == "process" ? ["--allow", "env=HANG_IN"] : []
      let ending = try HostProcess.run(
        ["call", "--plugin-timeout", "1"] + apart + given + ["mortal", "echo", "1"], environment: ["HANG_IN": place])
      #expect(ending.status == 3 && ending.text == "", "\(ending)")
      #expect(ending.errors.contains("return"), "\(ending.errors)")
    }

    @Test(
      "a plugin that does not unload ends a command with the same status in each place, at every level of the log",
      arguments: [("unload", Int32(3), "return"), ("exit", 1, "exit")], ["none", "in-process", "thread", "process"])
    func aPluginIsNotUnloaded(_ fault: (name: String, status: Int32, text: String), isolation: String) throws {
      let apart = isolation == "none" ? [] : ["--isolation", isolation]
      let given = isolation == "process" ? ["--allow", "env=HANG_IN"] : []
      let place = apart + given + ["mortal"]
      func run(_ options: [String], within seconds: Int, _ call: [String]) throws -> HostProcess.Ending {
        try HostProcess.run(
          ["call", "--plugin-timeout", "\(seconds)", "--log", "off"] + options + place + call,
          environment: ["HANG_IN": fault.name])
      }
      // A short limit may pass on a slow machine before the plugin is loaded: then nothing is called.
      func run(_ options: [String], _ call: String...) throws -> HostProcess.Ending {
        for seconds in [1, 8] {
          let ending = try run(options, within: seconds, call)
          if ending.status != 3 || ending.text != "" { return ending }
        }
        return try run(options, within: 60, call)
      }
      let ending = try run([], "echo", "1")
      #expect(ending.status == fault.status && ending.text == "1\n", "\(ending)")
      // The worker's own report of the exit precedes the failure.
      let lines = ending.errors.split(separator: "\n").filter { !$0.hasPrefix("org.example.mortal: plugin-w") }
      #expect(lines.count == 1 && ending.errors.contains(fault.text), "\(ending.errors)")
      #expect(lines.first?.hasPrefix("plugin-host: org.example.mortal: ") == true, "\(ending.errors)")
      // An earlier failure keeps its status.
      let refused = try run([], "refuse")
      #expect(refused.status == 1 && refused.errors.contains(fault.text), "\(refused)")
      let json = try run(["--format", "json"], "echo", "1")
      let kind = fault.status == 3 ? "timedOut" : "rejected"
      let start = #"{"error":{"kind":"\#(kind)","status":\#(fault.status),"plugin":"org.example.mortal","#
      #expect(json.errors.split(separator: "\n").last?.hasPrefix(start) == true, "\(json)")
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

    @Test("a library that is missing is named as such, and no right that a worker lacks")
    func aMissingLibraryIsNamedInAWorker() throws {
      let file = try PipelineFile("")
      let adoption = file.folder.appending(path: "n.adopt.yaml")
      try Data("library: libnone.so.9\nfunctions: ['f() -> i32']\n".utf8).write(to: adoption)
      let ending = try HostProcess.run("call", "--isolation", "process", adoption.path, "f")
      #expect(ending.status == 2 && !ending.errors.contains("capabilit"), "\(ending)")
      #expect(ending.errors.contains("libnone.so.9: no such library in the folders of the system's loader"))
    }

    @Test func aPluginOnAThreadIsCalledThere() throws {
      let steps = ["a", "b", "c"].map { "\($0): {call: libc.thread}" }.joined(separator: ", ")
      let file = try PipelineFile(
        "plugins: [{plugin: ./libc.yaml, isolation: thread}]\nsteps: {\(steps)}\nresult: [a, b, c]")
      let library = "{library: libc.so.6, functions: [{signature: 'thread() -> u64', symbol: pthread_self}]}"
      try library.write(to: file.folder.appending(path: "libc.yaml"), atomically: true, encoding: .utf8)
      let ending = try HostProcess.run("run", file.path)
      let threads = try JSONDecoder().decode([String: UInt64].self, from: Data(ending.text.utf8))
      #expect(threads.count == 3 && Set(threads.values).count == 1, "\(ending)")
      for wrong in ["pool: 2", "limits: {in-flight: 1}", "capabilities: [network]"] {
        let ending = try run(
          "plugins: [{plugin: kinds, isolation: thread, \(wrong)}]\nsteps: {a: {call: kinds.nothing}}")
        #expect(ending.status == 64 && ending.errors.contains("isolation: process"), "\(ending)")
      }
      #expect(try HostProcess.run("trust", "policy", "any", "--untrusted", "thread").status == 64)
    }

    @Test func theCommandLineDecidesForTheOthers() throws {
      let text = "plugins: [mortal]\nsteps: {a: {call: mortal.leave, with: {status: 0}, rescue: {value: 3}}}"
      let apart = try run(text, "--isolation", "process")
      #expect(apart.status == 0 && apart.text == "3\n", "\(apart.errors)")
      #expect(try run(text, "--isolation", "in-process").status == 1)
    }

    @Test func aMistakeInThePlaceIsShown() throws {
      let ending = try run("plugins: [{plugin: mortal, isolation: moon}]\nsteps: {a: {call: mortal.echo}}")
      #expect(ending.status == 64)
      #expect(
        ending.errors.contains(":1:39: error: \"isolation\" must be in-process, thread or process; this is \"moon\""))
      #expect(try HostProcess.run("call", "--isolation", "moon", "mortal", "echo", "1").status == 64)
    }

    @Test func aRightThatWasNotGivenIsRefusedByItsName() throws {
      let file = try PipelineFile("")
      let call = ["call", "--isolation", "process"]
      let words = ["reader", "count", file.path]
      let refused = try HostProcess.run(call + words)
      guard !refused.errors.contains("not enforced") else { return print("skipped: \(refused.errors)") }
      #expect(refused.status == 1 && refused.text == "")
      #expect(
        refused.errors.contains("plugin-host: reader.count: was refused 'read=\(file.path) (openat)'"),
        "\(refused.errors)")
      for right in ["read=\(file.path)", "read=\(file.folder.path)", "all"] {
        let allowed = try HostProcess.run(call + ["--allow", right] + words)
        #expect(allowed.status == 0 && allowed.text == "0\n", "\(right): \(allowed.errors)")
      }
      #expect(try HostProcess.run(["call"] + words).text == "0\n")
    }

    @Test("a kernel before 5.5, which cannot continue a reported call, refuses calls without a report")
    func olderKernelsRefuseWithoutAReport() throws {
      let file = try PipelineFile("")
      let setarch = "/usr/bin/setarch"
      guard FileManager.default.isExecutableFile(atPath: setarch) else { return print("skipped: no \(setarch)") }
      let call = ["call", "--isolation", "process", "reader", "count", file.path]
      // uname() reports a release of 2.6 to such a process and to its worker.
      let host = try HostProcess(["--uname-2.6", HostProcess.executable.path] + call)
      host.process.executableURL = URL(filePath: setarch)
      try host.process.run()
      let ending = try host.wait()
      guard !ending.errors.contains("not enforced") else { return print("skipped: \(ending.errors)") }
      #expect(ending.status == 0 && ending.text == "-1\n" && ending.errors == "", "\(ending)")
    }

    @Test("a worker may read its own program, which is this one")
    func theProgramMayBeRead() throws {
      let ending = try HostProcess.run("call", "--isolation", "process", "reader", "count", "/proc/self/exe")
      #expect(ending.text == "1000000\n" && ending.errors == "", "\(ending)")
    }

    @Test func aRightOnTheCommandLineImpliesAWorker() throws {
      let file = try PipelineFile("")
      let refused = try HostProcess.run("call", "--allow", "network", "reader", "count", file.path)
      guard !refused.errors.contains("not enforced") else { return print("skipped: \(refused.errors)") }
      #expect(refused.status == 1 && refused.errors.contains("was refused 'read=\(file.path)"), "\(refused)")
      let text = "plugins: [reader]\nsteps: {a: {call: reader.count, with: {path: \(file.path)}}}"
      #expect(try run(text, "--allow", "network").status == 1)
      #expect(try run(text, "--allow", "read=\(file.folder.path)").status == 0)
      for place in ["thread", "in-process"] {
        let wrong = try HostProcess.run(
          "call", "--isolation", place, "--allow", "network", "reader", "count", file.path)
        #expect(wrong.status == 64 && wrong.text == "", "\(wrong)")
        #expect(wrong.errors.contains("--allow is for plugins in worker processes, not with --isolation \(place)"))
      }
    }

    @Test func aRefusalNamesARightThatNoCapabilityGives() throws {
      let file = try PipelineFile("")
      let words = ["--signature", "chmod(path: cstr, mode: u32) -> i32", "libc.so.6", file.path, "511"]
      let refused = try HostProcess.run(["call", "--allow", "write=\(file.folder.path)"] + words)
      guard !refused.errors.contains("not enforced") else { return print("skipped: \(refused.errors)") }
      #expect(refused.status == 1 && refused.text == "", "\(refused)")
      #expect(
        refused.errors.contains("was refused 'write=\(file.path) (chmod)', which only the capability 'all' allows"),
        "\(refused.errors)")
      #expect(try HostProcess.run(["call", "--allow", "all"] + words).text == "0\n")
    }

    /// Calls a plugin that is refused a file in that place; `nil` if the system refuses nothing.
    private func callWithRefusal(in place: String) throws -> HostProcess.Ending? {
      let ending = try HostProcess.run(
        "call", "--allow", "env=READ_IN", "reader", "count", FixturePlugins.path("reader"),
        environment: ["READ_IN": place])
      if ending.errors.contains("not enforced") {
        print("skipped: \(ending.errors)")
        return nil
      }
      #expect(ending.status == 0 && ending.text != "", "\(ending)")
      return ending
    }

    @Test(arguments: ["an initialiser", "promise_plugin_entry()"])
    func aRefusalBeforeLoadIsLogged(place: String) throws {
      guard let ending = try callWithRefusal(in: place) else { return }
      #expect(
        ending.errors == "org.example.reader: warning: an initialiser or promise_plugin_entry() was refused "
          + "'read=/etc/passwd (openat)', which is not among its capabilities\n")
    }

    @Test(arguments: ["load", "unload"])
    func aRefusalInLoadOrUnloadIsLogged(place: String) throws {
      guard let ending = try callWithRefusal(in: place) else { return }
      let message = "\(place)() was refused 'read=/etc/passwd (openat)', which is not among its capabilities\n"
      #expect(ending.errors.hasPrefix("org.example.reader: warning: ") && ending.errors.hasSuffix(message), "\(ending)")
    }

    @Test(arguments: ["isolation: process", "isolation: process, pool: 2"])
    func serialStepsShareAThreadOfTheWorker(place: String) throws {
      let elements = (0..<20).map { "{n: \($0)}" }.joined(separator: ", ")
      let file = try PipelineFile(
        """
        plugins: [{plugin: ./libc.yaml, \(place)}]
        steps:
          a: {call: libc.thread, each: [\(elements)], serial: x}
          b: {call: libc.thread, each: [\(elements)], serial: x}
          others: {call: libc.thread, each: [\(elements)]}
        result: [a, b, others]
        """)
      let library = "{library: libc.so.6, functions: [{signature: 'thread() -> i32', symbol: gettid}]}"
      try library.write(to: file.folder.appending(path: "libc.yaml"), atomically: true, encoding: .utf8)
      let ending = try HostProcess.run("run", "-j", "4", "--progress", "off", file.path)
      let threads = try JSONDecoder().decode([String: [Int]].self, from: Data(ending.text.utf8))
      let serial = Set((threads["a"] ?? []) + (threads["b"] ?? []))
      #expect(serial.count == 1 && threads["a"]?.count == 20, "\(ending)")
      #expect(serial.isDisjoint(with: threads["others"] ?? []) && threads["others"]?.isEmpty == false, "\(ending)")
    }

    @Test func aPipelineGivesRightsToSinglePlugins() throws {
      let steps = "steps: {a: {call: reader.count, with: {path: \(FixturePlugins.path("reader"))}}}"
      let refused = try run("plugins: [{plugin: reader, isolation: process}]\n\(steps)")
      guard !refused.errors.contains("not enforced") else { return print("skipped: \(refused.errors)") }
      #expect(refused.status == 0, "a plugin may read its own file: \(refused.errors)")
      let others = "steps: {a: {call: reader.count, with: {path: /etc/passwd}}}"
      #expect(try run("plugins: [{plugin: reader, isolation: process}]\n\(others)").status == 1)
      let given = try run("plugins: [{plugin: reader, capabilities: [read=/etc/passwd]}]\n\(others)")
      #expect(given.status == 0, "\(given.errors)")
      // A path is relative to the file.
      let file = try PipelineFile(
        "plugins: [{plugin: ./reader.so, capabilities: [read=/etc/passwd]}]\n\(others)")
      try FileManager.default.copyItem(
        atPath: FixturePlugins.path("reader"), toPath: file.folder.appending(path: "reader.so").path)
      let byPath = try HostProcess.run("run", "--progress", "off", file.path)
      #expect(byPath.status == 0, "\(byPath.errors)")
    }

    @Test(arguments: [
      ("capabilities: [moon]", ":1:43: error: \"moon\" is not a capability: expected network"),
      (
        "isolation: in-process, capabilities: [network]", "\"capabilities\" are for plugins with \"isolation: process\""
      ),
    ])
    func aMistakeInACapabilityIsShown(entry: String, message: String) throws {
      let ending = try run("plugins: [{plugin: reader, \(entry)}]\nsteps: {a: {call: reader.count}}")
      #expect(ending.status == 64 && ending.errors.contains(message), "\(ending.errors)")
      let option = try HostProcess.run("call", "--allow", "moon", "reader", "count", "x")
      #expect(option.status == 64, "\(option.errors)")
      #expect(option.errors.contains("--allow: \"moon\" is not a capability"))
      let name = try HostProcess.run("call", "--allow", "env=A=b", "reader", "count", "x")
      #expect(
        name.status == 64 && name.errors.contains("\"env=A=b\" is not a capability: expected env=NAME"),
        "\(name.errors)")
      let size = try HostProcess.run("call", "--allow", "memory=12Q", "reader", "count", "x")
      #expect(size.status == 64 && size.errors.contains("\"memory=12Q\" has no size"), "\(size.errors)")
    }

    @Test func aWorkerGetsCommonVariablesAndThoseThatAreGiven() throws {
      let common = [
        "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "LANGUAGE", "LOCPATH", "NLSPATH",
        "TZDIR",
      ]
      func value(of name: String, _ options: String...) throws -> String {
        let signature = "getenv(name: cstr) -> cstr?"
        let words = ["call", "--isolation", "process"] + options + ["--signature", signature, "libc.so.6", name]
        var variables = ["API_TOKEN": "hunter2", "API_TOKEN_2": "two", "LANG": "C.UTF-8", "TZ": "Asia/Tokyo"]
        if common.contains(name) { variables[name] = "/tmp" }
        let ending = try HostProcess.run(words, environment: variables)
        #expect(ending.status == 0, "\(ending.errors)")
        return ending.text
      }
      for name in ["API_TOKEN", "API_TOKEN_2", "PROMISE_PLUGIN_PATH"] { #expect(try value(of: name) == "null\n") }
      for name in common { #expect(try value(of: name) == "\"/tmp\"\n", "\(name)") }
      #expect(try value(of: "LANG") == "\"C.UTF-8\"\n")
      #expect(try value(of: "LC_ALL") == "\"C.UTF-8\"\n")
      #expect(try value(of: "TZ") == "\"Asia/Tokyo\"\n")
      #expect(try value(of: "API_TOKEN", "--allow", "env=API_TOKEN") == "\"hunter2\"\n")
      #expect(try value(of: "API_TOKEN_2", "--allow", "env=API_TOKEN") == "null\n")
      #expect(try value(of: "API_TOKEN_2", "--allow", "env=API_TOKEN", "--allow", "env=API_TOKEN_2") == "\"two\"\n")
      #expect(try value(of: "API_TOKEN_2", "--allow", "all") == "\"two\"\n")
    }

    @Test func aLineOfAPluginDoesNotCommandTheTerminal() throws {
      let line = "\u{1B}]0;owned\u{7}a\tb\u{202E}c\u{2066}"
      let ending = try HostProcess.run(
        "call", "--isolation", "process", "--signature", "puts(text: cstr) -> i32", "libc.so.6", line)
      #expect(ending.status == 0 && ending.errors == "libc:  ]0;owned a\tb c \n", "\(ending.errors.debugDescription)")
    }

    @Test func anAdoptedLibraryRunsInAWorkerToo() throws {
      let ending = try HostProcess.run(
        "call", "--isolation", "process", "--signature", "pow(x: f64, y: f64) -> f64", "libm.so.6", "2", "10")
      #expect(ending.text == "1024.0\n", "\(ending.errors)")
    }
  }
}
