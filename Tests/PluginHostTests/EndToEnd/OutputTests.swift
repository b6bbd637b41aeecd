import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Standard output and files have the result, all of it, and nothing else.
  @Suite struct OutputTests: ~Copyable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the host in `folder` by a shell script, in which it is `"$0"`.
    private func run(_ script: String) throws -> HostProcess.Ending {
      let host = try HostProcess(["-c", script, HostProcess.executable.path])
      host.process.executableURL = URL(filePath: "/bin/sh")
      host.process.currentDirectoryURL = folder.url
      try host.process.run()
      let ending = try host.wait()
      return ending
    }

    @Test(
      "a result written to a descriptor follows the content of its file", arguments: ["/dev/stderr", "/proc/self/fd/2"])
    func descriptors(path: String) throws {
      let result = try run("echo head >&2; \"$0\" call -o \(path) kinds text x; echo foot >&2")
      #expect(result.errors == "head\n\"x\"\nfoot\n" && result.text == "", "\(result)")
      let trace = try run("echo head; \"$0\" call -o result --trace /dev/stdout kinds text x; echo foot")
      #expect(trace.text.hasPrefix("head\n{") && trace.text.hasSuffix("}\nfoot\n"), "\(trace)")
    }

    @Test(
      "a file that cannot be made or written to is refused before the call",
      arguments: [
        ("new/", "Is a directory"), ("loop", "Too many levels of symbolic links"), ("closed/new", "Permission denied"),
        ("file/new", "Not a directory"), ("none/new", "No such file or directory"),
        ("closed/fixed", "Permission denied"),
      ])
    func obstacles(path: String, message: String) throws {
      // Without capabilities, permissions count for root too.
      let script = """
        ln -s loop loop; : > file; mkdir closed; : > closed/fixed; chmod 400 closed/fixed; chmod 500 closed
        if [ "$(id -u)" = 0 ]; then set -- setpriv --bounding-set=-all; fi
        exec "$@" "$0" call -o \(path) kinds start 'touch made'
        """
      let ending = try run(script)
      defer { chmod(folder.path("closed"), 0o700) }
      #expect(ending.status == 1, "\(ending)")
      #expect(ending.errors == "plugin-host: the result cannot be written: \(path): \(message)\n")
      #expect(try folder.names().sorted() == ["closed", "file", "loop"])
    }

    @Test("a file is made where that is possible, and written to where only that is")
    func noObstacles() throws {
      let script = """
        ln -s made link; mkdir closed; : > closed/file; chmod 500 closed
        if [ "$(id -u)" = 0 ]; then set -- setpriv --bounding-set=-all; fi
        for path in link new closed/file; do "$@" "$0" call -o $path kinds tiny 5; done; cat made new closed/file
        """
      let ending = try run(script)
      defer { chmod(folder.path("closed"), 0o700) }
      #expect(ending.text == "5\n5\n5\n", "\(ending)")
    }

    @Test func linesThatAPluginPrintsAreWrittenToStandardError() throws {
      let call = try HostProcess.run("call", "kinds", "chatter", "a line")
      #expect(call.status == 0 && call.text == "null\n" && call.errors == "org.example.kinds: a line\n")
      let worker = try HostProcess.run("call", "--isolation", "process", "kinds", "chatter", "a line")
      #expect(worker.errors == "org.example.kinds: a line\n")
      let started = try HostProcess.run("call", "kinds", "start", "echo a program")
      #expect(started.text == "0\n" && started.errors == "org.example.kinds: a program\n")
      try folder.write("plugins: [kinds]\nsteps: {a: {call: kinds.chatter, with: {line: x}}}\n", to: "p.yaml")
      let run = try run("exec \"$0\" run --progress off p.yaml")
      #expect(run.status == 0 && run.text == "null\n" && run.errors == "org.example.kinds: x\n", "\(run.errors)")
    }

    @Test func linesHaveTheirPluginInTheOrderOfThePrints() throws {
      // A last line without its end, and more than a pipe holds.
      let open = try HostProcess.run("call", "--isolation", "in-process", "kinds", "start", "printf 'a\\n\\nb'")
      #expect(open.errors == ["a", "", "b"].map { "org.example.kinds: \($0)\n" }.joined())
      let long = try HostProcess.run(
        "call", "--isolation", "in-process", "kinds", "start", "seq 1 20000; head -c 200000 /dev/zero | tr '\\0' x")
      let lines = (1...20_000).map { "org.example.kinds: \($0)\n" }.joined()
      #expect(long.errors == lines + "org.example.kinds: " + String(repeating: "x", count: 200_000) + "\n")
      try folder.write(
        """
        plugins: [kinds, mortal]
        steps:
          a: {call: kinds.chatter, with: {line: before}}
          b: {call: mortal.crash, after: a}
        """, to: "p.yaml")
      let crash = try run("exec \"$0\" run --isolation in-process --progress off p.yaml")
      #expect(
        crash.errors.hasPrefix(
          """
          org.example.kinds: before
          org.example.mortal: about to crash
          plugin-host: org.example.mortal.crash: SIGSEGV in this call: the process ends
          """), "\(crash.errors)")
      let shell = try HostProcess.run(
        "shell", "--isolation", "in-process", input: "kinds.start \"printf x\"\nkinds.chatter y\nmortal.leave 3\n")
      let named = "org.example.kinds: x\norg.example.kinds: y\nplugin-host: org.example.mortal.leave: called"
      #expect(shell.errors.hasPrefix(named), "\(shell.errors)")
    }

    @Test func theLinesAfterAFailedCallHaveNotItsName() throws {
      try folder.write(
        """
        plugins: [kinds, mortal]
        steps:
          a: {call: kinds.fail, with: {message: broken}, rescue: {value: null}}
          b: {call: mortal.crash, after: a}
        """, to: "p.yaml")
      let ending = try run("exec \"$0\" run --progress off p.yaml")
      #expect(ending.errors.hasPrefix("org.example.mortal: about to crash\n"), "\(ending.errors)")
    }

    @Test func theLinesOfACallThatStillRunsHaveItsName() throws {
      let wait = "do sleep 0.01; done"
      try folder.write(
        """
        plugins: [kinds, mortal]
        steps:
          short: {call: kinds.start, with: {command: "until [ -e long-runs ]; \(wait)"}}
          long: {call: kinds.start, with: {command: "touch long-runs; until [ -e go ]; \(wait); echo late"}}
        """, to: "p.yaml")
      let ended = "until grep -q 'short: fulfilled' errors; \(wait)"
      let ending = try run("\"$0\" run --progress plain p.yaml 2>errors & \(ended); touch go; wait $!")
      #expect(ending.status == 0)
      let errors = try folder.text("errors")
      #expect(errors.contains("\norg.example.kinds: late\n"), "\(errors)")
    }

    @Test("lines of destructors, unload() and exit handlers have their plugin", arguments: ["in-process", "thread"])
    func linesAtTheEnd(isolation: String) throws {
      let id = "org.example.parting"
      func lines(_ end: String) -> String {
        ["drop", "unload"].map { "\(id): \($0)\n" }.joined()
          + ["exit handler", "destructor", "last"].map { "\(end): \($0)\n" }.joined()
      }
      let call = try HostProcess.run("call", "--isolation", isolation, "parting", "make")
      #expect(call.status == 0 && call.errors == lines(id), "\(call)")
      // While the process exits, all loaded plugins are named.
      try folder.write("plugins: [kinds, parting]\nsteps: {a: {call: parting.make}}\n", to: "p.yaml")
      let run = try run("exec \"$0\" run --isolation \(isolation) --progress off p.yaml")
      #expect(run.status == 0 && run.errors == lines("org.example.kinds or \(id)"), "\(run)")
    }

    @Test func textWithoutAnEndIsWrittenWhenTheHostEnds() throws {
      let wait = "do sleep 0.01; done"
      // A program that a call has left behind prints after the call.
      let call = "kinds.start \"(until [ -e go ]; \(wait); printf late; touch done) <&- &\""
      let ending = try run(
        "{ echo '\(call)'; until [ -s out ]; \(wait); touch go; until [ -e done ]; \(wait); } | "
          + "\"$0\" shell --isolation in-process >out")
      #expect(ending.errors == "org.example.kinds: late\n" && ending.status == 0, "\(ending)")
      #expect(try folder.text("out") == "0\n")
    }

    @Test func aLineWithoutAnEndIsWrittenInParts() throws {
      let long = try HostProcess.run(
        "call", "--isolation", "in-process", "kinds", "start", "head -c 3000000 /dev/zero | tr '\\0' x")
      let lines = long.errors.split(separator: "\n")
      #expect(lines.count > 1 && lines.allSatisfy { $0.utf8.count < 1_200_000 && $0.hasPrefix("org.example.kinds: x") })
      // The plugin's name has an x, too.
      #expect(long.errors.utf8.count { $0 == UInt8(ascii: "x") } == 3_000_000 + lines.count)
    }

    @Test func theHostItselfStillPrintsToStandardOutput() throws {
      #expect(try HostProcess.run("--version").text == "1.0.0\n")
      #expect(try HostProcess.run("help", "call").text.hasPrefix("OVERVIEW: Call one function"))
      #expect(try HostProcess.run("list").text.contains("org.example.kinds"))
      for path in ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        #expect(try HostProcess.run("call", "kinds", "tiny", "-o", path).text == "-3\n")
      }
    }

    @Test(arguments: [["--version"], ["--help"], ["help", "call"], ["call", "--help"]])
    func helpThatCannotBeWrittenIsAnError(arguments: [String]) throws {
      let host = try HostProcess(arguments)
      host.process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
      try host.process.run()
      let ending = try host.wait()
      #expect(ending.status == 1)
      #expect(ending.errors == "plugin-host: standard output: No space left on device\n")
    }

    @Test func aPipeThatNobodyReadsIsAnError() throws {
      // The reader has ended before the host starts.
      let ending = try run("mkfifo p; : <p & exec 3>p; wait; \"$0\" call kinds tiny >&3; echo $?")
      #expect(ending.text == "1\n")
      #expect(ending.errors == "plugin-host: the result cannot be written: Broken pipe\n")
      let version = try run("mkfifo q; : <q & exec 3>q; wait; \"$0\" --version >&3; echo $?")
      #expect(version.text == "1\n" && version.errors == "plugin-host: standard output: Broken pipe\n")
      // SIGPIPE ends programs that a plugin starts, as by default.
      let program = try HostProcess.run("call", "kinds", "start", "kill -PIPE $$")
      #expect(program.text == "\(SIGPIPE)\n")
      // They ignore SIGPIPE if the host was started with it ignored. Workers start with the default actions.
      #expect(try run("trap '' PIPE; \"$0\" call --isolation in-process kinds start 'kill -PIPE $$'").text == "0\n")
    }

    @Test func aFileIsReplacedAsAWhole() throws {
      // A reader that has the old file open reads it to its end.
      let ending = try run(
        "echo old >f; chmod 604 f; ln -s f link; exec 9<f; \"$0\" call kinds tiny 5 -o link; cat <&9")
      #expect(ending.text == "old\n" && ending.errors == "")
      #expect(try folder.text("f") == "5\n")
      #expect(try folder.names() == ["f", "link"])
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("f"))
      #expect(attributes[.posixPermissions] as? Int == 0o604)
      let fresh = try run("umask 027; \"$0\" call kinds tiny 6 -o new; stat -c %a new")
      #expect(fresh.text == "640\n")
      #expect(try folder.text("new") == "6\n")
      let open = try run("umask 0; \"$0\" call kinds tiny 7 -o open; stat -c %a open")
      #expect(open.text == "666\n")
    }

    private static let isMemoryApart: Bool = {
      let places = ["/dev/shm", FileManager.default.temporaryDirectory.path].map { path -> dev_t? in
        var status = stat()
        return stat(path, &status) == 0 ? status.st_dev : nil
      }
      return places[0] != nil && places[0] != places[1]
    }()

    @Test(.enabled(if: isMemoryApart, "/dev/shm is no file system of its own"))
    func aFileThatALinkToAnotherFileSystemLeadsToIsReplaced() throws {
      let path = "/dev/shm/plugin-host-\(UUID().uuidString)"
      defer { unlink(path) }
      let ending = try run("echo old >\(path); ln -s \(path) link; \"$0\" call kinds tiny 5 -o link; cat \(path)")
      #expect(ending.text == "5\n" && ending.errors == "", "\(ending)")
      #expect(try folder.names() == ["link"])
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files to other users"))
    func aFileThatIsReplacedKeepsItsOwner() throws {
      let ending = try run("echo old >f; chown 54321:54322 f; \"$0\" call kinds tiny 5 -o f; stat -c %u:%g f; cat f")
      #expect(ending.text == "54321:54322\n5\n" && ending.errors == "", "\(ending)")
    }

    @Test func aFailedCallLeavesTheOldFile() throws {
      let ending = try run(
        "echo old >f; head -c 5000000 /dev/zero >in; ulimit -f 4096; \"$0\" call --raw kinds blob @in -o f; echo $?")
      #expect(ending.text == "1\n")
      #expect(ending.errors == "plugin-host: the result cannot be written: f: File too large\n")
      #expect(try folder.text("f") == "old\n")
      #expect(try folder.names() == ["f", "in"])
    }

    @Test(arguments: [
      ("none/f", "1\n", "the result cannot be written: none/f: No such file or directory"),
      (".", "1\n", "the result cannot be written: .: Is a directory"),
      ("''", "64\n", "--output \"\": expected the name of a file"),
    ])
    func aFileThatCannotBeWrittenIsRefusedBeforeTheCall(path: String, status: String, message: String) throws {
      let ending = try run("\"$0\" call kinds chatter called -o \(path); echo $?")
      #expect(ending.text == status)
      #expect(ending.errors == "plugin-host: \(message)\n")
      try folder.write("plugins: [kinds]\nsteps: {a: {call: kinds.chatter, with: {line: called}}}\n", to: "p.yaml")
      let pipeline = try run("\"$0\" run --progress off p.yaml -o \(path); echo $?")
      #expect(pipeline.text == status)
      #expect(pipeline.errors == "plugin-host: \(message)\n")
    }

    @Test("a trace replaces a longer file")
    func traces() throws {
      try folder.write(String(repeating: "x", count: 100_000), to: "trace")
      let ending = try run("\"$0\" call --trace trace kinds tiny 5")
      #expect(ending.text == "5\n", "\(ending)")
      #expect(try JSONSerialization.jsonObject(with: Data(folder.text("trace").utf8)) is [String: Any])
    }

    @Test("a pipe that another program has made non-blocking takes the whole result")
    func nonBlockingPipe() throws {
      try folder.write(String(repeating: "x", count: 1_000_000), to: "in")
      let host = try HostProcess(["call", "--raw", "kinds", "blob", "@\(folder.path("in"))"])
      let pipe = Pipe()
      let (reader, writer) = (pipe.fileHandleForReading, pipe.fileHandleForWriting)
      #expect(fcntl(writer.fileDescriptor, F_SETFL, O_NONBLOCK) == 0)
      host.process.standardOutput = pipe
      try host.process.run()
      try writer.close()
      // Until the pipe is full: the host cannot write more then. 0x541B is FIONREAD.
      var count: Int32 = 0
      while host.process.isRunning, ioctl(reader.fileDescriptor, 0x541B, &count) == 0, count < 1 << 16 { usleep(2_000) }
      #expect(reader.readDataToEndOfFile().count == 1_000_000)
      let ending = try host.wait()
      #expect(ending.status == 0 && ending.errors == "", "\(ending)")
    }

    @Test func aFifoAndALinkAreWrittenThrough() throws {
      let pipe = try run("mkfifo p; cat p & \"$0\" call kinds tiny 7 -o p; wait; test -p p && echo still")
      #expect(pipe.text == "7\nstill\n")
      let link = try run("ln -s there link; \"$0\" call kinds tiny 8 -o link; cat there")
      #expect(link.text == "8\n")
      #expect(try folder.names() == ["link", "p", "there"])
    }
  }
}
