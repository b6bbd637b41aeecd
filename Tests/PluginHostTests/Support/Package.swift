import Foundation

/// The folders of this package. Runs the compilers that tests need.
enum Package {
  static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
  static let include = root.appending(path: "include").path
  static let adopted = root.appending(path: "examples/adopted").path
  static let fixtures = root.appending(path: "Tests/PluginHostTests/Fixtures")

  /// Runs a command, which must succeed.
  static func run(_ command: String, _ arguments: [String]) throws {
    let process = try Process.run(URL(filePath: "/usr/bin/env"), arguments: [command] + arguments)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(command: [command] + arguments) }
  }

  private struct Failure: Error {
    let command: [String]
  }
}
