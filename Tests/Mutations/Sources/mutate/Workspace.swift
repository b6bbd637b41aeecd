import Foundation

/// The package, and the build folder of its mutated copy.
struct Workspace {
  let root: URL
  var folder: URL { root.appending(path: ".build-mutate") }
  /// A copy of the package, with the switches in its sources.
  var tree: URL { folder.appending(path: "tree") }

  func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  /// The Swift sources of the installed products and of the libraries, sorted.
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
