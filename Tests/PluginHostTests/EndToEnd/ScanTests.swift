import Foundation
import Glibc
import PromisesTestSupport
import Testing

extension EndToEnd {
  /// Plugins that fail while their descriptions are read: `Tests/Faults/ending.c` with code of a test in it.
  @Suite struct ScanTests {
    @Test(
      "a plugin that fails is named, and the others are listed",
      arguments: [
        ("IN_INITIALISER=exit(0)", "ended the process that ran it, with status 0, in its initialisers"),
        ("IN_INITIALISER=_exit(7)", "with status 7, in its initialisers"),
        ("IN_INITIALISER=syscall(SYS_exit_group,0)", "with status 0, in its initialisers"),
        ("IN_INITIALISER=crash()", "by SIGSEGV, in its initialisers"),
        ("IN_INITIALISER=close_all()", "closed the descriptors of the process that read it"),
        ("IN_ENTRY=quick_exit(0)", "with status 0, in promise_plugin_entry()"),
        ("IN_ENTRY=overflow(0)", "by SIGSEGV, in promise_plugin_entry()"),
        ("IN_ENTRY=write_to(3,\"garbage\")", "wrote into the report of the process that read it"),
      ])
    func failure(_ code: String, _ message: String) throws {
      let folder = try TemporaryFolder()
      let bad = try folder.plugin("bad", code)
      let good = FixturePlugins.path("needy")
      let ending = try HostProcess.run("list", good, bad, good)
      let line = "org.example.needy  1.2.3  1 function    Calls another plugin.\n"
      #expect(ending.text == line + line)
      #expect(ending.errors.hasPrefix("plugin-host: \(bad): "))
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.errors.split(separator: "\n").count == 1)
      #expect(ending.status == 2)
    }

    @Test("plugins that never return are named, and the others are listed")
    func timeouts() throws {
      let folder = try TemporaryFolder()
      let loading = try folder.plugin("loading", "IN_INITIALISER=hang()")
      let stopping = try folder.plugin("stopping", "IN_INITIALISER=raise(SIGSTOP)")
      let entering = try folder.plugin("entering", "IN_ENTRY=hang()")
      let good = FixturePlugins.path("needy")
      let (limit, ending) = try list(good, loading, stopping, entering, good, failures: 3)
      let line = "org.example.needy  1.2.3  1 function    Calls another plugin.\n"
      #expect(ending.text == line + line)
      #expect(
        ending.errors == """
          plugin-host: \(loading): has not returned within \(limit)000 ms from its initialisers, while it was being loaded
          plugin-host: \(stopping): has not returned within \(limit)000 ms from its initialisers, while it was being loaded
          plugin-host: \(entering): has not returned within \(limit)000 ms from promise_plugin_entry()

          """)
      #expect(ending.status == 3)
    }

    @Test("the work of listing grows with the number of plugins, and no faster")
    func growth() throws {
      let folder = try TemporaryFolder()
      let plugin = FixturePlugins.path("needy")
      let counts = [50, 200]
      for count in counts {
        try FileManager.default.createDirectory(
          at: URL(filePath: folder.path("\(count)")), withIntermediateDirectories: true)
        for index in 0..<count {
          try FileManager.default.copyItem(atPath: plugin, toPath: folder.path("\(count)/\(index).so"))
        }
      }
      // Processor time: that of the children counts.
      func work(_ count: Int) throws -> Double {
        let host = try HostProcess([
          "-c", "'\(HostProcess.executable.path)' list '\(folder.path("\(count)"))' | wc -l; times",
        ])
        host.process.executableURL = URL(filePath: "/bin/bash")
        try host.process.run()
        let ending = try host.wait()
        let words = ending.text.split(whereSeparator: \.isWhitespace)
        #expect(ending.status == 0 && words.first == "\(count)", "\(ending)")
        // "0m0.012s": user and system time of the shell, then of its children.
        return words.suffix(2).reduce(0) { sum, word in
          let parts = word.dropLast().split(separator: "m").compactMap { Double($0) }
          return sum + parts[0] * 60 + parts[1]
        }
      }
      func isLinear(_ times: [Double]) -> Bool { times[1] <= 8 * times[0] }
      let times = try least(until: isLinear) { try counts.map(work) }
      #expect(isLinear(times), "seconds for 50 and for 200: \(times)")
    }

    @Test("each of many files has the whole time limit")
    func eachHasTheWholeTime() throws {
      let folder = try TemporaryFolder()
      let slow = try folder.plugin("slow", "IN_ENTRY=usleep(500000)")
      // Twelve plugins for each processor.
      let paths = Array(repeating: slow, count: 12 * min(ProcessInfo.processInfo.processorCount, 8))
      let ending = try HostProcess.run(["list", "--plugin-timeout", "5"] + paths)
      #expect(ending.status == 0 && ending.errors == "")
      #expect(ending.text.split(separator: "\n").count == paths.count)
    }

    @Test(
      "a file whose name is not UTF-8 is named with that reason",
      arguments: ["list .", "inspect ./x*", "call ./x* f"])
    func namesThatAreNotUTF8(command: String) throws {
      let folder = try TemporaryFolder()
      let path = Array("\(folder.url.path)/x".utf8) + [0xFF] + Array(".so".utf8)
      close(open(path.map(CChar.init(bitPattern:)) + [0], O_CREAT | O_WRONLY, 0o600))
      // The shell completes the word, which Foundation's Process cannot pass.
      let host = try HostProcess(["-c", "\(HostProcess.executable.path) \(command)"])
      host.process.executableURL = URL(filePath: "/bin/sh")
      host.process.currentDirectoryURL = folder.url
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.status == 2 && ending.text == "", "\(ending)")
      #expect(ending.errors == "plugin-host: ./x\u{FFFD}.so: its path is not UTF-8: rename the file or the folder\n")
    }

    @Test("no plugin affects another one")
    func victims() throws {
      let folder = try TemporaryFolder()
      let spoiler = try folder.plugin("spoiler", "IN_INITIALISER=setenv(\"SPOILT\",\"1\",1)")
      let crashing = try folder.plugin("crashing", "IN_ENTRY=getenv(\"SPOILT\")?abort():(void)0")
      let failing = try folder.plugin("failing", "IN_ENTRY=if(getenv(\"SPOILT\"))return(void*)0")
      let paths = onEachProcessor(spoiler, crashing, failing)
      let ending = try HostProcess.run(["list"] + paths)
      #expect(ending.status == 0 && ending.errors == "", "\(ending.errors)")
      #expect(ending.text.split(separator: "\n").count == paths.count)
    }

    @Test("the last line in a message is that of the plugin that failed")
    func lastLines() throws {
      let folder = try TemporaryFolder()
      let loud = try folder.plugin("loud", "IN_INITIALISER=write_to(2,\"from the other\\n\")")
      let hanging = try folder.plugin("hanging", "IN_ENTRY=hang()")
      let ending = try HostProcess.run(["list", "--plugin-timeout", "5"] + onEachProcessor(loud, hanging))
      let lines = ending.errors.split(separator: "\n").filter { $0.contains("\(hanging): has not returned") }
      #expect(!lines.isEmpty && lines.allSatisfy { $0.hasSuffix(" from promise_plugin_entry()") }, "\(ending.errors)")
    }

    @Test("a plugin does not change the message of another one, by memory that their processes could share")
    func memory() throws {
      let folder = try TemporaryFolder()
      // The others end while the first one waits, if there are two processors: it cannot wait for them.
      let victim = try folder.plugin("victim", "IN_INITIALISER=usleep(500000),_exit(7)")
      let spoiler = try folder.plugin("spoiler", "IN_INITIALISER=write_to_shared_memory()")
      let ending = try HostProcess.run(["list", victim] + Array(repeating: spoiler, count: 10))
      #expect(ending.errors.contains("\(victim): ended the process that ran it, with status 7, in its initialisers"))
    }

    @Test("exit handlers of plugins do not run")
    func exitHandlers() throws {
      let folder = try TemporaryFolder()
      let plugin = try folder.plugin("leaving", "IN_INITIALISER=atexit(crash)")
      let ending = try HostProcess.run("inspect", plugin)
      #expect(ending.status == 0 && ending.errors == "")
    }

    @Test("inspect and doc fail in the same way, with nothing on standard output", arguments: ["inspect", "doc"])
    func commands(_ command: String) throws {
      let folder = try TemporaryFolder()
      let bad = try folder.plugin("bad", "IN_INITIALISER=exit(0)")
      let ending = try HostProcess.run(command, bad)
      #expect(ending.text == "" && ending.status == 2)
      #expect(ending.errors.contains("\(bad): ended the process that ran it, with status 0"))
    }

    @Test("200 plugins of which 3 are bad: 197 are listed, 3 are named")
    func many() throws {
      let folder = try TemporaryFolder()
      let good = try folder.plugin("good", "UNUSED")
      let bad = [
        17: try folder.plugin("exits", "IN_INITIALISER=exit(0)"), 18: try folder.plugin("crashes", "IN_ENTRY=crash()"),
        150: try folder.plugin("hangs", "IN_INITIALISER=hang()"),
      ]
      let plugins = folder.url.appending(path: "plugins")
      try FileManager.default.createDirectory(at: plugins, withIntermediateDirectories: true)
      for index in 0..<200 {
        let path = plugins.appending(path: "plugin\(index).so").path
        try FileManager.default.copyItem(atPath: bad[index] ?? good, toPath: path)
      }
      let (_, ending) = try list("--json", plugins.path, failures: 3)
      let listed = try #require(try JSONSerialization.jsonObject(with: ending.output) as? [[String: Any]])
      #expect(Set(listed.compactMap { $0["path"] as? String }).count == 197)
      let lines = ending.errors.split(separator: "\n")
      #expect(lines.count == 3, "\(ending.errors)")
      for index in bad.keys { #expect(ending.errors.contains("plugin\(index).so: "), "\(ending.errors)") }
      #expect(ending.status == 2)
    }

    @Test("a file of which a byte is damaged or the end is missing is refused among others")
    func damaged() throws {
      let folder = try TemporaryFolder()
      var bytes = Array(try Data(contentsOf: URL(filePath: try folder.plugin("good", "UNUSED"))))
      let truncated = folder.url.appending(path: "truncated.so")
      try Data(bytes.prefix(bytes.count / 2)).write(to: truncated)
      // Damages the offset of the program headers.
      bytes[32] = 0xFF
      bytes[38] = 0xFF
      let crafted = folder.url.appending(path: "crafted.so")
      try Data(bytes).write(to: crafted)
      let ending = try HostProcess.run("list", truncated.path, crafted.path, FixturePlugins.path("needy"))
      #expect(ending.text == "org.example.needy  1.2.3  1 function    Calls another plugin.\n")
      #expect(ending.errors.contains(truncated.path) && ending.errors.contains(crafted.path))
      #expect(ending.errors.split(separator: "\n").count == 2)
      #expect(ending.status == 2)
    }

    @Test("text that a plugin prints reaches neither output; the last line before its failure is in the message")
    func prints() throws {
      let folder = try TemporaryFolder()
      let loud = try folder.plugin("loud", "IN_INITIALISER=puts(\"hello\"),fflush(stdout),write_to(2,\"hello\")")
      let ending = try HostProcess.run("inspect", "--json", loud)
      #expect(ending.text.hasPrefix("{") && ending.errors == "" && ending.status == 0)
      let dying = try folder.plugin("dying", "IN_ENTRY=write_to(2,\"one\\ntwo\\33[1m\\n\"),abort()")
      let errors = try HostProcess.run("list", dying).errors
      #expect(errors.contains("by SIGABRT, in promise_plugin_entry(); it wrote last: two [1m"), "\(errors)")
    }

    @Test(
      "no code of a plugin runs in the process of the command",
      arguments: [["list"], ["inspect"], ["doc"], ["call", "call", "--help"]])
    func processes(_ words: [String]) throws {
      let folder = try TemporaryFolder()
      for place in ["IN_INITIALISER", "IN_ENTRY"] {
        let printing = try folder.plugin("printing", "\(place)=print_process(),_exit(7)")
        let host = try HostProcess([words[0], printing] + words.dropFirst())
        try host.process.run()
        let identifier = host.process.processIdentifier
        let ending = try host.wait()
        let process = try #require(Self.printedProcess(ending.errors), "\(ending.errors)")
        #expect(ending.status == 2 && process != identifier)
      }
    }

    /// Returns the number that `print_process()` has written last.
    private static func printedProcess(_ errors: String) -> Int32? {
      guard let start = errors.range(of: "it wrote last: process ")?.upperBound else { return nil }
      return Int32(errors[start...].prefix(while: \.isNumber))
    }

    @Test("the process of a plugin that hangs is killed")
    func kills() throws {
      let folder = try TemporaryFolder()
      let hanging = try folder.plugin("hanging", "IN_INITIALISER=print_process(),hang()")
      let ending = try HostProcess.run("inspect", "--plugin-timeout", "5", hanging)
      #expect(ending.status == 3)
      let process = try #require(Self.printedProcess(ending.errors), "\(ending.errors)")
      #expect(kill(process, 0) != 0 && errno == ESRCH)
    }

    @Test("the processes that a plugin has started in a check are killed")
    func killsChildren() throws {
      let folder = try TemporaryFolder()
      let notes = folder.path("notes")
      let plugin = try folder.plugin("leaving", "IN_LOAD=leave_child(\"\(notes)\")")
      let skipped = ["never", "wild", "wild_out"].flatMap { ["--skip", $0] }
      #expect(try HostProcess.run(["check"] + skipped + [plugin]).status == 1)
      let children = try String(contentsOfFile: notes, encoding: .utf8).split(separator: "\n").compactMap { Int32($0) }
      #expect(!children.isEmpty)
      let deadline = Date(timeIntervalSinceNow: 60)
      for child in children {
        while ForkTests.isRunning(child), Date() < deadline { usleep(5_000) }
        #expect(!ForkTests.isRunning(child))
        kill(child, SIGKILL)
      }
    }

    @Test("a process that crashes while it reads a plugin writes no core file")
    func cores() throws {
      let folder = try TemporaryFolder()
      let dying = try folder.plugin("dying", "IN_ENTRY=print_core()")
      // Only root can raise a limit that forbids core files.
      let host = try HostProcess([
        "-c", "ulimit -c 8 2>/dev/null; exec \"$0\" inspect \"$1\"", HostProcess.executable.path, dying,
      ])
      host.process.executableURL = URL(filePath: "/bin/sh")
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.errors.contains("by SIGABRT") && ending.errors.contains("; it wrote last: core 0"), "\(ending)")
    }

    @Test("a plugin that writes the report of another file, or of an adopted library, deceives nobody")
    func forgedSubjects() throws {
      let folder = try TemporaryFolder()
      let bad = try folder.plugin("bad", "IN_INITIALISER=forge_reports(),_exit(0)")
      let adoption = """
        {"id": "org.example.forged", "library": "libm.so.6", "functions": []}
        """
      for forged in [try report(of: FixturePlugins.path("needy")), try report(of: bad, adoption: adoption)] {
        let ending = try HostProcess.run("inspect", bad, environment: ["FORGED": forged])
        #expect(ending.text == "" && ending.status == 2, "\(ending)")
        #expect(ending.errors == "plugin-host: \(bad): wrote into the report of the process that read it\n")
      }
      let file = folder.url.appending(path: "bad.adopt.yaml").path
      try Data("{library: ./bad.so, functions: ['promise_plugin_entry(abi: u32) -> ptr<plugin>']}\n".utf8).write(
        to: URL(filePath: file))
      let ending = try HostProcess.run("inspect", file, environment: ["FORGED": try report(of: bad)])
      #expect(ending.text == "" && ending.status == 2, "\(ending)")
      #expect(ending.errors == "plugin-host: \(file): wrote into the report of the process that read it\n")
    }

    @Test("a plugin that writes reports of its own, or for the files after it, is named, and deceives nobody")
    func forgedReports() throws {
      let folder = try TemporaryFolder()
      let good = FixturePlugins.path("needy")
      for leaves in [true, false] {
        let end = leaves ? ",_exit(0)" : ""
        let bad = try folder.plugin("bad", "IN_INITIALISER=forge_reports()\(end)")
        let forged = try [bad, good, bad, good].map { try report(of: $0) }.joined(separator: "\n")
        let ending = try HostProcess.run(["list"] + onEachProcessor(bad, good), environment: ["FORGED": forged])
        let lines = ending.text.split(separator: "\n")
        #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("org.example.needy  1.2.3") }, "\(ending.text)")
        for line in ending.errors.split(separator: "\n") {
          #expect(line == "plugin-host: \(bad): wrote into the report of the process that read it")
        }
        #expect(ending.status == 2)
      }
      // The plugin writes a report of its own before the right one.
      let bad = try folder.plugin("bad", "IN_INITIALISER=forge_reports()")
      let ending = try HostProcess.run("inspect", bad, environment: ["FORGED": try report(of: bad)])
      #expect(ending.text == "" && ending.status == 2)
      #expect(ending.errors == "plugin-host: \(bad): wrote into the report of the process that read it\n")
    }

    /// The text of a report, on one line.
    private func report(of path: String, adoption: String = "null") throws -> String {
      let path = try #require(realpath(path, nil))
      defer { free(path) }
      return """
        {"plugin": {"path": "\(String(cString: path))", "id": "org.example.forged", "version": "6.6.6", \
        "description": null, "abi": {"min": 1, "max": 1}, "required": [], "functions": [], "adoption": \(adoption)}}
        """
    }

    /// Returns plugins in this order, repeated once for each processor.
    private func onEachProcessor(_ plugins: String...) -> [String] {
      Array(repeating: plugins, count: min(ProcessInfo.processInfo.processorCount, 8)).flatMap(\.self)
    }

    /// Lists plugins with a time limit that no more of them exceed than fail: on a slow machine, a good plugin may
    /// exceed a short one.
    private func list(_ arguments: String..., failures: Int) throws -> (limit: Int, HostProcess.Ending) {
      func list(_ limit: Int) throws -> HostProcess.Ending {
        try HostProcess.run(["list", "--plugin-timeout", "\(limit)"] + arguments)
      }
      let ending = try list(5)
      if ending.errors.split(separator: "\n").count <= failures { return (5, ending) }
      return (40, try list(40))
    }
  }
}

extension TemporaryFolder {
  /// Builds a plugin with these macros of `ending.c`, linked with `flags`, and returns its path.
  func plugin(_ name: String, _ macros: String..., flags: [String] = []) throws -> String {
    let library = url.appending(path: "\(name).so").path
    try Package.run(
      "cc",
      ["-std=c11", "-D_GNU_SOURCE", "-O1", "-shared", "-fPIC", "-pthread", "-I", Package.include, "-o", library]
        + macros.map { "-D\($0)" } + [Package.root.appending(path: "Tests/Faults/ending.c").path] + flags)
    return library
  }
}
