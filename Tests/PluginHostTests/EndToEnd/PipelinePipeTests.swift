import Foundation
import Testing

extension EndToEnd {
  /// Pipes without another side, and a picture that is not drawn, within the time of a run.
  @Suite struct PipelinePipeTests {
    private static let text = "plugins: [kinds]\nsteps: {a: {call: kinds.tiny}}\n"

    private func pipe(in folder: URL) -> String {
      let path = folder.appending(path: "pipe").path
      #expect(mkfifo(path, 0o600) == 0)
      return path
    }

    @Test(arguments: [[], ["--dry-run"]])
    func aResultThatNobodyReads(options: [String]) throws {
      let file = try PipelineFile(Self.text)
      let pipe = pipe(in: file.folder)
      let words = ["--progress", "off", "--timeout", options.isEmpty ? "2" : "0.3"] + options
      let ending = try HostProcess.run(["run"] + words + ["-o", pipe, file.path])
      #expect(ending.status == 3)
      #expect(ending.errors == "plugin-host: the result cannot be written: \(pipe): timed out\n")
    }

    @Test func aCallsResultThatNobodyReads() throws {
      let file = try PipelineFile(Self.text)
      let pipe = pipe(in: file.folder)
      #expect(try HostProcess.run("call", "--timeout", "0.3", "-o", pipe, "kinds", "tiny").status == 3)
    }

    @Test("a pipe is written to as it is emptied")
    func aResultThatIsRead() throws {
      let file = try PipelineFile("plugins: [kinds]\nsteps: {a: {call: kinds.start, with: {command: \"true\"}}}\n")
      let pipe = pipe(in: file.folder)
      let reader = try Process.run(
        URL(filePath: "/bin/sh"), arguments: ["-c", "sleep 0.2; cat '\(pipe)' > '\(pipe).read'"])
      let ending = try HostProcess.run("run", "--timeout", "60", "-o", pipe, file.path)
      reader.waitUntilExit()
      #expect(ending.status == 0, "\(ending.errors)")
      #expect(try String(contentsOfFile: pipe + ".read", encoding: .utf8) == "0\n")
    }

    @Test("a file that nobody writes", arguments: ["pipeline", "secret"])
    func aFileThatNobodyWrites(kind: String) throws {
      let file = try PipelineFile(Self.text + "secrets: {s: {file: pipe}}\n")
      let pipe = pipe(in: file.folder)
      let ending = try HostProcess.run("run", "--timeout", "0.3", kind == "pipeline" ? pipe : file.path)
      #expect(ending.status == 3)
      #expect(ending.errors.hasSuffix("\(pipe): timed out\n"), "\(ending.errors)")
    }

    /// A program `dot` that notes its file, and sleeps.
    private func environment(_ folder: URL) throws -> [String: String] {
      let program = folder.appending(path: "dot")
      let script = "#!/bin/sh\ncd '\(folder.path)'\necho \"$2\" > new; mv new drawn\nexec sleep 600\n"
      try Data(script.utf8).write(to: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
      return ["PATH": folder.path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "")]
    }

    @Test func aPictureHasATimeLimit() throws {
      let file = try PipelineFile(Self.text)
      let ending = try HostProcess.run(
        "run", "--graph", "svg", "--timeout", "0.3", file.path, environment: try environment(file.folder))
      #expect(ending.status == 3)
      #expect(ending.errors == "plugin-host: dot did not end within 0.3 s: use --graph dot, and draw its output\n")
    }

    @Test("a picture that is interrupted leaves no file", arguments: [SIGINT, SIGTERM])
    func anInterruptedPicture(signal: Int32) throws {
      let file = try PipelineFile(Self.text)
      let host = try HostProcess(
        ["run", "--graph", "svg", file.path], environment: try environment(file.folder))
      try host.process.run()
      let drawn = file.folder.appending(path: "drawn").path
      while host.process.isRunning, !FileManager.default.fileExists(atPath: drawn) { usleep(10_000) }
      kill(host.process.processIdentifier, signal)
      #expect(try host.wait().signal == signal)
      let name = try String(contentsOfFile: drawn, encoding: .utf8).trimmingCharacters(in: .newlines)
      #expect(name.contains("plugin-host-"))
      #expect(!FileManager.default.fileExists(atPath: name))
    }
  }
}
