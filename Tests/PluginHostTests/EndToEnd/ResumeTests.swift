import Foundation
import Testing

extension EndToEnd {
  /// Runs that are the same for `--resume`, and the file of the cache.
  @Suite struct ResumeTests {
    private static let text = """
      plugins: [kinds]
      set: {calls: ~}
      steps:
        a: {call: kinds.start, with: {command: "echo x >> '${calls}'"}}
        b: {call: kinds.setting, with: {key: none}, after: a}

      """

    private func words(_ folder: borrowing TemporaryFolder, _ file: String) -> [String] {
      ["run", "--resume", "--cache", folder.path("results.db"), "--set", "calls=\(folder.path("calls"))"]
        + [folder.path(file)]
    }

    @Test("a copy of a pipeline in another folder is another run")
    func copies() throws {
      let folder = try TemporaryFolder()
      for name in ["A", "B"] {
        try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
        try folder.write(Self.text, to: "\(name)/p.yaml")
      }
      for (file, count) in [("A/p.yaml", 1), ("B/p.yaml", 2), ("B/../A/p.yaml", 2)] {
        #expect(try HostProcess.run(words(folder, file)).status == 1)
        #expect(try folder.text("calls") == String(repeating: "x\n", count: count), "\(file)")
      }
    }

    @Test("a second run beside the first is refused, and one after it, also after a kill, is not")
    func runsAtOnce() throws {
      let folder = try TemporaryFolder()
      let wait = "later.await_file, with: {path: \(folder.path("go"))}"
      try folder.write(
        Self.text.replacing("kinds.setting, with: {key: none}", with: wait)
          .replacing("[kinds]", with: "[kinds, later]"), to: "p.yaml")
      func start() throws -> HostProcess {
        let host = try HostProcess(words(folder, "p.yaml"))
        try host.process.run()
        while host.process.isRunning, !host.errorsSoFar.contains("b: started") { usleep(10_000) }
        return host
      }
      let first = try start()
      let second = try HostProcess.run(words(folder, "p.yaml"))
      #expect(second.status == 1)
      let process = "as process \(first.process.processIdentifier)"
      #expect(
        second.errors.contains("plugin-host: --resume: the same run is under way, \(process): "), "\(second.errors)")
      #expect(try HostProcess.run(words(folder, "p.yaml") + ["--set", "calls=x"]).status == 64)
      kill(first.process.processIdentifier, SIGKILL)
      #expect(try first.wait().signal == SIGKILL)
      let third = try start()
      try folder.write("", to: "go")
      #expect(try third.wait().status == 0)
      #expect(try folder.text("calls") == "x\n")
    }

    @Test("another run beside the first is not refused, with the same cache")
    func otherRunsAtOnce() throws {
      let folder = try TemporaryFolder()
      let wait = "plugins: [later]\nsteps: {a: {call: later.await_file, with: {path: \(folder.path("go"))}}}\n"
      try folder.write(wait, to: "first.yaml")
      try folder.write("plugins: [kinds]\nsteps: {a: {call: kinds.tiny, with: {x: 5}}}\n", to: "second.yaml")
      func words(_ name: String) -> [String] {
        ["run", "--resume", "--cache", folder.path("results.db"), folder.path(name)]
      }
      let first = try HostProcess(words("first.yaml"))
      try first.process.run()
      while first.process.isRunning, !first.errorsSoFar.contains("a: started") { usleep(10_000) }
      let second = try HostProcess.run(words("second.yaml"))
      #expect(second.status == 0 && second.text == "5\n", "\(second)")
      try folder.write("", to: "go")
      #expect(try first.wait().status == 0)
    }

    @Test func theLocksOfRunsArePrunedWithTheCache() throws {
      let folder = try TemporaryFolder()
      try folder.write("plugins: [kinds]\nsteps: {a: {call: kinds.nothing}}\n", to: "p.yaml")
      let cache = ["--cache", folder.path("c.db")]
      #expect(try HostProcess.run(["run", "--resume"] + cache + [folder.path("p.yaml")]).status == 0)
      #expect(try folder.names().contains("c.db-runs"))
      #expect(try HostProcess.run(["cache", "prune", "--all"] + cache).status == 0)
      #expect(try folder.names() == ["p.yaml"])
    }

    /// Both calls of the first step are the same; the first time, the first of them fails.
    @Test("the result of a replacement is not taken for that of the call which it replaces")
    func replacements() throws {
      let folder = try TemporaryFolder()
      let command = "echo x >> \(folder.path("calls")); test -e \(folder.path("go")) || ! touch \(folder.path("go"))"
      try folder.write(
        "library: libc.so.6\nfunctions: ['system(command: cstr) -> i32 ! nonzero']\n", to: "c.adopt.yaml")
      let call = "call: c.system, with: {command: \"\(command)\"}"
      try folder.write(
        """
        plugins: [./c.adopt.yaml, kinds]
        steps:
          a: {\(call), rescue: {\(call)}}
          b: {call: kinds.setting, with: {key: none}, after: a}
        """, to: "p.yaml")
      for count in [2, 3, 3] {
        let ending = try HostProcess.run("run", "--resume", "--cache", folder.path("results.db"), folder.path("p.yaml"))
        #expect(ending.status == 1 && ending.errors.contains("plugin-host: b: not set (fixture 8)\n"), "\(ending)")
        #expect(try folder.text("calls") == String(repeating: "x\n", count: count))
      }
    }

    @Test("a step that only comes after one whose arguments have changed is repeated, and so are those after it")
    func order() throws {
      let folder = try TemporaryFolder()
      func write(_ name: String) throws { try folder.write("echo \(name) >> '\(folder.path("calls"))'", to: name) }
      for name in ["a", "b", "c", "d"] { try write(name) }
      func step(_ name: String, _ keys: String = "") -> String {
        "  \(name): {call: kinds.start, with: {command: \"@\(folder.path(name))\"}\(keys)}\n"
      }
      try folder.write(
        "plugins: [kinds]\nset: {calls: ~}\nsteps:\n" + step("a") + step("b", ", after: a, each: [1, 2], limit: 1")
          + step("c", ", after: b") + step("d") + "  e: {call: kinds.setting, with: {key: none}, after: [c, d]}\n",
        to: "p.yaml")
      func run() throws -> [String] {
        #expect(try HostProcess.run(words(folder, "p.yaml") + ["-j", "1"]).status == 1)
        return try folder.text("calls").split(separator: "\n").map(String.init).sorted()
      }
      #expect(try run() == ["a", "b", "b", "c", "d"])
      #expect(try run() == ["a", "b", "b", "c", "d"])
      try folder.write("echo new >> '\(folder.path("calls"))'", to: "a")
      #expect(try run() == ["a", "b", "b", "b", "b", "c", "c", "d", "new"])
      try folder.write("echo late >> '\(folder.path("calls"))'", to: "c")
      #expect(try run() == ["a", "b", "b", "b", "b", "c", "c", "d", "late", "new"])
    }

    @Test("a run whose result cannot be written is resumed too")
    func unwritten() throws {
      let folder = try TemporaryFolder()
      try folder.write(
        Self.text.replacing("  b: {call: kinds.setting, with: {key: none}, after: a}\n", with: ""), to: "p.yaml")
      let full = try HostProcess.run(words(folder, "p.yaml") + ["-o", "/dev/full"])
      #expect(full.status == 1 && full.errors.contains("the result cannot be written"), "\(full)")
      #expect(try HostProcess.run(words(folder, "p.yaml")).text == "0\n")
      #expect(try folder.text("calls") == "x\n")
      #expect(try HostProcess.run(words(folder, "p.yaml")).text == "0\n")
      #expect(try folder.text("calls") == "x\nx\n")
    }

    @Test func aCacheThatIsNotThere() throws {
      let folder = try TemporaryFolder()
      let path = folder.path("none.db")
      let ending = try HostProcess.run("cache", "prune", "--all", "--cache", path)
      #expect(ending.text == "\(path) does not exist\n")
      #expect(ending.status == 0)
      for words in [["cache", "prune", "--all"], ["cache", "list"], ["run", "p.yaml"]] {
        let ending = try HostProcess.run(words + ["--cache", ""])
        #expect(ending.status == 64)
        #expect(ending.errors.contains("--cache \"\": expected the name of a file"), "\(ending.errors)")
      }
    }
  }
}
