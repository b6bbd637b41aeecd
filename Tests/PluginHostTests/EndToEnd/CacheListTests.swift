import Foundation
import Testing

extension EndToEnd {
  /// The rows of the cache: the order in which they are listed, and those that are removed.
  @Suite struct CacheListTests {
    private struct Cache: ~Copyable {
      let file: PipelineFile
      var path: String { file.folder.appending(path: "results.db").path }

      init(_ steps: String) throws { file = try PipelineFile("plugins: [kinds]\nset: {go: ~}\nsteps:\n\(steps)\n") }

      func run(_ options: String...) throws -> HostProcess.Ending {
        let go = file.folder.appending(path: "go").path
        return try HostProcess.run(["run", "--cache", path, "--set", "go=\(go)"] + options + [file.path])
      }

      func cache(_ command: String...) throws -> String {
        try HostProcess.run(["cache"] + command + ["--cache", path]).text
      }

      /// Runs a statement that plugin-host does not run, and returns its output.
      func sql(_ statement: String) throws -> String {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["sqlite3", path, statement]
        process.standardOutput = output
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      }
    }

    @Test("the file may have a name that is not UTF-8", arguments: ["--cache \"$name\"/c.db", ""])
    func namesThatAreNotUTF8(option: String) throws {
      let cache = try Cache("  a: {call: kinds.tiny, pure: true}")
      let host = HostProcess.executable.path
      let script = """
        cd \(cache.file.folder.path); name=$(printf 'c\\377'); export XDG_CACHE_HOME=$PWD/$name
        \(host) run \(option) --set go=1 p.yaml && \(host) cache list \(option) && ls "$name"
        """
      let process = try HostProcess(["-c", script])
      process.process.executableURL = URL(filePath: "/bin/sh")
      try process.process.run()
      let ending = try process.wait()
      #expect(ending.status == 0 && ending.text.contains(".tiny"), "\(ending)")
    }

    @Test("results are listed by age, the latest first")
    func theLatestIsFirst() throws {
      let cache = try Cache(
        (1...3).map { "  s\($0): {call: kinds.anything, with: {x: \($0)}, pure: true}" }.joined(separator: "\n"))
      #expect(try cache.run().status == 0)
      for (step, age) in [("s1", 100), ("s2", 300), ("s3", 200)] {
        _ = try cache.sql("update results set created = created - \(age) where step = '\(step)'")
      }
      let rows = try cache.cache("list").split(separator: "\n").dropFirst()
      #expect(rows.map { $0.suffix(2) } == ["s1", "s3", "s2"], "\(rows)")
    }

    @Test("pruning removes the digests of all files, which the next run notes again")
    func digestsOfFilesArePruned() throws {
      let cache = try Cache("  a: {call: kinds.tiny, pure: true}")
      #expect(try cache.run().status == 0)
      _ = try cache.sql("insert into files values ('/gone', 'then', x'00')")
      #expect(try cache.cache("prune") == "removed 0 results\n")
      #expect(try cache.sql("select count(*) from files") == "0\n")
    }

    @Test("a damaged result is removed before the call is made again")
    func aDamagedResultIsRemoved() throws {
      let command = "test -e '${go}' || kill -9 $PPID"
      let cache = try Cache("  a: {call: kinds.start, with: {command: \"\(command)\"}, pure: true}")
      let go = cache.file.folder.appending(path: "go")
      try Data().write(to: go)
      #expect(try cache.run("--isolation", "in-process").status == 0)
      _ = try cache.sql("update results set value = x'00'")
      try FileManager.default.removeItem(at: go)
      #expect(try cache.run("--isolation", "in-process").signal == SIGKILL)
      #expect(try cache.sql("select count(*) from results") == "0\n")
    }

    @Test("a result in the list as JSON has its key, function, step, time and size")
    func membersOfJSON() throws {
      let cache = try Cache("  a: {call: kinds.anything, with: {x: [1, two]}, pure: true}")
      #expect(try cache.run().status == 0)
      _ = try cache.sql("update results set created = 7")
      let text = try cache.cache("list", "--json")
      let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
      let entry = try #require(list?.first)
      let stored = try cache.sql("select lower(hex(key)), length(value) from results").split { "|\n".contains($0) }
      #expect(entry["created"] as? Int == 7 && entry["size"] as? Int == Int(stored[1]), "\(entry)")
      #expect(entry["key"] as? String == String(stored[0]) && entry["step"] as? String == "a", "\(entry)")
      #expect(entry["function"] as? String == "org.example.kinds.anything", "\(entry)")
    }
  }
}
