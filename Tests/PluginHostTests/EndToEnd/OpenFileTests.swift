import Foundation
import Testing

extension EndToEnd {
  /// Open files on the command line, in pipelines and in a shell.
  @Suite struct OpenFileTests: ~Copyable {
    private let folder: TemporaryFolder

    init() throws {
      let folder = try TemporaryFolder()
      try folder.write("text", to: "file")
      self.folder = folder
    }

    private func call(_ place: String, _ words: String..., input: String = "") throws -> HostProcess.Ending {
      try HostProcess.run(["call", "--isolation", place, FixturePlugins.path("files")] + words, input: input)
    }

    @Test("a word opens a file to read, to write or to append, or is standard input", arguments: ["thread", "process"])
    func words(place: String) throws {
      for word in ["@\(folder.path("file"))", "file=@\(folder.path("file"))"] {
        let ending = try call(place, "content", "--raw", word)
        #expect(ending.text == "text", "\(ending)")
      }
      for word in ["-", "file=@-"] {
        #expect(try call(place, "content", "--raw", word, input: "text").text == "text")
      }
      for (use, content) in [("write", "a"), ("append", "ab"), ("write", "c")] {
        let text = String(content.last ?? " ")
        #expect(try call(place, "write_text", "file=@\(use):\(folder.path("new"))", "text=\(text)").text == "0\n")
        #expect(try String(contentsOfFile: folder.path("new"), encoding: .utf8) == content)
      }
      // Opened to read alone: EBADF.
      #expect(try call(place, "write_text", "file=@\(folder.path("file"))", "text=x").text == "9\n")
    }

    @Test("a pipe in a folder of write, whose reader may never come, is replaced by the file that is opened to write")
    func pipesOfPlugins() throws {
      let pipe = folder.path("pipe")
      #expect(mkfifo(pipe, 0o600) == 0)
      let ending = try HostProcess.run(
        "call", "--allow", "write=\(folder.url.path)", FixturePlugins.path("files"), "write_text", "@write:\(pipe)",
        "text=x")
      #expect(ending.text == "0\n", "\(ending)")
      #expect(try String(contentsOfFile: pipe, encoding: .utf8) == "x")
    }

    @Test("other words are refused: a number cannot forge a file", arguments: ["thread", "process"])
    func refusals(place: String) throws {
      for (word, reason) in [
        (
          "3",
          #""3" is not an open file: write @PATH to read a file, @write:PATH or @append:PATH to write one, or - for"#
        ),
        ("@\(folder.url.path)", "which is a folder"), ("@/no/such/file", "/no/such/file: No such file or directory"),
        ("@write:/no/such/file", "/no/such/file: No such file or directory"),
      ] {
        let ending = try call(place, "content", word)
        #expect(ending.status == 64 && ending.errors.contains(reason), "\(word): \(ending)")
      }
    }

    @Test("a FIFO without a writer is waited for until the time limit")
    func fifos() throws {
      #expect(mkfifo(folder.path("fifo"), 0o600) == 0)
      let ending = try call("process", "--timeout", "0.1", "content", "@\(folder.path("fifo"))")
      #expect(ending.status != 0 && ending.errors.contains("0.1"), "\(ending)")
    }

    @Test("a function that reads a FIFO waits for the text to come", arguments: ["in-process", "process"])
    func slowFifos(place: String) throws {
      let path = folder.path("fifo")
      #expect(mkfifo(path, 0o600) == 0)
      let writer = open(path, O_RDWR | O_CLOEXEC)
      let options = ["--isolation", place, "--timeout", "200", "--raw"]
      let host = try HostProcess(["call"] + options + [FixturePlugins.path("files"), "content", "@\(path)"])
      try host.process.run()
      for text in ["a", "b"] {
        #expect(write(writer, text, 1) == 1)
        // Until the function has taken it. 0x541B is FIONREAD.
        var count: Int32 = 0
        while host.process.isRunning, ioctl(writer, 0x541B, &count) == 0, count > 0 { usleep(2_000) }
      }
      close(writer)
      let ending = try host.wait()
      #expect(ending.status == 0 && ending.text == "ab", "\(ending)")
    }

    @Test("a step passes the file that it opened to the next one", arguments: ["in-process", "thread", "process"])
    func pipelines(place: String) throws {
      let file = try PipelineFile(
        """
        plugins: [{plugin: \(FixturePlugins.path("files")), isolation: \(place)}]
        steps:
          made: {call: files.pipe_with, with: {text: between}}
          read: {call: files.content, with: {file: {step: made}}}
          each: {call: files.content, each: [1, 2], with: {file: "@\(folder.path("file"))"}}
          ends: {call: files.ends, with: {fails: false}}
          wrote: {call: files.write_text, with: {file: {step: ends, get: writer}, text: x}}
          # Keeps the other end: a result is released when no step takes it any more.
          kept: {call: files.is_closed_by_exec, with: {file: {step: ends, get: reader}}, after: wrote}
        result: {read: read, each: each, wrote: wrote}
        """)
      let ending = try HostProcess.run("run", "--progress", "off", file.path)
      let (between, text) = (Data("between".utf8).base64EncodedString(), Data("text".utf8).base64EncodedString())
      #expect(ending.text == #"{"read":"\#(between)","each":["\#(text)","\#(text)"],"wrote":0}"# + "\n", "\(ending)")
    }

    @Test("a pipeline refuses a text and another result for a file")
    func pipelineMistakes() throws {
      let mistakes = ["\"3\"": "an open file", "{step: number}": "\"file\" is fd, but the step \"number\" returns i32"]
      for (input, mistake) in mistakes {
        let file = try PipelineFile(
          """
          plugins: [\(FixturePlugins.path("files"))]
          steps:
            number: {call: files.count_descriptors}
            read: {call: files.content, with: {file: \(input)}}
          """)
        let ending = try HostProcess.run("run", "--progress", "off", file.path)
        #expect(ending.status == 64 && ending.errors.contains(mistake), "\(ending)")
      }
    }

    @Test("a shell keeps open files as it keeps handles", arguments: ["in-process", "process"])
    func shells(place: String) throws {
      let ending = try HostProcess.run(
        "shell", "--isolation", place,
        input: """
          use \(FixturePlugins.path("files"))
          f = files.pipe_with text=kept
          files.content $f
          p = files.ends false
          files.write_text $p.writer x
          """)
      #expect(ending.text == "\"\(Data("kept".utf8).base64EncodedString())\"\n0\n", "\(ending)")
    }

    @Test("the C prototype has an int, and the example a file")
    func descriptions() throws {
      let inspected = try HostProcess.run("inspect", FixturePlugins.path("files"))
      #expect(inspected.text.contains("int pipe_with(promise_str_t text);"), "\(inspected)")
      #expect(inspected.text.contains("int32_t ends(bool fails, int *reader, int *writer);"))
      let help = try HostProcess.run("call", FixturePlugins.path("files"), "content", "--help")
      #expect(help.text.contains("file=@FILE"), "\(help)")
    }
  }
}
