import Foundation
import Glibc
import Testing

extension EndToEnd {
  /// Scripts and results that wait for another process: signals end the plugins, and the main executor runs.
  @Suite struct ShellWaitingTests: ~Copyable {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A command that runs, with the ends of its pipes.
    private final class Running {
      let host: HostProcess
      let (input, output) = (Pipe(), Pipe())

      init(_ arguments: [String]) throws {
        // The tests may run under nohup, or in the background.
        host = try HostProcess(["--default-signal=INT,TERM,HUP", HostProcess.executable.path] + arguments)
        host.process.executableURL = URL(filePath: "/usr/bin/env")
        host.process.standardInput = input
        host.process.standardOutput = output
        try host.process.run()
      }

      func type(_ text: String) { input.fileHandleForWriting.write(Data(text.utf8)) }

      /// Reads the command's output until it ends with `text`.
      func read(until text: String) {
        var read = ""
        while !read.hasSuffix(text) {
          let data = output.fileHandleForReading.availableData
          if data.isEmpty { break }
          read += String(decoding: data, as: UTF8.self)
        }
      }

      /// Waits until the main thread sleeps.
      func waitForSleep() {
        let pid = host.process.processIdentifier
        wait {
          let stat = try? String(contentsOfFile: "/proc/\(pid)/task/\(pid)/stat", encoding: .utf8)
          return stat?.split(separator: ")").last?.hasPrefix(" S") == true
        }
      }

      /// Waits until the pipe of the results is full.
      func waitForFullPipe() {
        let descriptor = output.fileHandleForReading.fileDescriptor
        wait {
          var count: Int32 = 0
          return ioctl(descriptor, UInt(FIONREAD), &count) == 0 && count >= 1 << 16
        }
      }

      /// Waits until `isThere` is true, for at most a minute.
      @discardableResult
      func wait(_ isThere: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: 60)
        while Date() < deadline {
          if isThere() { return true }
          usleep(5_000)
        }
        return false
      }

      func end(by signal: Int32) throws -> HostProcess.Ending {
        kill(host.process.processIdentifier, signal)
        return try host.wait()
      }
    }

    private static let places = ["in-process", "thread", "process"]

    private func expectEnd(_ ending: HostProcess.Ending, by signal: Int32) {
      #expect(ending.signal == signal, "\(ending)")
      #expect(ending.errors.contains("org.example.parting: unload\n"), "\(ending)")
    }

    @Test(
      "a signal while a script waits for its next line ends the plugins", arguments: places, [SIGINT, SIGTERM, SIGHUP])
    func nextLine(place: String, signal: Int32) throws {
      let shell = try Running(["shell", "--isolation", place])
      shell.type("thing = parting.make\nparting.letters 1\nunfinished")
      shell.read(until: "\"a\"\n")
      shell.waitForSleep()
      expectEnd(try shell.end(by: signal), by: signal)
    }

    @Test(
      "jobs of the main executor run while a script waits for its next line", arguments: ["in-process", "thread"])
    func jobs(place: String) throws {
      let shell = try Running(["shell", "--isolation", place])
      let made = folder.path("made")
      shell.type("parting.create_later \(made)\n")
      let isMade = shell.wait { FileManager.default.fileExists(atPath: made) }
      #expect(isMade)
      // Half of a line is kept while the script waits for the rest.
      shell.type("parting.letters ")
      shell.waitForSleep()
      shell.type("2\n")
      shell.read(until: "\"aa\"\n")
      try shell.input.fileHandleForWriting.close()
      #expect(try shell.host.wait().status == 0)
    }

    @Test("a signal while a script reads a FIFO ends the plugins", arguments: ["in-process", "process"])
    func files(place: String) throws {
      let path = folder.path("fifo")
      #expect(mkfifo(path, 0o600) == 0)
      let shell = try Running(["shell", "--isolation", place])
      shell.type("parting.letters 1\nkinds.text @\(path)\n")
      shell.read(until: "\"a\"\n")
      var writer: Int32 = -1
      shell.wait {
        writer = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        return writer >= 0
      }
      defer { close(writer) }
      shell.waitForSleep()
      expectEnd(try shell.end(by: SIGTERM), by: SIGTERM)
    }

    @Test(
      "a signal while nobody reads the result ends the plugins", arguments: ["call", "run", "shell"],
      ["in-process", "process"])
    func results(command: String, place: String) throws {
      try folder.write(
        "plugins: [parting]\nsteps: {a: {call: parting.letters, with: {count: 200000}}}\n", to: "p.yaml")
      try folder.write("parting.letters 200000\n", to: "script")
      let words = [
        "call": ["parting", "letters", "200000"], "run": ["--progress", "off", folder.path("p.yaml")],
        "shell": [folder.path("script")],
      ]
      let running = try Running([command, "--isolation", place] + (words[command] ?? []))
      running.waitForFullPipe()
      running.waitForSleep()
      expectEnd(try running.end(by: SIGTERM), by: SIGTERM)
    }

    @Test("a result of a session that nobody reads is given up after --timeout")
    func timeOfResults() throws {
      try folder.write("parting.letters 200000\n", to: "script")
      let shell = try Running(["shell", "--timeout", "0.2", folder.path("script")])
      let ending = try shell.host.wait()
      #expect(ending.status == 3 && ending.errors.contains("script:1: the result cannot be written"), "\(ending)")
    }
  }
}
