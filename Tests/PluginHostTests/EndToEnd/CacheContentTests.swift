import Foundation
import Testing

extension EndToEnd {
  /// The files whose content decides whether a cached result is used.
  @Suite struct CacheContentTests {
    private func run(_ file: borrowing PipelineFile) throws -> HostProcess.Ending {
      let ending = try HostProcess.run("run", "--cache", file.folder.appending(path: "results.db").path, file.path)
      #expect(ending.status == 0, "\(ending.errors)")
      return ending
    }

    /// Builds a library in the folder, and renames it to its name.
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

    @Test func pluginsThatAPluginRequiresCount() throws {
      let file = try PipelineFile(
        "plugins: [./kinds.so, needy]\nsteps:\n  a: {call: needy.ask, with: {x: 3}, pure: true}\n")
      let kinds = file.folder.appending(path: "kinds.so")
      try FileManager.default.copyItem(atPath: FixturePlugins.path("kinds"), toPath: kinds.path)
      let first = try run(file)
      let second = try run(file)
      #expect(second.text == first.text && second.errors.contains(", from the cache"), "\(second.errors)")
      // Bytes behind the tables of the file, which are not read.
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
      // However slow the machine is, the file was written less than two seconds ago.
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: 3600)], ofItemAtPath: kinds)
      _ = try run(file)
      let output = Pipe()
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [
        "sqlite3", file.folder.appending(path: "results.db").path,
        "select count(*) from files where path like '%/kinds.so'",
      ]
      process.standardOutput = output
      try process.run()
      process.waitUntilExit()
      #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "0\n")
    }
  }
}
