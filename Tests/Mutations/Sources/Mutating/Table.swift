/// A row of the table of hand-made mutations.
package struct Row: Sendable, Equatable {
  package let name: String
  package let file: String
  /// The effect that a user would see.
  package let breaks: String
  /// The rows of docs/features.txt whose behaviour it breaks: `T12`.
  package let rows: [String]
  /// Tests that must fail: `ABI/timer.first_comes_first`, `PluginRuntimeTests.Suite`.
  package let tests: [String]
  /// The reason why no program, or no test, distinguishes the mutation from the original, if none does.
  package let equivalent: String?
  /// The ordinal among several places with the same code, from 1; 0 if there must be one.
  package let place: Int
  /// The number of runs after which a test counts as not having noticed the mutation: more than 1 for a race.
  package let repeats: Int
  package let before: String
  package let after: String
  package let table: String
  /// The lines of the row in the table, from its name on.
  package let lines: ClosedRange<Int>
  /// Whether the row is of an installed header, which scripts/mutate-headers.py judges without a switch.
  package var isOfHeader: Bool { file.hasPrefix("include/") }
}

/// An error in a table: its syntax, or code of a row that is missing from the sources.
package struct TableError: Error, Equatable, CustomStringConvertible {
  package let table: String
  package let line: Int
  package let message: String
  package init(table: String, line: Int, message: String) {
    self.table = table
    self.line = line
    self.message = message
  }

  package var description: String { "\(table):\(line): \(message)" }
}

/// Reads a table. A row:
///
///     == wait-misses-link
///     file: Sources/Promises/Engine/React.swift
///     breaks: a wait on a promise that follows another takes its whole time-out
///     tests: ABI/follow.a_link_wakes_waiters
///     - if before.isWaited { target.wake() }
///     + (what replaces it; no line: nothing)
///
/// `rows: T12 T13` names rows of docs/features.txt. Lines that begin with a blank are context. `place: 2` means the
/// second of several. `repeat: 20`: the tests run up to 20 times each, for a race. `equivalent: REASON` stands in place
/// of `tests:`, and so does `unseen: REASON`, for a difference that no test can notice. Empty lines and lines with `#`
/// are ignored.
package func readTable(_ text: String, named table: String) throws -> [Row] {
  var rows: [Row] = []
  var fields: [String: String] = [:]
  var before: [Substring] = []
  var after: [Substring] = []
  var start = 0

  func fail(_ line: Int, _ message: String) -> TableError { TableError(table: table, line: line, message: message) }
  func finish(_ end: Int) throws {
    guard let name = fields["=="] else { return }
    guard let file = fields["file"], let breaks = fields["breaks"] else {
      throw fail(start, "\(name): a row has `file:` and `breaks:`")
    }
    guard ["tests", "equivalent", "unseen"].count(where: { fields[$0] != nil }) == 1 else {
      throw fail(start, "\(name): a row has `tests:`, or `equivalent:` or `unseen:` with the reason")
    }
    guard !before.isEmpty else { throw fail(start, "\(name): no line with `-`: nothing to replace") }
    guard before != after else { throw fail(start, "\(name): before and after are the same") }
    guard !rows.contains(where: { $0.name == name }) else { throw fail(start, "\(name): a second row of this name") }
    func list(_ field: String) -> [String] {
      fields[field]?.split(whereSeparator: { " ,".contains($0) }).map(String.init) ?? []
    }
    rows.append(
      Row(
        name: name, file: file, breaks: breaks, rows: list("rows"), tests: list("tests"),
        equivalent: fields["equivalent"] ?? fields["unseen"], place: fields["place"].flatMap { Int($0) } ?? 0,
        repeats: fields["repeat"].flatMap { Int($0) } ?? 1, before: before.joined(separator: "\n"),
        after: String(after.joined(separator: "\n").drop { $0 == " " }), table: table, lines: start...end))
  }

  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  for (index, line) in lines.enumerated() {
    if line.hasPrefix("== ") {
      try finish(index)
      fields = ["==": String(line.dropFirst(3))]
      (before, after, start) = ([], [], index + 1)
    } else if line.isEmpty || line.hasPrefix("#") {
      continue
    } else if line.hasPrefix("-") {
      before.append(line.dropFirst())
    } else if line.hasPrefix("+") {
      after.append(line.dropFirst())
    } else if line.hasPrefix(" ") {
      before.append(line)
      after.append(line)
    } else if let colon = line.firstIndex(of: ":"),
      ["file", "breaks", "rows", "tests", "equivalent", "unseen", "place", "repeat"].contains(line[..<colon])
    {
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      fields[String(line[..<colon]), default: ""] += String(value)
    } else {
      throw fail(index + 1, "not a row's: \(line)")
    }
  }
  try finish(lines.count)
  return rows
}
