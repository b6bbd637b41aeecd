import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// A plugin with the right `write=PATH` alone makes the host neither write nor read files elsewhere.
  @Suite struct WritableFolderTests: ~Copyable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func prepare() throws {
      try folder.write("secret\n", to: "secret")
      for name in ["own", "other"] {
        try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: false)
      }
    }

    private func link(_ path: String, to target: String) throws {
      try FileManager.default.createSymbolicLink(
        atPath: folder.path(path), withDestinationPath: folder.path(target))
    }

    /// Calls a function of the plugin, which may write to the folder `own`.
    private func call(_ words: String...) throws -> HostProcess.Ending {
      try HostProcess.run(["call", "--allow", "write=\(folder.path("own"))", "linking", "put"] + words)
    }

    private func run(_ steps: String, _ options: String...) throws -> HostProcess.Ending {
      let file = try PipelineFile(
        "plugins: [{plugin: linking, capabilities: [write=\(folder.path("own"))]}, kinds]\nsteps:\n\(steps)\n")
      return try HostProcess.run(["run", "--progress", "off", "--no-cache"] + options + [file.path])
    }

    private func isLink(_ path: String) throws -> Bool {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(path))
      return attributes[.type] as? FileAttributeType == .typeSymbolicLink
    }

    @Test func aLinkThatAPluginMakesIsReplacedByTheResult() throws {
      try prepare()
      let (secret, out) = (folder.path("secret"), folder.path("own/out"))
      let call = try call(secret, out, "-o", out)
      #expect(call.status == 0, "\(call)")
      #expect(try folder.text("secret") == "secret\n")
      #expect(try folder.text("own/out") == "0\n")
      #expect(try !isLink("own/out"))
      let run = try run("  a: {call: linking.put, with: {target: \(secret), path: \(out)}}", "-o", out)
      #expect(run.status == 0, "\(run)")
      #expect(try folder.text("secret") == "secret\n")
      #expect(try folder.text("own/out") == "0\n")
      #expect(try !isLink("own/out"))
      #expect(try folder.names() == ["other", "own", "secret"])
    }

    @Test("so is a link that a function of a library makes, which is called by its signature")
    func signatures() throws {
      try prepare()
      let (own, out) = (folder.path("own"), folder.path("own/out"))
      let ending = try HostProcess.run(
        "call", "--isolation", "process", "--allow", "write=\(own)", "-o", out, "--signature",
        "symlink(target: cstr, path: cstr) -> i32", "libc.so.6", folder.path("secret"), out)
      #expect(ending.status == 0, "\(ending)")
      #expect(try folder.text("secret") == "secret\n")
      #expect(try folder.text("own/out") == "0\n")
      #expect(try !isLink("own/out"))
    }

    @Test("so is a link whose name, or the name of whose folder, begins with a combining mark", arguments: ["", "in/"])
    func combiningMarks(inner: String) throws {
      try prepare()
      try FileManager.default.createDirectory(
        atPath: folder.path("own/\u{301}in"), withIntermediateDirectories: false)
      let name = inner.isEmpty ? "own/\u{301}out" : "own/\u{301}\(inner)out"
      try link(name, to: "secret")
      let out = folder.path(name)
      let call = try call(folder.path("other"), folder.path("own/link"), "-o", out)
      #expect(call.status == 0, "\(call)")
      #expect(try folder.text("secret") == "secret\n")
    }

    @Test func soIsALinkOfAnEarlierRun() throws {
      try prepare()
      try link("own/trace", to: "secret")
      try link("own/out", to: "secret")
      // A link of the user's leads there.
      try link("link", to: "own/out")
      let trace = folder.path("own/trace")
      let call = try call("nowhere", folder.path("own/x"), "--trace", trace, "-o", folder.path("link"))
      #expect(call.status == 0, "\(call)")
      #expect(try folder.text("secret") == "secret\n")
      #expect(try folder.text("own/out") == "0\n")
      let links = try ["link", "own/out", "own/trace"].map { try isLink($0) }
      #expect(links == [true, false, false])
      #expect(try folder.text("own/trace").contains("traceEvents"))
    }

    @Test func aTraceReplacesALongerFile() throws {
      try prepare()
      try folder.write(String(repeating: "x", count: 100_000), to: "own/trace")
      let call = try call("nowhere", folder.path("own/x"), "--trace", folder.path("own/trace"))
      #expect(call.status == 0, "\(call)")
      #expect(try JSONSerialization.jsonObject(with: Data(folder.text("own/trace").utf8)) is [String: Any])
    }

    @Test func aLinkOfAFolderIsNotFollowed() throws {
      try prepare()
      try link("own/sub", to: "other")
      for option in ["-o", "--trace"] {
        let call = try call("nowhere", folder.path("own/x"), option, folder.path("own/sub/f"))
        #expect(call.status == (option == "-o" ? 1 : 64), "\(call)")
        #expect(call.errors.contains("a symbolic link leads out of a folder that a plugin may write to"), "\(call)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("other")) == [])
    }

    @Test func aFileIsReadWithinTheFolderAlone() throws {
      try prepare()
      func read(_ target: String) throws -> HostProcess.Ending {
        unlink(folder.path("own/in"))
        return try run(
          """
            a: {call: linking.put, with: {target: \(target), path: \(folder.path("own/in"))}}
            b: {call: kinds.text, with: {x: "@\(folder.path("own/in"))"}, after: a}
          """)
      }
      // The name of the other folder begins with that of the plugin's.
      try FileManager.default.createDirectory(atPath: folder.path("owner"), withIntermediateDirectories: false)
      try folder.write("secret\n", to: "owner/file")
      for target in [folder.path("secret"), "../secret", "../owner/file", "/dev/stdin", "/proc/self/environ"] {
        let ending = try read(target)
        #expect(ending.status == 1 && ending.text == "", "\(ending)")
        #expect(ending.errors.contains("a symbolic link leads out of a folder"), "\(ending)")
      }
      try folder.write("inside", to: "own/file")
      #expect(try read("file").text == "\"inside\"\n")
    }

    @Test func filesElsewhereAreWrittenAsBefore() throws {
      try prepare()
      try link("link", to: "there")
      try folder.write("old", to: "own/out")
      for path in ["link", "own/out", "own/../fresh"] {
        let call = try call("nowhere", folder.path("own/x"), "-o", folder.path(path))
        #expect(call.status == 0, "\(call)")
      }
      for name in ["there", "own/out", "fresh"] { #expect(try folder.text(name) == "0\n") }
      #expect(try isLink("link"))
      let pipe = folder.path("pipe")
      #expect(mkfifo(pipe, 0o600) == 0)
      let reader = open(pipe, O_RDONLY | O_NONBLOCK)
      defer { close(reader) }
      #expect(try call("nowhere", folder.path("own/x"), "-o", pipe).status == 0)
      var bytes = [UInt8](repeating: 0, count: 16)
      let count = Glibc.read(reader, &bytes, bytes.count)
      #expect(count == 2 && bytes.starts(with: Array("0\n".utf8)))
    }

    @Test("a pipe in the folder, which nobody may read, is replaced by the result or the trace")
    func pipes() throws {
      try prepare()
      for (option, name) in [("-o", "own/out"), ("--trace", "own/trace")] {
        for hasReader in [false, true] {
          let path = folder.path(name)
          unlink(path)
          #expect(mkfifo(path, 0o600) == 0)
          let reader = hasReader ? open(path, O_RDONLY | O_NONBLOCK) : -1
          defer { if reader >= 0 { close(reader) } }
          let host = try HostProcess(
            ["call", "--allow", "write=\(folder.path("own"))", "linking", "put", "nowhere", folder.path("own/x")]
              + [option, path])
          try host.process.run()
          let deadline = Date(timeIntervalSinceNow: 120)
          while host.process.isRunning, Date() < deadline { usleep(10_000) }
          if host.process.isRunning { host.process.terminate() }
          #expect(try host.wait().status == 0, "\(option)")
          var information = stat()
          // Reading a pipe would not end.
          try #require(lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG, "\(option)")
        }
      }
      #expect(try folder.text("own/out") == "0\n" && folder.text("own/trace").contains("traceEvents"))
    }

    @Test("a capability for a link out of a plugin's folder of write= is refused", arguments: ["read", "write"])
    func aCapabilityLeadsNotOut(right: String) throws {
      try prepare()
      try link("own/in", to: "other")
      let own = folder.path("own")
      let call = try HostProcess.run(
        "call", "--allow", "write=\(own)", "--allow", "\(right)=\(own)/in", "linking", "put", "x", "\(own)/x")
      #expect(call.status == 2 && call.errors.contains("\(own)/in: a symbolic link leads out of a folder"), "\(call)")
      // Whichever plugin comes first.
      let file = try PipelineFile(
        """
        plugins:
        - {plugin: kinds, capabilities: [\(right)=\(own)/in]}
        - {plugin: linking, capabilities: [write=\(own)]}
        steps: {a: {call: kinds.nothing}}
        """)
      let run = try HostProcess.run("run", "--progress", "off", file.path)
      #expect(run.status == 2 && run.errors.contains("a symbolic link leads out of a folder"), "\(run)")
    }

    @Test("a folder of a capability is the one that was there before code of the plugin ran")
    func aCapabilityStays() throws {
      try prepare()
      try FileManager.default.createDirectory(atPath: folder.path("own/in"), withIntermediateDirectories: false)
      let (own, secret) = (folder.path("own"), folder.path("secret"))
      let ending = try HostProcess.run(
        "call", "--allow", "write=\(own)", "--allow", "read=\(own)/in", "--allow", "env=LINK_FOLDER", "linking", "peek",
        secret, environment: ["LINK_FOLDER": "\(own)/in"])
      guard !ending.errors.contains("not enforced") else { return print("skipped: \(ending.errors)") }
      #expect(try isLink("own/in"))
      #expect(ending.status == 1 && ending.errors.contains("was refused 'read=\(secret) (openat)'"), "\(ending)")
    }

    @Test("a folder of a capability is the one that was there before code of any plugin of a pipeline ran")
    func aCapabilityOfAnotherStays() throws {
      try prepare()
      try FileManager.default.createDirectory(atPath: folder.path("own/in"), withIntermediateDirectories: false)
      let (own, secret) = (folder.path("own"), folder.path("secret"))
      let file = try PipelineFile(
        """
        plugins:
        - {plugin: linking, capabilities: [write=\(own), env=LINK_FOLDER]}
        - {plugin: reader, capabilities: [read=\(own)/in]}
        steps: {a: {call: reader.count, with: {path: \(secret)}}}
        """)
      let ending = try HostProcess.run(
        "run", "--progress", "off", file.path, environment: ["LINK_FOLDER": "\(own)/in"])
      guard !ending.errors.contains("not enforced") else { return print("skipped: \(ending.errors)") }
      #expect(try isLink("own/in"))
      #expect(ending.status == 1 && ending.errors.contains("was refused 'read=\(secret) (openat)'"), "\(ending)")
    }
  }
}
