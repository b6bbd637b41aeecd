import Foundation
import Testing

extension EndToEnd {
  /// The parts of the key of a cached result, and damage of the cache.
  @Suite struct CacheKeyTests {
    private func run(_ file: borrowing PipelineFile) throws -> HostProcess.Ending {
      try HostProcess.run("run", "--cache", file.folder.appending(path: "results.db").path, file.path)
    }

    @Test func theSymbolOfAnAdoptedFunctionCounts() throws {
      let file = try PipelineFile(
        "plugins: [./c.adopt.yaml]\nsteps:\n  a: {call: c.f, with: {c: 97}, pure: true}\n")
      func adopt(_ symbol: String) throws {
        try Data("library: libc.so.6\nfunctions:\n  - {signature: \"f(c: i32) -> i32\", symbol: \(symbol)}\n".utf8)
          .write(to: file.folder.appending(path: "c.adopt.yaml"))
      }
      try adopt("toupper")
      #expect(try run(file).text == "65\n")
      let second = try run(file)
      #expect(second.text == "65\n" && second.errors.contains(", from the cache"), "\(second.errors)")
      try adopt("tolower")
      let third = try run(file)
      #expect(third.text == "97\n" && !third.errors.contains(", from the cache"), "\(third.errors)")
    }

    /// Builds a library of one function, `value`, which may call `inner`.
    private static func build(_ text: String, _ path: String, _ flags: String...) throws {
      let source = path + ".c"
      try Data(text.utf8).write(to: URL(filePath: source))
      let compiler = try Process.run(
        URL(filePath: "/usr/bin/env"), arguments: ["cc", "-shared", "-fPIC", "-o", path, source] + flags)
      compiler.waitUntilExit()
      #expect(compiler.terminationStatus == 0)
    }

    @Test("a result depends on the libraries that are found now, even if those found before are unchanged")
    func librariesOfAnotherPlace() throws {
      let file = try PipelineFile("plugins: [./c.adopt.yaml]\nsteps:\n  a: {call: c.value, pure: true}\n")
      func path(_ name: String) -> String { file.folder.appending(path: name).path }
      for (folder, number) in [("first", 0), ("second", 2), ("third", 3)] {
        try FileManager.default.createDirectory(atPath: path(folder), withIntermediateDirectories: true)
        if number > 0 {
          try Self.build(
            "int inner(void) { return \(number); }", path("\(folder)/libinner.so"), "-Wl,-soname,libinner.so")
        }
      }
      try Self.build(
        "int inner(void); int value(void) { return inner(); }", path("libouter.so"), path("second/libinner.so"),
        "-Wl,--enable-new-dtags,-rpath,$ORIGIN/first:$ORIGIN/second", "-Wl,-soname,libouter.so")
      try Data("library: ./libouter.so\nfunctions: [\"value() -> i32\"]\n".utf8)
        .write(to: URL(filePath: path("c.adopt.yaml")))
      // Digests of files are noted once the files are some seconds old.
      while try FileManager.default.attributesOfItem(atPath: path("libouter.so"))[.modificationDate] as! Date
        > Date.now - 4
      { usleep(100_000) }
      #expect(try run(file).text == "2\n")
      #expect(try run(file).errors.contains("from the cache"))
      let options = ["run", "--cache", path("results.db"), file.path]
      #expect(try HostProcess.run(options, environment: ["LD_LIBRARY_PATH": path("third")]).text == "3\n")
      #expect(try HostProcess.run(options, environment: ["LD_PRELOAD": path("third/libinner.so")]).text == "3\n")
      try FileManager.default.moveItem(atPath: path("third/libinner.so"), toPath: path("first/libinner.so"))
      let moved = try run(file)
      #expect(moved.text == "3\n" && !moved.errors.contains("is not used"), "\(moved)")
    }

    @Test("a result depends on preloaded libraries that are named without a path, and on the settings of the loader")
    func preloadedLibraries() throws {
      let file = try PipelineFile("plugins: [./c.adopt.yaml]\nsteps:\n  a: {call: c.value, pure: true}\n")
      func path(_ name: String) -> String { file.folder.appending(path: name).path }
      try Self.build("int inner(void) { return 2; }", path("libinner.so"), "-Wl,-soname,libinner.so")
      try Self.build(
        "int inner(void); int value(void) { return inner(); }", path("libouter.so"), path("libinner.so"),
        "-Wl,-rpath,$ORIGIN", "-Wl,-soname,libouter.so")
      try Data("library: ./libouter.so\nfunctions: [\"value() -> i32\"]\n".utf8)
        .write(to: URL(filePath: path("c.adopt.yaml")))
      try FileManager.default.createDirectory(atPath: path("fast"), withIntermediateDirectories: true)
      func run(_ variables: [String: String]) throws -> (text: String, isFound: Bool) {
        let ending = try HostProcess.run(
          ["run", "--cache", path("results.db"), file.path],
          environment: ["LD_LIBRARY_PATH": path("fast")].merging(variables) { $1 })
        #expect(ending.status == 0 && !ending.errors.contains("is not used"), "\(ending)")
        return (ending.text, ending.errors.contains("from the cache"))
      }
      #expect(try run([:]) == ("2\n", false))
      #expect(try run([:]) == ("2\n", true))
      for number in [5, 6] {
        try Self.build("int inner(void) { return \(number); }", path("fast/libfast.so"))
        // ld.so skips the missing library with a warning.
        #expect(try run(["LD_PRELOAD": "/none.so libfast.so"]) == ("\(number)\n", false))
      }
      #expect(try run(["LD_PRELOAD": "/none.so libfast.so"]) == ("6\n", true))
      #expect(try run(["LD_AUDIT": "/none.so"]) == ("2\n", false))
      #expect(try run([:]) == ("2\n", true))
    }

    @Test func theSignatureOfAnAdoptedFunctionCounts() throws {
      let file = try PipelineFile(
        "plugins: [./c.adopt.yaml]\nsteps:\n  a: {call: c.abs, with: {c: -300}, pure: true}\n")
      func adopt(_ result: String) throws {
        try Data("library: libc.so.6\nfunctions:\n  - {signature: \"abs(c: i32) -> \(result)\"}\n".utf8)
          .write(to: file.folder.appending(path: "c.adopt.yaml"))
      }
      try adopt("i32")
      for _ in 0..<2 { #expect(try run(file).text == "300\n") }
      // The result is the low byte alone.
      try adopt("u8")
      let other = try run(file)
      #expect(other.text == "44\n" && !other.errors.contains(", from the cache"), "\(other.errors)")
    }

    @Test func theOrderOfArgumentsDoesNotCount() throws {
      func pipeline(_ arguments: String) -> String {
        "plugins: [kinds]\nsteps:\n  a: {call: kinds.mixed, with: {\(arguments)}, pure: true}\n"
      }
      let file = try PipelineFile(pipeline("x: 1, y: 2"))
      let first = try run(file)
      try Data(pipeline("y: 2, x: 1").utf8).write(to: URL(filePath: file.path))
      let second = try run(file)
      #expect(second.text == first.text && second.errors.contains(", from the cache"), "\(second.errors)")
      try Data(pipeline("x: 2, y: 1").utf8).write(to: URL(filePath: file.path))
      let other = try run(file)
      #expect(other.text != first.text && !other.errors.contains(", from the cache"), "\(other.errors)")
    }

    @Test(arguments: ["", ", after: a"])
    func aResumedRunDistinguishesStepsWithTheSameCall(order: String) throws {
      let file = try PipelineFile("")
      let calls = file.folder.appending(path: "calls").path
      let step = "{call: kinds.start, with: {command: \"echo x >> '\(calls)'\"}"
      try Data("plugins: [kinds]\nsteps:\n  a: \(step)}\n  b: \(step)\(order)}\n".utf8)
        .write(to: URL(filePath: file.path))
      let ending = try HostProcess.run(
        "run", "--jobs", "1", "--resume", "--cache", file.folder.appending(path: "results.db").path, file.path)
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(try String(contentsOfFile: calls, encoding: .utf8) == "x\nx\n")
    }

    @Test func aResumedRunDistinguishesTheElementsOfAStep() throws {
      let file = try PipelineFile("")
      let calls = file.folder.appending(path: "calls").path
      let step = "{call: kinds.start, with: {command: \"echo x >> '\(calls)'\"}, each: [1, 2, 3]}"
      try Data("plugins: [kinds]\nsteps:\n  a: \(step)\n".utf8).write(to: URL(filePath: file.path))
      let ending = try HostProcess.run(
        "run", "--jobs", "1", "--resume", "--cache", file.folder.appending(path: "results.db").path, file.path)
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(try String(contentsOfFile: calls, encoding: .utf8) == "x\nx\nx\n")
    }

    @Test("a resumed run with another value of a variable, or another file, takes no result of the earlier run")
    func aResumedRunIsOfItsVariablesAndFiles() throws {
      let file = try PipelineFile("")
      let calls = file.folder.appending(path: "calls").path
      func write(_ comment: String) throws {
        try Data(
          """
          # \(comment)
          plugins: [kinds]
          set: {name: one}
          steps:
            a: {call: kinds.start, with: {command: "echo x >> '\(calls)'"}}
            b: {call: kinds.setting, with: {key: none}, after: a}
          """.utf8
        ).write(to: URL(filePath: file.path))
      }
      func run(_ options: String...) throws -> Int {
        let cache = file.folder.appending(path: "results.db").path
        let ending = try HostProcess.run(["run", "--resume", "--cache", cache] + options + [file.path])
        #expect(ending.status == 1, "\(ending.errors)")
        return try String(contentsOfFile: calls, encoding: .utf8).count / 2
      }
      try write("first")
      #expect(try run() == 1)
      #expect(try run() == 1)
      #expect(try run("--set", "name=two") == 2)
      #expect(try run("--set", "name=one") == 2)
      try write("second")
      #expect(try run() == 3)
    }

    @Test func finalStepsRunInEachResumedRun() throws {
      let file = try PipelineFile("")
      let calls = file.folder.appending(path: "calls").path
      try Data(
        """
        plugins: [kinds]
        steps:
          a: {call: kinds.setting, with: {key: none}}
        finally:
          cleanup: {call: kinds.start, with: {command: "echo x >> '\(calls)'"}}
        """.utf8
      ).write(to: URL(filePath: file.path))
      for count in 1...2 {
        let ending = try HostProcess.run(
          "run", "--resume", "--cache", file.folder.appending(path: "results.db").path, file.path)
        #expect(ending.status == 1, "\(ending.errors)")
        #expect(try String(contentsOfFile: calls, encoding: .utf8) == String(repeating: "x\n", count: count))
      }
    }

    @Test func aDamagedResultIsReported() throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps:\n  a: {call: kinds.tiny, pure: true}\n")
      _ = try run(file)
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        "sqlite3", file.folder.appending(path: "results.db").path, "update results set digest = x'00'",
      ]
      try process.run()
      process.waitUntilExit()
      let warning = "plugin-host: warning: a: its result in the cache is damaged; it is computed again\n"
      let damaged = try run(file)
      #expect(damaged.text == "-3\n" && damaged.errors.contains(warning), "\(damaged.errors)")
      let mended = try run(file)
      #expect(mended.errors.contains(", from the cache") && !mended.errors.contains("warning"), "\(mended.errors)")
    }
  }

  /// The file of a secret.
  @Suite struct SecretFileTests {
    @Test(arguments: ["abcd", "abcd\n", "abcd\r\n", "abcd\r"])
    func theLastLineBreakDoesNotCount(content: String) throws {
      let file = try PipelineFile(
        "plugins: [kinds]\nsecrets: {key: {file: key}}\nsteps:\n"
          + "  a: {call: kinds.start, with: {command: \"test '${key}' = abcd\"}}\n")
      try Data(content.utf8).write(to: file.folder.appending(path: "key"))
      #expect(try HostProcess.run("run", file.path).text == "0\n")
    }

    @Test(arguments: ["", "\n", "\r\n"])
    func anEmptyOneIsRefused(content: String) throws {
      let file = try PipelineFile(
        "plugins: [kinds]\nsecrets: {key: {file: key}}\nsteps:\n  a: {call: kinds.text, with: {x: \"${key}\"}}\n")
      try Data(content.utf8).write(to: file.folder.appending(path: "key"))
      let ending = try HostProcess.run("run", file.path)
      #expect(ending.status == 64)
      #expect(ending.errors.contains("the secret \"key\": "), "\(ending.errors)")
      #expect(ending.errors.contains("is empty, or not UTF-8 text"), "\(ending.errors)")
    }
  }
}
