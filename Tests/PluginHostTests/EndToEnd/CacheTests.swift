import Foundation
import Testing

extension EndToEnd {
  /// The cache of pure steps, in runs of the program.
  @Suite struct CacheTests {
    /// A pipeline, its cache, and a file to which each call of `kinds.start` adds a line.
    private struct Place: ~Copyable {
      let file: PipelineFile
      var cache: String { file.folder.appending(path: "cache/results.db").path }
      var calls: String { file.folder.appending(path: "calls").path }

      init(_ text: String) throws {
        file = try PipelineFile(text)
      }

      func write(_ text: String) throws { try Data(text.utf8).write(to: URL(filePath: file.path)) }

      func host(_ options: [String]) throws -> HostProcess {
        try HostProcess(["run", "--cache", cache, "--set", "calls=\(calls)"] + options + [file.path])
      }

      func run(_ options: String...) throws -> HostProcess.Ending {
        let host = try host(options)
        try host.process.run()
        return try host.wait()
      }

      /// Returns the lines that calls have added, sorted.
      func lines() -> [String] {
        ((try? String(contentsOfFile: calls, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init).sorted()
      }

      func entries() throws -> [[String: Any]] {
        let ending = try HostProcess.run("cache", "list", "--json", "--cache", cache)
        return try #require(try JSONSerialization.jsonObject(with: ending.output) as? [[String: Any]])
      }
    }

    private static let head = "plugins: [kinds]\nset: {calls: ~, text: x}\nsteps:\n"

    @Test func aSecondRunCallsNothing() throws {
      let place = try Place(
        Self.head + """
            a: {call: kinds.start, with: {command: "echo ${text} >> '${calls}'"}, pure: yes}
            b: {call: kinds.anything, with: {x: {from: {step: a}, data: [1, two]}}, pure: true}
            c: {call: kinds.start, with: {command: "echo impure >> '${calls}'"}}
          result: [a, b, c]
          """)
      let first = try place.run()
      #expect(first.text == #"{"a":0,"b":{"from":0,"data":[1,"two"]},"c":0}"# + "\n")
      #expect(!first.errors.contains("from the cache"))
      let second = try place.run()
      #expect(second.text == first.text)
      #expect(place.lines() == ["impure", "impure", "x"])
      let errors = second.errors.withoutTimes
      #expect(errors.contains("a: fulfilled in 0 s: 0, from the cache\n"))
      #expect(errors.contains("b: fulfilled in 0 s: {\"from\":0,\"data\":[1,\"two\"]}, from the cache\n"))
      #expect(errors.contains("c: fulfilled in 0 s: 0\n"))
      _ = try place.run("--no-cache")
      _ = try place.run("--set", "text=y")
      #expect(place.lines().filter { $0 != "impure" } == ["x", "x", "y"])
      #expect(try place.entries().count == 3)
    }

    @Test func functionsCanBePure() throws {
      let place = try Place(
        "pure: [kinds.start]\n" + Self.head + """
            a: {call: kinds.start, with: {command: "echo a >> '${calls}'"}}
            b: {call: kinds.start, with: {command: "echo b >> '${calls}'"}, pure: false}
          """)
      for _ in 0..<3 { #expect(try place.run().status == 0) }
      #expect(place.lines() == ["a", "b", "b", "b"])
    }

    @Test func thePluginAndItsConfigurationCount() throws {
      let place = try Place(
        "plugins: [./kinds.so]\nset: {calls: ~}\nsteps:\n"
          + "  a: {call: kinds.start, with: {command: \"echo a >> '${calls}'\"}, pure: true}\n")
      let plugin = place.file.folder.appending(path: "kinds.so")
      try FileManager.default.copyItem(atPath: FixturePlugins.path("kinds"), toPath: plugin.path)
      for _ in 0..<2 { _ = try place.run() }
      #expect(place.lines().count == 1)
      _ = try place.run("--config", "kinds:a=1")
      #expect(place.lines().count == 2)
      _ = try place.run("--config", "kinds:a=2")
      #expect(place.lines().count == 3)
      _ = try place.run("--config", "kinds:b=2")
      #expect(place.lines().count == 4)
      // The bytes after the file's tables are not read, but are content.
      let handle = try FileHandle(forWritingTo: plugin)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data("more".utf8))
      try handle.close()
      #expect(try place.run().status == 0)
      #expect(place.lines().count == 5)
    }

    @Test func filesCountByTheirContent() throws {
      let place = try Place(
        Self.head + "  a: {call: kinds.blob, with: {x: \"@${text}\"}, pure: true}\n")
      let input = place.file.folder.appending(path: "input").path
      try Data("one".utf8).write(to: URL(filePath: input))
      #expect(try place.run("--raw", "--set", "text=\(input)").text == "one")
      try Data("two".utf8).write(to: URL(filePath: input))
      let changed = try place.run("--raw", "--set", "text=\(input)")
      #expect(changed.text == "two")
      #expect(!changed.errors.contains("from the cache"))
      #expect(try place.run("--raw", "--set", "text=\(input)").errors.contains("from the cache"))
    }

    @Test func damageThatIsFoundLateHasARemedyToo() throws {
      let command = "{command: \"exit 3\"}"
      let place = try Place(Self.head + "  a: {call: kinds.start, with: \(command), pure: true}\n")
      #expect(try place.run().text == "768\n")
      try sql("pragma wal_checkpoint(truncate)", place.cache)
      let file = try FileHandle(forUpdating: URL(filePath: place.cache))
      let size = try file.seekToEnd()
      try file.seek(toOffset: 4096)
      try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4096))
      try file.close()
      let damaged = try place.run()
      #expect(damaged.text == "768\n")
      #expect(
        damaged.errors.contains("it is not used; `plugin-host cache prune --all` removes it"), "\(damaged.errors)")
    }

    @Test func aDamagedResultIsComputedAgain() throws {
      let place = try Place(
        Self.head + "  a: {call: kinds.start, with: {command: \"echo a >> '${calls}'; exit 3\"}, pure: true}\n")
      let first = try place.run()
      try sql("update results set value = x'0400'", place.cache)
      let damaged = try place.run()
      #expect(damaged.text == first.text)
      #expect(
        damaged.errors.contains(
          "plugin-host: warning: a: its result in the cache is damaged; it is computed again\n"))
      #expect(place.lines().count == 2)
      // The row's digest does not fit this value.
      try sql("update results set value = x'00'", place.cache)
      #expect(try place.run().text == first.text)
      #expect(place.lines().count == 3)
      #expect(try place.run().text == first.text)
      #expect(place.lines().count == 3)
    }

    @Test func resultsOfAnOlderVersionAreRemoved() throws {
      let place = try Place(
        Self.head + "  a: {call: kinds.start, with: {command: \"echo a >> '${calls}'\"}, pure: true}\n")
      #expect(try place.run().status == 0)
      try sql("pragma user_version = 1", place.cache)
      let upgraded = try place.run()
      #expect(!upgraded.errors.contains("warning") && !upgraded.errors.contains("from the cache"), "\(upgraded.errors)")
      #expect(place.lines().count == 2)
      #expect(try place.entries().count == 1)
      #expect(try place.run().errors.contains("from the cache"))
      try sql("pragma user_version = 9", place.cache)
      #expect(try place.run().errors.contains("it is of version 9, expected 2; it is not used"))
      #expect(place.lines().count == 3)
    }

    @Test func aDamagedFileIsNotUsed() throws {
      let place = try Place(Self.head + "  a: {call: kinds.tiny, pure: true}\n")
      try FileManager.default.createDirectory(
        at: URL(filePath: place.cache).deletingLastPathComponent(), withIntermediateDirectories: true)
      // The head of a store is marked at offset 68.
      let head = Data("SQLite format 3\0".utf8) + Data(repeating: 7, count: 52) + Data("PrmC".utf8)
      try (head + Data(repeating: 7, count: 10_000)).write(to: URL(filePath: place.cache))
      let ending = try place.run()
      #expect(ending.text == "-3\n")
      #expect(ending.errors.contains("plugin-host: warning: the cache \(place.cache): "))
      #expect(ending.errors.contains("; it is not used; `plugin-host cache prune --all` removes it\n"))
      let listed = try HostProcess.run("cache", "list", "--cache", place.cache)
      #expect(listed.status == 1)
      #expect(try HostProcess.run("cache", "prune", "--all", "--cache", place.cache).status == 0)
      #expect(!(try place.run().errors.contains("warning")))
      #expect(try place.entries().count == 1)
    }

    @Test func aFileWithADamagedHeadIsRemoved() throws {
      let place = try Place(Self.head + "  a: {call: kinds.tiny, pure: true}\n")
      #expect(try place.run().text == "-3\n")
      // The last connection to be closed moves the log into the file.
      try sql("pragma wal_checkpoint", place.cache)
      var content = try Data(contentsOf: URL(filePath: place.cache))
      content.replaceSubrange(0..<16, with: Data(repeating: 0, count: 16))
      try content.write(to: URL(filePath: place.cache))
      let ending = try place.run()
      #expect(ending.text == "-3\n")
      #expect(
        ending.errors.contains("; it is not used; `plugin-host cache prune --all` removes it\n"), "\(ending.errors)")
      let pruned = try HostProcess.run("cache", "prune", "--all", "--cache", place.cache)
      #expect(pruned.status == 0 && pruned.text == "removed \(place.cache)\n", "\(pruned)")
      #expect(!(try place.run().errors.contains("warning")))
    }

    @Test(arguments: ["text", "head", "0", "1", "2", "9"]) func aFileOfOthersIsKept(_ kind: String) throws {
      let place = try Place(Self.head + "  a: {call: kinds.tiny, pure: true}\n")
      try FileManager.default.createDirectory(
        at: URL(filePath: place.cache).deletingLastPathComponent(), withIntermediateDirectories: true)
      switch kind {
      case "text": try Data("important".utf8).write(to: URL(filePath: place.cache))
      case "head":
        // Damaged: its owner may want to recover it.
        try Data("SQLite format 3\0".utf8 + Array(repeating: 7, count: 1_000)).write(to: URL(filePath: place.cache))
      default:
        try sql(
          "create table results (key blob primary key, score integer); insert into results values (x'01', 1); "
            + "pragma user_version = \(kind)", place.cache)
      }
      let content = try Data(contentsOf: URL(filePath: place.cache))
      let listed = try HostProcess.run("cache", "list", "--cache", place.cache)
      #expect(listed.status == 1, "\(listed)")
      #expect(try HostProcess.run("cache", "prune", "--cache", place.cache).status == 1)
      let ending = try place.run()
      #expect(ending.text == "-3\n")
      #expect(ending.errors.contains("it is not used") && !ending.errors.contains("prune"), "\(ending.errors)")
      let pruned = try HostProcess.run("cache", "prune", "--all", "--cache", place.cache)
      #expect(pruned.status == 1)
      #expect(pruned.errors.contains("is not recognised as results of plugin-host"), "\(pruned.errors)")
      #expect(try Data(contentsOf: URL(filePath: place.cache)) == content)
      let folder = URL(filePath: place.cache).deletingLastPathComponent().path
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["results.db"])
    }

    @Test func aKilledRunIsResumed() throws {
      let steps = (0..<20).map { number in
        let after = number == 0 ? "" : ", after: s\(number - 1)"
        return
          "  s\(number): {call: kinds.start, with: {command: \"echo \(number) >> '${calls}'\"}, pure: true\(after)}\n"
      }
      let place = try Place(
        Self.head + steps.joined()
          + "  w: {call: kinds.start, with: {command: \"test -e '${calls}.go' || kill -9 $PPID\"}, "
          + "pure: true, after: s19}\n  z: {call: kinds.start, with: {command: \"echo z >> '${calls}'\"}, pure: true, after: w}\n"
      )
      let killed = try place.run("--isolation", "in-process")
      #expect(killed.signal == SIGKILL)
      #expect(place.lines().count == 20)
      try Data().write(to: URL(filePath: place.calls + ".go"))
      #expect(try place.run("--isolation", "in-process").status == 0)
      #expect(place.lines().count == 21)
      #expect(Set(place.lines()).count == 21)
    }

    @Test func twoRunsAtOnceShareTheCache() throws {
      let steps = (0..<200).map { "  s\($0): {call: kinds.anything, with: {x: [\($0)]}, pure: true}\n" }
      let place = try Place(Self.head + steps.joined())
      let hosts = try (0..<3).map { _ in try place.host(["--progress", "off", "-j", "4"]) }
      for host in hosts { try host.process.run() }
      for host in hosts {
        let ending = try host.wait()
        #expect(ending.errors == "")
        #expect(ending.text == "[199]\n")
      }
      #expect(try place.entries().count == 200)
      #expect(try HostProcess.run("cache", "prune", "--cache", place.cache).text == "removed 0 results\n")
    }

    @Test func aThousandStepsAreOnlyRead() throws {
      let steps = (0..<1_000).map { number in
        "  s\(number): {call: kinds.start, with: {command: \"echo \(number) >> '${calls}'\"}, pure: true}\n"
      }
      let place = try Place(Self.head + steps.joined())
      #expect(try place.run("--progress", "off").status == 0)
      #expect(Set(place.lines()).count == 1_000)
      let second = try place.run()
      #expect(second.errors.matches(of: #/, from the cache\n/#).count == 1_000)
      #expect(place.lines().count == 1_000)
    }

    @Test func impureStepsAreResumedIfWanted() throws {
      let place = try Place(
        Self.head + """
            a: {call: kinds.start, with: {command: "echo a >> '${calls}'"}}
            b: {call: kinds.start, with: {command: "echo b >> '${calls}'; test -e '${calls}.go' || kill -9 $PPID"}, after: a}
          """)
      #expect(try place.run("--resume", "--isolation", "in-process").signal == SIGKILL)
      try Data().write(to: URL(filePath: place.calls + ".go"))
      let resumed = try place.run("--resume", "--isolation", "in-process")
      #expect(resumed.status == 0)
      #expect(resumed.errors.withoutTimes.contains("a: fulfilled in 0 s: 0, from the cache\n"))
      #expect(place.lines() == ["a", "b", "b"])
      // The run has succeeded, so the next one starts anew.
      #expect(try place.entries().isEmpty)
      #expect(try place.run("--resume", "--isolation", "in-process").status == 0)
      #expect(place.lines() == ["a", "a", "b", "b", "b"])
      #expect(try place.run("--resume", "--no-cache").status == 64)
    }

    @Test func listsAndPrunes() throws {
      let place = try Place(Self.head + "  a: {call: kinds.blob, with: {x: \"${text}\"}, pure: true}\n")
      #expect(try HostProcess.run("cache", "list", "--cache", place.cache).text == "")
      for text in ["1", "2", "3"] { _ = try place.run("--set", "text=\(text)") }
      let listed = try HostProcess.run("cache", "list", "--cache", place.cache).text.split(separator: "\n")
      #expect(listed.count == 4)
      #expect(listed.first?.split(separator: " ") == ["age", "size", "function", "step"])
      #expect(listed.last?.hasSuffix("  org.example.kinds.blob  a") == true)
      try sql("update results set created = created - 7200 where key = (select min(key) from results)", place.cache)
      #expect(try HostProcess.run("cache", "prune", "--cache", place.cache).text == "removed 0 results\n")
      try sql("update results set digest = x'00' where key = (select max(key) from results)", place.cache)
      let pruned = try HostProcess.run("cache", "prune", "--older-than", "1h", "--cache", place.cache)
      #expect(pruned.text == "removed 2 results\n")
      #expect(try place.entries().count == 1)
      #expect(try HostProcess.run("cache", "prune", "--all", "--cache", place.cache).status == 0)
      #expect(try place.entries().isEmpty)
      let nowhere = try HostProcess.run("cache", "list")
      #expect(
        nowhere.errors
          == "plugin-host: no folder for the cache: set HOME or XDG_CACHE_HOME, or name a file with --cache\n")
      #expect(nowhere.status == 64)
    }

    @Test func theDefaultIsInTheFolderForCaches() throws {
      let place = try Place("plugins: [kinds]\nsteps:\n  a: {call: kinds.tiny, pure: true}\n")
      let home = place.file.folder.path
      for (name, path) in [("HOME", "\(home)/.cache"), ("XDG_CACHE_HOME", home)] {
        let ending = try HostProcess.run("run", place.file.path, environment: [name: home])
        #expect(ending.status == 0)
        #expect(FileManager.default.fileExists(atPath: "\(path)/plugin-host/results.db"))
      }
      let none = try HostProcess.run("run", place.file.path)
      #expect(none.text == "-3\n")
      #expect(none.errors.contains("plugin-host: warning: no folder for the cache"))
    }

    @Test func aFileWithoutItsBeginningIsRemovedFromItsOwnPlaceAlone() throws {
      let place = try Place("plugins: [kinds]\nsteps:\n  a: {call: kinds.tiny, pure: true}\n")
      let home = place.file.folder.path
      let path = "\(home)/plugin-host/results.db"
      #expect(try HostProcess.run("run", place.file.path, environment: ["XDG_CACHE_HOME": home]).status == 0)
      let file = try FileHandle(forUpdating: URL(filePath: path))
      try file.write(contentsOf: Data(repeating: 0xff, count: 100))
      try file.close()
      let named = try HostProcess.run("cache", "prune", "--all", "--cache", path)
      #expect(named.status == 1 && named.errors.contains("is not removed: if it is a cache"), "\(named)")
      let own = try HostProcess.run("cache", "prune", "--all", environment: ["XDG_CACHE_HOME": home])
      #expect(own.status == 0 && !FileManager.default.fileExists(atPath: path), "\(own)")
    }

    @Test(arguments: [
      ("fopen(path: cstr, mode: cstr) -> ptr<File>?", "path: x, mode: r"),
      ("fclose(file: ptr<File>) -> i32", ""),
      ("strtol(text: cstr, end: out ptr<void>?, base: i32 = 10) -> i64", "text: x"),
    ])
    func aPureCallWithAddressesIsRefused(signature: String, arguments: String) throws {
      let name = signature.prefix { $0 != "(" }
      let place = try Place(
        "plugins: [./c.adopt.yaml]\nsteps:\n  a: {pure: true, call: c.\(name), with: {\(arguments)}}\n")
      try Data("library: libc.so.6\nfunctions: ['\(signature)']\n".utf8)
        .write(to: place.file.folder.appending(path: "c.adopt.yaml"))
      let ending = try HostProcess.run("run", place.file.path)
      let message = "p.yaml:3:13: error: \(name) takes or returns values that are not valid in another run"
      #expect(ending.errors.contains(message), "\(ending.errors)")
      #expect(ending.status == 64)
    }

    @Test func aCallThatIsNotPureMayHaveAddresses() throws {
      let step = "{pure: false, call: c.strtol, with: {text: \"12\"}}"
      let place = try Place("plugins: [./c.adopt.yaml]\nsteps: {a: \(step)}\nresult: {step: a, get: result}\n")
      let signature = "strtol(text: cstr, end: out ptr<void>?, base: i32 = 10) -> i64"
      try Data("library: libc.so.6\nfunctions: ['\(signature)']\n".utf8)
        .write(to: place.file.folder.appending(path: "c.adopt.yaml"))
      let ending = try HostProcess.run("run", place.file.path)
      #expect(ending.status == 0 && ending.text == "12\n", "\(ending)")
    }

    @Test("folders of the cache are accessible to the user alone, under any umask")
    func theFoldersAreTheUsersAlone() throws {
      let place = try Place("plugins: [kinds]\nsteps:\n  a: {call: kinds.tiny, pure: true}\n")
      let home = place.file.folder.path
      let host = try HostProcess(
        ["-c", "umask 0; exec \"$0\" \"$@\"", HostProcess.executable.path, "run", place.file.path],
        environment: ["HOME": home])
      host.process.executableURL = URL(filePath: "/bin/sh")
      try host.process.run()
      #expect(try host.wait().status == 0)
      for folder in [".cache", ".cache/plugin-host"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(home)/\(folder)")
        #expect(attributes[.posixPermissions] as? Int == 0o700, "\(folder): \(attributes)")
      }
    }

    /// Runs a statement that plugin-host does not run.
    private func sql(_ statement: String, _ path: String) throws {
      try Package.run("sqlite3", [path, statement])
    }
  }
}
