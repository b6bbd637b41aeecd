import Foundation
import Mutating
import Synchronization

/// The package, and the build folder of its mutated copy.
struct Workspace {
  let root: URL
  var folder: URL { root.appending(path: ".build-mutate") }
  /// A copy of the package, with the switches in its sources.
  var tree: URL { folder.appending(path: "tree") }

  private let snapshot = Snapshot()

  init(root: URL) { self.root = root }

  /// Returns the text of a file when it was first read, so that the places of mutations stay right if the file is
  /// edited.
  func text(_ path: String) throws -> String { try snapshot.text(of: root.appending(path: path)) }

  /// Returns a file with that text, parsed.
  func source(_ path: String) throws -> SourceFile { try snapshot.source(path, text(path)) }

  /// Returns the generated mutations of a file.
  func mutations(_ path: String) throws -> [Mutation] { try snapshot.mutations(source(path)) }

  /// Returns the Swift sources of the installed products and of the libraries, sorted.
  func sources() throws -> [String] {
    try git("ls-files", "-co", "--exclude-standard", "--", "Sources/*.swift").split(separator: "\n").map(String.init)
      .filter { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }.sorted()
  }

  func git(_ arguments: String...) throws -> String {
    let outcome = try Command.capture(["git", "-C", root.path] + arguments)
    guard outcome.status == 0 else { throw Failure("git \(arguments.joined(separator: " ")): \(outcome.output)") }
    return outcome.output
  }
}

/// An error that ends the run.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Reports progress on the standard error.
func note(_ text: String) { FileHandle.standardError.write(Data("mutate: \(text)\n".utf8)) }

/// The texts of files, their syntax and their mutations, each made once: parsing takes most of the time before the
/// first build.
private final class Snapshot: Sendable {
  private let texts = Mutex<[URL: String]>([:])
  private let sources = Mutex<[String: SourceFile]>([:])
  private let generated = Mutex<[String: [Mutation]]>([:])

  func text(of file: URL) throws -> String {
    try texts.made(file) { try String(contentsOf: file, encoding: .utf8) }
  }

  func source(_ path: String, _ text: String) -> SourceFile {
    sources.made(path) { SourceFile(path: path, text: text) }
  }

  func mutations(_ source: SourceFile) -> [Mutation] { generated.made(source.path) { source.mutations() } }
}

extension Mutex {
  /// Returns the value of a key, which `make` makes the first time.
  fileprivate func made<Key, Made>(_ key: Key, _ make: () throws -> sending Made) rethrows -> Made
  where Value == [Key: Made], Made: Sendable, Key: Sendable {
    if let known = withLock({ $0[key] }) { return known }
    let made = try make()
    withLock { $0[key] = made }
    return made
  }
}
