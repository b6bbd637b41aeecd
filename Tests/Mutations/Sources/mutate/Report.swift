import Foundation
import Mutating

/// The results by folder, as a table and as JSON.
struct Report {
  let results: [Result]
  let rows: [String: Row]

  init(_ results: [Result], rows: [String: Row]) {
    self.results = results
    self.rows = rows
  }

  /// Rows that no test notices, although one should.
  var survivingRows: [Result] { results.filter { $0.mutation.kind == .row && $0.isGap } }

  func print() {
    let gaps = results.filter(\.isGap)
    for result in gaps { Swift.print(described(result)) }
    if !gaps.isEmpty {
      Swift.print(
        """
        For each: write a test of the behaviour that fails with the mutation on (make mutate ONLY=NAME runs it again), or, if
        no program can tell the two apart, a row with `equivalent:` and the reason (docs/mutation.md).

        """)
    }
    let header = [
      "folder", "mutations", "killed", "survived", "not reached", "equivalent", "left out", "score", "time",
    ]
    var lines = [header]
    for (folder, its) in Dictionary(grouping: results, by: { $0.folder }).sorted(by: { $0.key < $1.key }) {
      lines.append(line(folder, its))
    }
    lines.append(line("all", results))
    let hand = results.filter { $0.mutation.kind == .row }
    if !hand.isEmpty { lines.append(line("of them the table's", hand)) }
    let orderings = results.filter { $0.mutation.kind == .ordering }
    if !orderings.isEmpty { lines.append(line("of them orderings", orderings)) }
    let widths = header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
    for line in lines {
      let cells = line.indices.map { column in
        let blanks = String(repeating: " ", count: widths[column] - line[column].count)
        return column == 0 ? line[column] + blanks : blanks + line[column]
      }
      Swift.print(cells.joined(separator: "  "))
    }
  }

  private func described(_ result: Result) -> String {
    let mutation = result.mutation
    var text = "\(mutation.file):\(mutation.line): \(result.word): \(mutation.id)\n"
    if let row = rows[mutation.id] {
      text += "    breaks: \(row.breaks)\n"
      if !row.rows.isEmpty { text += "    rows of docs/features.txt: \(row.rows.joined(separator: " "))\n" }
    }
    for line in mutation.before.split(separator: "\n") { text += "    - \(line)\n" }
    for line in mutation.after.split(separator: "\n") { text += "    + \(line)\n" }
    text += "    MUTATION=\(result.number) switches it on\n"
    switch result.verdict {
    case .survived(let passed, let left):
      text += "    \(passed) tests run it and pass" + (left > 0 ? ", \(left) were not run\n" : "\n")
    case .notReached: text += "    no test runs it\n"
    case .misnamed(let other):
      text +=
        "    the tests that the row names pass; " + (other.map { "\($0) fails: name it\n" } ?? "so do all others\n")
    case .leftOut: text += "    it does not compile: change the row\n"
    case .refuted(let test): text += "    the row says that it is equivalent; \(test) fails\n"
    default: break
    }
    return text
  }

  private func line(_ name: String, _ results: [Result]) -> [String] {
    func count(_ words: String...) -> Int { results.count { words.contains($0.word) } }
    let killed = count("killed")
    let judged = killed + results.count { $0.isGap && $0.verdict != .leftOut }
    let score = judged == 0 ? "-" : String(format: "%.1f %%", 100 * Double(killed) / Double(judged))
    let seconds = Int(results.reduce(0) { $0 + $1.seconds })
    return [
      name, String(results.count), String(killed), String(count("survived", "misnamed", "refuted")),
      String(count("not reached")), String(count("equivalent")), String(count("left out")), score, "\(seconds) s",
    ]
  }
}

extension Report {
  private struct Entry: Codable {
    let id, kind, file: String
    let line, number: Int
    let before, after, verdict: String
    let by, how: String?
    let seconds: Double
  }

  /// Returns the names of the mutations of a written report that lack a test.
  static func unkilled(_ file: URL) throws -> Set<String> {
    guard let data = try? Data(contentsOf: file) else {
      throw Failure("\(file.path): there is no report of a run: run `make mutate` without --again first")
    }
    let entries = try JSONDecoder().decode([Entry].self, from: data)
    return Set(entries.filter { ["survived", "not reached", "misnamed", "refuted"].contains($0.verdict) }.map(\.id))
  }

  func write(to file: URL) throws {
    let entries = results.map { result in
      let mutation = result.mutation
      var by: String?
      var how: String?
      if case .killed(let test, let way) = result.verdict { (by, how) = (test, way) }
      if case .misnamed(let test) = result.verdict { by = test }
      if case .refuted(let test) = result.verdict { by = test }
      return Entry(
        id: mutation.id, kind: mutation.kind.rawValue, file: mutation.file, line: mutation.line,
        number: result.number, before: mutation.before,
        after: mutation.after, verdict: result.word, by: by, how: how, seconds: result.seconds)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try encoder.encode(entries).write(to: file)
  }
}

extension Result {
  /// The first two levels below Sources; three for the engine.
  fileprivate var folder: String {
    let parts = mutation.file.split(separator: "/").dropLast()
    return parts.prefix(mutation.file.contains("/Engine/") ? 4 : 3).joined(separator: "/")
  }
}
