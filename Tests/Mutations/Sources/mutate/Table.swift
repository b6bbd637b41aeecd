import Foundation
import Mutating

/// The rows of Tests/Mutations/*.txt.
struct Table {
  let mutations: [Mutation]
  let byName: [String: Row]
  /// Rows whose code is missing or ambiguous. The others are run.
  let mistakes: [TableError]
  private let files: [URL]

  /// Reads the rows, and finds their code. Throws on a syntax error.
  init(_ workspace: Workspace) throws {
    let folder = workspace.root.appending(path: "Tests/Mutations")
    files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "txt" }.sorted { $0.path < $1.path }
    var mutations: [Mutation] = []
    var byName: [String: Row] = [:]
    var mistakes: [TableError] = []
    for file in files {
      let name = "Tests/Mutations/\(file.lastPathComponent)"
      for row in try readTable(String(contentsOf: file, encoding: .utf8), named: name) where !row.isOfHeader {
        do {
          if byName[row.name] != nil { throw row.fail("a second row of this name") }
          guard let source = try? workspace.source(row.file) else { throw row.fail("no file \(row.file)") }
          byName[row.name] = row
          mutations.append(try row.mutation(of: source))
        } catch let error as TableError {
          mistakes.append(error)
        }
      }
    }
    self.mistakes = mistakes
    self.mutations = mutations
    self.byName = byName
  }

  /// Adds the failed tests to the rows that name none.
  func record(_ results: [Result]) throws {
    var tests: [String: String] = [:]
    for result in results {
      guard case .killed(let name, _) = result.verdict, byName[result.mutation.id]?.tests.isEmpty == true else {
        continue
      }
      tests[result.mutation.id] = name
    }
    for file in files {
      var row = ""
      let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
      let new = lines.map { line -> String in
        if line.hasPrefix("== ") { row = String(line.dropFirst(3)) }
        if line == "tests:" || line == "tests: ", let name = tests[row] { return "tests: \(name)" }
        return String(line)
      }
      try new.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
    }
  }
}
