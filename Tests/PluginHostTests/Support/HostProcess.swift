import Foundation
import Glibc

/// The real executable, run as users do.
struct HostProcess {
  /// The end of a run.
  struct Ending {
    /// The exit status; nil if a signal ended it.
    var status: Int32?
    /// The signal that ended it.
    var signal: Int32?
    var output: Data
    var errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  let process = Process()
  private let folder: URL

  /// Prepares a run of the host, with the fixture plugins in its search path, and the environment of a plain terminal.
  init(_ arguments: [String], input: Data = Data(), environment: [String: String] = [:]) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "plugin-host-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    process.executableURL = Self.executable
    process.arguments = arguments
    let common = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "", "PROMISE_PLUGIN_PATH": FixturePlugins.folder.path,
      "LC_ALL": "C.UTF-8", "TERM": "xterm",
      // The folder for temporary files may belong to another user.
      "PROMISE_ACCEPT_UNSAFE_FILES": "1",
    ]
    // The switches of mutation testing (docs/mutation.md).
    let switches = ProcessInfo.processInfo.environment.filter { $0.key.hasPrefix("MUTATION") }
    process.environment = common.merging(switches) { $1 }.merging(environment) { $1 }
    try input.write(to: folder.appending(path: "in"))
    process.standardInput = try FileHandle(forReadingFrom: folder.appending(path: "in"))
    for name in ["out", "err"] { try Data().write(to: folder.appending(path: name)) }
    process.standardOutput = try FileHandle(forWritingTo: folder.appending(path: "out"))
    process.standardError = try FileHandle(forWritingTo: folder.appending(path: "err"))
  }

  /// The text on the host's standard error so far.
  var errorsSoFar: String {
    (try? String(contentsOf: folder.appending(path: "err"), encoding: .utf8)) ?? ""
  }

  /// Runs the host to its end.
  static func run(
    _ arguments: String..., input: String = "", environment: [String: String] = [:]
  ) throws -> Ending {
    try run(arguments, input: input, environment: environment)
  }

  /// Runs the host to its end, with a limit as `ulimit` takes it: "-n 64".
  static func run(
    under limit: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws -> Ending {
    let shell = ["-c", "ulimit \(limit); exec \"$0\" \"$@\"", executable.path]
    let host = try HostProcess(shell + arguments, environment: environment)
    host.process.executableURL = URL(filePath: "/bin/sh")
    try host.process.run()
    return try host.wait()
  }

  /// Runs the host to its end.
  static func run(
    _ arguments: [String], input: String = "", environment: [String: String] = [:]
  ) throws -> Ending {
    let host = try HostProcess(arguments, input: Data(input.utf8), environment: environment)
    try host.process.run()
    return try host.wait()
  }

  /// Waits until the host ends, and kills it after five minutes: no run may hang the tests.
  func wait() throws -> Ending {
    let deadline = Date(timeIntervalSinceNow: 300)
    while process.isRunning && Date() < deadline { usleep(2000) }
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
    defer { try? FileManager.default.removeItem(at: folder) }
    let isSignal = process.terminationReason == .uncaughtSignal
    return Ending(
      status: isSignal ? nil : process.terminationStatus, signal: isSignal ? process.terminationStatus : nil,
      output: try Data(contentsOf: folder.appending(path: "out")),
      errors: String(decoding: try Data(contentsOf: folder.appending(path: "err")), as: UTF8.self))
  }

  /// The executable, which is beside the program that runs the tests.
  static let executable: URL = {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &path, path.count)
    let own = String(decoding: path.prefix(max(length, 0)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return URL(filePath: own).deletingLastPathComponent().appending(path: "plugin-host")
  }()
}

extension String {
  /// The text with every duration replaced, so that lines with one can be compared.
  var withoutTimes: String {
    replacing(#/[0-9]+\.[0-9]{2} s/#) { _ in "0 s" }
  }
}
