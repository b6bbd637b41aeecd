import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// The place of plugins for which neither the command line nor the pipeline file has one.
  @Suite struct DefaultPlaceTests: ~Copyable {
    private let folder: TemporaryFolder
    private var plugin: String { folder.path("placed.so") }

    init() throws {
      let made = try TemporaryFolder()
      try FileManager.default.copyItem(atPath: FixturePlugins.path("placed"), toPath: made.path("placed.so"))
      folder = made
    }

    private var environment: [String: String] {
      ["XDG_CONFIG_HOME": folder.url.path, "XDG_STATE_HOME": folder.url.path, "PLACED_NUMBER": "7"]
    }

    private func run(_ arguments: String..., input: String = "") throws -> HostProcess.Ending {
      try HostProcess.run(arguments, input: input, environment: environment)
    }

    /// Whether a call of the plugin runs in the process of the host.
    private func isHere(_ options: [String] = [], _ plugin: String? = nil) throws -> Bool {
      let host = try HostProcess(["call"] + options + [plugin ?? self.plugin, "process"], environment: environment)
      try host.process.run()
      let number = host.process.processIdentifier
      let ending = try host.wait()
      let found = try #require(Int32(ending.text.dropLast()), "\(ending)")
      return found == number
    }

    private func trust(_ rules: String...) throws {
      try FileManager.default.createDirectory(
        atPath: folder.path("plugin-host"), withIntermediateDirectories: true)
      try folder.write(rules.map { "\($0)\n" }.joined(), to: "plugin-host/trust.conf")
    }

    @Test("a plugin runs in the process of the host if it is trusted, or if that is chosen")
    func places() throws {
      #expect(try !isHere())
      #expect(try isHere(["--isolation", "in-process"]) && isHere(["--isolation", "thread"]))
      #expect(try !isHere(["--isolation", "process"]) && !isHere(["--allow", "network"]))
      try trust("policy any")
      #expect(try !isHere())
      #expect(try run("trust", "add", plugin).status == 0)
      #expect(try isHere())
      // A listed file under another name is trusted, another plugin is not.
      #expect(try isHere([], FixturePlugins.path("placed")))
      #expect(try run("call", "mortal", "crash").errors.contains("was killed by SIGSEGV"))
      #expect(try !isHere(["--isolation", "process"]))
    }

    @Test("a rule chooses the place of plugins that are not trusted")
    func rules() throws {
      try trust("untrusted in-process")
      #expect(try isHere())
      #expect(try run("trust", "list").text.hasSuffix("policy any\nuntrusted in-process\n"))
      try trust("untrusted process")
      #expect(try !isHere())
      #expect(try run("call", plugin, "bytes", plugin).errors.contains("was refused 'read=") == false)
      let refused = try run("call", plugin, "bytes", "/etc/passwd")
      #expect(refused.status == 1 && refused.errors.contains("was refused 'read=/etc/passwd"), "\(refused)")
      #expect(try run("call", "--isolation", "in-process", plugin, "process").status == 2)
      #expect(try run("trust", "add", plugin).status == 0)
      #expect(try isHere())
    }

    @Test("a trusted plugin whose library is not trusted runs in a worker process")
    func neededLibraries() throws {
      try folder.write("int seven(void) { return 7; }\n", to: "seven.c")
      try Package.run("cc", ["-shared", "-fPIC", folder.path("seven.c"), "-o", folder.path("libseven.so")])
      let source = Package.fixtures.appending(path: "placed.c").path
      try Package.run(
        "cc",
        [
          "-std=c11", "-D_GNU_SOURCE", "-shared", "-fPIC", "-pthread", "-I", Package.include, "-o", plugin, source,
          "-Wl,--no-as-needed", "-L", folder.url.path, "-l:libseven.so", "-Wl,-rpath,$ORIGIN",
        ])
      #expect(try run("trust", "add", plugin).status == 0)
      #expect(try !isHere())
      #expect(try run("trust", "add", folder.path("libseven.so")).status == 0)
      #expect(try isHere())
    }

    @Test("a plugin has the rights, the environment and the standard input that it has in-process")
    func rights() throws {
      try folder.write("twelve bytes", to: "file")
      let (plugin, environment, mark) = (plugin, environment, folder.path("mark"))
      for place in [[], ["--isolation", "in-process"]] {
        func call(_ words: String..., input: String = "") throws -> HostProcess.Ending {
          try HostProcess.run(["call"] + place + [plugin] + words, input: input, environment: environment)
        }
        #expect(try call("bytes", folder.path("file")).text == "12\n")
        #expect(try call("number", "PLACED_NUMBER").text == "7\n")
        #expect(try call("input", input: "five\n").text == "5\n")
        #expect(try call("run", "touch \(mark)").text == "0\n")
        #expect(unlink(mark) == 0)
        let folderOfHost = try call("run", "pwd").errors
        #expect(folderOfHost.contains(FileManager.default.currentDirectoryPath), "\(folderOfHost)")
      }
      // A chosen worker has none of them.
      #expect(try run("call", "--isolation", "process", plugin, "input", input: "five\n").text == "0\n")
      #expect(try run("call", "--isolation", "process", plugin, "number", "PLACED_NUMBER").text == "-1\n")
    }

    @Test("a long line that a plugin prints is not cut")
    func output() throws {
      let ending = try run("call", "--progress", "off", plugin, "run", "head -c 200000 /dev/zero | tr '\\0' x")
      #expect(ending.errors == "org.example.placed: " + String(repeating: "x", count: 200_000) + "\n")
    }

    @Test("the worker that describes a plugin loads it")
    func oneWorker() throws {
      let log = folder.path("log")
      for words in [[plugin, "process"], ["--signature", "placed_process() -> i32", plugin]] {
        let ending = try HostProcess.run(["call"] + words, environment: ["PLACED_LOG": log])
        #expect(ending.status == 0, "\(ending)")
        #expect(try folder.text("log") == "mapped\n")
        #expect(unlink(log) == 0)
      }
    }

    @Test("the worker after a crash loads the file that the first one has loaded")
    func oneFile() throws {
      let (copy, other) = (folder.path("copy.so"), folder.path("other"))
      try FileManager.default.copyItem(atPath: FixturePlugins.path("mortal"), toPath: copy)
      try folder.write("no plugin", to: "other")
      let file = try PipelineFile(
        """
        plugins: [\(copy), placed]
        steps:
          exchange: {call: placed.run, with: {command: "mv \(other) \(copy)"}}
          crash: {call: mortal.crash, after: exchange, rescue: {value: 0}}
          echo: {call: mortal.echo, with: {value: 3}, after: crash}
        result: [exchange, echo]
        """)
      let ending = try run("run", "--progress", "off", file.path)
      #expect(ending.text == #"{"exchange":0,"echo":3}"# + "\n", "\(ending)")
    }

    @Test("a crash, an exit and a stop by the terminal end the worker, and the call is rejected")
    func ends() throws {
      let crash = try run("call", "mortal", "crash")
      #expect(crash.status == 1 && crash.text == "", "\(crash)")
      #expect(
        crash.errors.contains("plugin-host: mortal.crash: its worker process (version 1.2.3, generation 1) was killed")
          && crash.errors.contains("it wrote last: about to crash"), "\(crash)")
      let exit = try run("call", "mortal", "leave", "0")
      #expect(exit.status == 1 && exit.text == "" && exit.errors.contains("exited with status 0"), "\(exit)")
      let stop = try run("call", plugin, "use_terminal")
      #expect(stop.status == 1, "\(stop)")
      #expect(stop.errors.contains("was stopped by SIGTTIN: only a plugin in-process can use the terminal"), "\(stop)")
      let hang = try run("call", "--timeout", "0.2", plugin, "hang")
      #expect(hang.status == 3 && hang.errors.contains("placed.hang: timed out after 0.2 s"), "\(hang)")
      let abort = try HostProcess.run(["call", plugin, "process"], environment: ["ABORT_PLACED": "1"])
      #expect(abort.status == 2 && abort.text == "" && abort.errors.contains("SIGABRT"), "\(abort)")
    }

    @Test("a plugin that crashes takes no result of another step with it")
    func pipelines() throws {
      let file = try PipelineFile(
        """
        plugins: [mortal, kinds]
        steps:
          crash: {call: mortal.crash}
          text: {call: kinds.text, with: {x: kept}}
          later: {call: kinds.text, with: {x: {step: text}}}
          rescued: {call: mortal.leave, with: {status: 0}, rescue: {value: 5}}
        """)
      let ending = try run("run", file.path)
      #expect(ending.status == 1 && ending.text == "", "\(ending)")
      #expect(ending.errors.contains("plugin-host: crash: its worker process"), "\(ending)")
      for step in ["text", "later", "rescued"] { #expect(ending.errors.contains("\(step): fulfilled in"), "\(ending)") }
    }

    @Test("a session goes on after a crash; handles of the ended worker are refused")
    func sessions() throws {
      let (drawing, ending) = try terminalSession { terminal, _ in
        terminal.type("thing = placed.make\r")
        waitForPrompt(terminal, after: "placed.make")
        terminal.type("placed.value $thing\r")
        waitForPrompt(terminal, after: "placed.value")
        terminal.type("placed.crash\r")
        waitForPrompt(terminal, after: "was killed by SIGABRT")
        terminal.type("placed.value $thing\r")
        waitForPrompt(terminal, after: "another process")
        terminal.type("kinds.tiny 5\r")
        waitForPrompt(terminal, after: "kinds.tiny")
      }
      #expect(ending.text.hasSuffix("7\n5\n"), "\(ending) \(drawing)")
    }

    @Test("ends of workers that nobody has chosen do not count for the quarantine")
    func quarantine() throws {
      for _ in 0..<6 { #expect(try run("call", "mortal", "crash").status == 1) }
      #expect(try run("call", "mortal", "echo", "1").text == "1\n")
      #expect(try run("quarantine", "list").text == "")
    }

    @Test("a plugin that runs with the rights of the user is not listed later as one that is confined")
    func listedLater() throws {
      let file = try PipelineFile(
        "plugins: [needy, {plugin: kinds, isolation: process}]\nsteps: {a: {call: kinds.nothing}}")
      let late = try run("run", file.path)
      #expect(late.status == 64 && late.errors.contains("list it before that one"), "\(late)")
    }

    @Test("an error of a value that cannot reach a worker names the option that helps")
    func cannotCross() throws {
      try folder.write(
        """
        #include <promise_plugin.h>
        static int32_t watched(promise_token_t *token) { return token != 0; }
        static const promise_plugin_function_t functions[] = {{"watched(t: token) -> i32", (promise_function_t)watched, 0}};
        static const promise_plugin_t plugin = {
            .size = sizeof plugin, .abi_min = 1, .abi_max = PROMISE_ABI_VERSION, .function_size = sizeof functions[0],
            .id = "org.example.watched", .version = "1.0.0", .functions = functions, .function_count = 1};
        const promise_plugin_t *promise_plugin_entry(uint32_t abi) { (void)abi; return &plugin; }
        """, to: "watched.c")
      let path = folder.path("watched.so")
      try Package.run("cc", ["-shared", "-fPIC", "-I", Package.include, folder.path("watched.c"), "-o", path])
      let refused = try run("call", path, "watched")
      #expect(refused.status == 1 && refused.errors.contains("(--isolation in-process,"), "\(refused)")
      #expect(try run("call", "--isolation", "in-process", path, "watched").errors.contains("lacks the argument 't'"))
      let file = try PipelineFile(
        """
        plugins: [first, second]
        steps:
          open: {call: first.sqlite3_open, with: {path: ":memory:"}}
          use: {call: second.sqlite3_changes, with: {db: {step: open, get: db}}}
        result: use
        """)
      let adopted = try String(contentsOfFile: "\(Package.adopted)/sqlite.adopt.yaml", encoding: .utf8)
      for name in ["first", "second"] {
        try adopted.replacing(#/(?m)^id:.*$/#, with: "id: org.example.\(name)").write(
          to: file.folder.appending(path: "\(name).adopt.yaml"), atomically: true, encoding: .utf8)
      }
      let shared = try run("run", file.path)
      #expect(shared.status != 0 && shared.errors.contains("in-process (--isolation in-process)"), "\(shared)")
      #expect(try run("run", "--isolation", "in-process", file.path).text == "0\n")
    }
  }
}
