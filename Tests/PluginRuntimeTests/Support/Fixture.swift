import Foundation
import Synchronization

/// Plugins made for tests: built from `Tests/Fixtures/plugins` with the system's compiler for C or C++, once for each
/// set of flags.
///
/// A host claims the file that it loads, and the system's loader maps a file once in a process; so every test gets a
/// copy of its own.
enum Fixture {
  static let folder: URL = {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("promise-fixtures-\(UUID().uuidString)")
    try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    atexit { try? FileManager.default.removeItem(at: Fixture.folder) }
    return folder
  }()

  /// The package: four folders up from this file.
  static let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent()
  }
  static let include = root.appendingPathComponent("include")
  private static let sources = root.appendingPathComponent("Tests/Fixtures/plugins")

  /// The plugin-host beside the program that runs the tests.
  static let pluginHost = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    .appendingPathComponent("plugin-host").path

  /// The number of descriptors of this process.
  static var descriptors: Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }

  /// Whether a process has ended: it may still wait to be reaped.
  static func hasEnded(_ process: Int64) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return true }
    return status.split(separator: ")").last?.hasPrefix(" Z") == true
  }

  /// The libraries that were built already, by source and flags.
  private static let built = Mutex<[String: URL]>([:])
  private static let count = Atomic<Int>(0)

  /// Returns the path of a fresh copy of a plugin.
  static func plugin(_ name: String, _ flags: [String] = []) throws -> String {
    let copy = file("\(name).so")
    try FileManager.default.copyItem(atPath: try build(name, flags), toPath: copy)
    return copy
  }

  /// Returns a path in the folder that nothing has yet.
  static func file(_ name: String) -> String {
    let folder = folder.appendingPathComponent("\(count.wrappingAdd(1, ordering: .relaxed).newValue)")
    try! FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appendingPathComponent(name).path
  }

  /// Creates a file with this content, and returns its path.
  static func file(_ name: String, containing bytes: some Sequence<UInt8>) throws -> String {
    let path = file(name)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return path
  }

  private static func build(_ name: String, _ flags: [String]) throws -> String {
    try built.withLock { built in
      let key = ([name] + flags).joined(separator: "\u{1}")
      if let url = built[key] { return url.path }
      let output = file("\(name).so")
      let source = sources.appendingPathComponent("\(name).c")
      let isC = FileManager.default.fileExists(atPath: source.path)
      try run(
        isC ? "cc" : "c++",
        [isC ? "-std=c11" : "-std=c++17", "-Wall", "-Wextra", "-Werror", "-g", "-shared", "-fPIC"]
          + ["-I", include.path, isC ? source.path : source.path + "pp", "-o", output, "-lpthread"] + flags)
      built[key] = URL(fileURLWithPath: output)
      return output
    }
  }

  /// Builds a library of this source with that compiler, and returns its path. Generated code may have warnings.
  static func library(_ name: String, from source: String, by compiler: String, _ flags: [String] = []) throws -> String
  {
    let file = try file("\(name).c", containing: source.utf8)
    let output = self.file("\(name).so")
    try run(
      compiler,
      ["-std=gnu11", "-w", "-Werror=incompatible-pointer-types", "-shared", "-fPIC", "-I", include.path, file, "-o"]
        + [output] + flags)
    return output
  }

  /// Runs a command, which must succeed.
  static func run(_ command: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [command] + arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(command: "\(command) \(arguments.joined(separator: " "))")
    }
  }

  struct Failure: Error {
    let command: String
  }
}
