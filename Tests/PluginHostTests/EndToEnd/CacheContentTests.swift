import Foundation
import Synchronization
import Testing

extension EndToEnd {
  /// The files whose content decides whether a cached result is used.
  @Suite struct CacheContentTests {
    private func run(_ file: borrowing PipelineFile, _ options: String...) throws -> HostProcess.Ending {
      let ending = try HostProcess.run(
        ["run", "--cache", file.folder.appending(path: "results.db").path] + options + [file.path])
      #expect(ending.status == 0, "\(ending.errors)")
      return ending
    }

    /// Builds a library in the folder, and moves it to its path in one step.
    private func build(_ name: String, _ code: String, in folder: URL, _ options: String...) throws {
      let source = folder.appending(path: "\(name).c")
      try Data(code.utf8).write(to: source)
      let built = folder.appending(path: "\(name).new").path
      let compiler = try Process.run(
        URL(filePath: "/usr/bin/env"), arguments: ["cc", "-shared", "-fPIC", source.path, "-o", built] + options)
      compiler.waitUntilExit()
      let path = folder.appending(path: "\(name).so").path
      try #require(compiler.terminationStatus == 0 && rename(built, path) == 0)
    }

    @Test(arguments: [("text", "<${key}>"), ("blob", "a${key}b"), ("whole", "${key}")])
    func aResultWithASecretInItIsNotStored(function: String, argument: String) throws {
      let secret = "87654321"
      let file = try PipelineFile(
        "plugins: [kinds]\nsecrets: {key: {file: key}}\nsteps:\n  a: {call: kinds.\(function), with: {x: \"\(argument)\"}, pure: true}\n"
      )
      try Data(secret.utf8).write(to: file.folder.appending(path: "key"))
      // Written to a file, because a secret is not printed either.
      let output = file.folder.appending(path: "output").path
      for _ in 0..<2 { #expect(!(try run(file, "-o", output).errors.contains(", from the cache"))) }
      for name in try FileManager.default.contentsOfDirectory(atPath: file.folder.path) where name.hasPrefix("results")
      {
        let bytes = try Data(contentsOf: file.folder.appending(path: name))
        #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)")
      }
    }

    @Test func librariesThatALibraryNeedsCount() throws {
      let file = try PipelineFile("plugins: [./outer.adopt.yaml]\nsteps:\n  a: {call: outer.f, pure: true}\n")
      let folder = file.folder
      try build("libinner", "int g(void) { return 1; }", in: folder)
      try build(
        "libouter", "int g(void); int f(void) { return g(); }", in: folder, "-L\(folder.path)", "-linner",
        "-Wl,-rpath,$ORIGIN")
      try Data("library: ./libouter.so\nfunctions:\n  - {signature: \"f() -> i32\"}\n".utf8)
        .write(to: folder.appending(path: "outer.adopt.yaml"))
      #expect(try run(file).text == "1\n")
      #expect(try run(file).errors.contains(", from the cache"))
      try build("libinner", "int g(void) { return 2; }", in: folder)
      #expect(try run(file).text == "2\n")
    }

    /// The result is that of the loaded code, not of the file that replaced it.
    @Test func aFileThatIsReplacedBeforeTheFirstCallDoesNotCount() throws {
      let file = try PipelineFile(
        """
        plugins: [kinds, ./late.adopt.yaml]
        steps:
          waits: {call: kinds.start, with: {command: "touch mark; while ! test -e end; do sleep 0.02; done"}}
          a: {call: late.f, pure: true, after: [waits]}
        """)
      let folder = file.folder
      try build("late", "int f(void) { return 1; }", in: folder)
      try Data("library: ./late.so\nfunctions: ['f() -> i32']\n".utf8)
        .write(to: folder.appending(path: "late.adopt.yaml"))
      func start() throws -> HostProcess {
        let host = try HostProcess(["run", "--cache", "results.db", "p.yaml"])
        host.process.currentDirectoryURL = folder
        try host.process.run()
        return host
      }
      let host = try start()
      while !FileManager.default.fileExists(atPath: folder.appending(path: "mark").path), host.process.isRunning {
        usleep(5_000)
      }
      try build("late", "int f(void) { return 2; }", in: folder)
      try Data().write(to: folder.appending(path: "end"))
      let ending = try host.wait()
      #expect(ending.text == "1\n", "\(ending.errors)")
      let again = try start().wait()
      #expect(again.text == "2\n", "\(again.errors)")
    }

    @Test func pluginsThatAPluginRequiresCount() throws {
      let file = try PipelineFile(
        "plugins: [./kinds.so, needy]\nsteps:\n  a: {call: needy.ask, with: {x: 3}, pure: true}\n")
      let kinds = file.folder.appending(path: "kinds.so")
      try FileManager.default.copyItem(atPath: FixturePlugins.path("kinds"), toPath: kinds.path)
      let first = try run(file)
      let second = try run(file)
      #expect(second.text == first.text && second.errors.contains(", from the cache"), "\(second.errors)")
      // Appends bytes that are not read when the library is loaded.
      let handle = try FileHandle(forWritingTo: kinds)
      try handle.seekToEnd()
      try handle.write(contentsOf: Data("more".utf8))
      try handle.close()
      let third = try run(file)
      #expect(third.text == first.text && !third.errors.contains(", from the cache"), "\(third.errors)")
    }

    /// A file that is written twice within the resolution of its time, to the same size, has the same stamp.
    @Test func theStampOfAFileThatWasJustWrittenIsNotTrusted() throws {
      let file = try PipelineFile("plugins: [./kinds.so]\nsteps:\n  a: {call: kinds.tiny, pure: true}\n")
      let kinds = file.folder.appending(path: "kinds.so").path
      try FileManager.default.copyItem(atPath: FixturePlugins.path("kinds"), toPath: kinds)
      // A time in the future, so that the file counts as just written however slow the machine is.
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: 3600)], ofItemAtPath: kinds)
      _ = try run(file)
      #expect(try noted(file) == 0)
    }

    /// A program can set the time of the last modification back, and not that of the last change.
    @Test func theStampOfAFileThatWasJustChangedIsNotTrustedThoughItLooksOld() throws {
      // Repeated, because the changing thread may get no processor time for seconds, and because the host does not load
      // a file that changes while it is copied.
      var count: Int?
      for _ in 0..<20 where count != 0 { count = try notedOfChangingFile() }
      #expect(count == 0)
    }

    /// Returns the number of digests that are noted of a file that changes all the time, with a last modification long
    /// ago; `nil` if the file was not loaded.
    private func notedOfChangingFile() throws -> Int? {
      let file = try PipelineFile("plugins: [./kinds.so]\nsteps:\n  a: {call: kinds.tiny, pure: true}\n")
      let kinds = file.folder.appending(path: "kinds.so").path
      try FileManager.default.copyItem(atPath: FixturePlugins.path("kinds"), toPath: kinds)
      let over = Over()
      let setBack: @Sendable () -> Void = {
        let date = Date(timeIntervalSince1970: 1)
        try? FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: kinds)
      }
      // Set before the host runs, which does not load a file whose last modification changes while it is read.
      setBack()
      let changer = Thread {
        while !over.isOver.load(ordering: .relaxed) {
          setBack()
          usleep(1_000)
        }
      }
      changer.start()
      defer { over.isOver.store(true, ordering: .relaxed) }
      let cache = file.folder.appending(path: "results.db").path
      let ending = try HostProcess.run("run", "--cache", cache, file.path)
      guard ending.status == 0 else {
        #expect(ending.errors.contains("changed while it was being read"), "\(ending.errors)")
        return nil
      }
      return try noted(file)
    }

    private final class Over: Sendable {
      let isOver = Atomic(false)
    }

    @Test func aFileThatWasWrittenToCountsThoughItsSizeAndTimeAreTheSame() throws {
      let file = try PipelineFile(
        "plugins: [{plugin: ./kinds.so, isolation: in-process}]\nsteps:\n  a: {call: kinds.tiny, pure: true}\n")
      let kinds = file.folder.appending(path: "kinds.so").path
      // The bytes behind the file's tables are content that nobody reads.
      let plugin = try Data(contentsOf: URL(filePath: FixturePlugins.path("kinds")))
      let date = Date(timeIntervalSince1970: 1_000_000_000)
      func write(_ text: String) throws {
        try (plugin + Data(text.utf8)).write(to: URL(filePath: kinds), options: [])
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: kinds)
      }
      try write("one")
      // The digest is noted once the last change is some seconds ago. For a worker the copy that it loads is read.
      while try noted(file) == 0 { _ = try run(file) }
      #expect(try run(file).errors.contains(", from the cache"))
      let handle = try FileHandle(forUpdating: URL(filePath: kinds))
      try handle.seek(toOffset: UInt64(plugin.count))
      try handle.write(contentsOf: Data("two".utf8))
      try handle.close()
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: kinds)
      #expect(!(try run(file).errors.contains(", from the cache")))
    }

    /// Returns the number of digests of kinds.so in the cache.
    private func noted(_ file: borrowing PipelineFile) throws -> Int {
      let cache = file.folder.appending(path: "results.db").path
      guard FileManager.default.fileExists(atPath: cache) else { return 0 }
      let output = Pipe()
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = ["sqlite3", cache, "select count(*) from files where path like '%/kinds.so'"]
      process.standardOutput = output
      try process.run()
      process.waitUntilExit()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      return try #require(Int(text.trimmingCharacters(in: .newlines)))
    }
  }
}
