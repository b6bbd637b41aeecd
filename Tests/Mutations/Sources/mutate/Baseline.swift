import Foundation

/// The tests without a mutation: the duration of each, and the mutations that it reaches.
struct Baseline {
  struct Test: Sendable {
    let unit: TestUnit
    let seconds: Double
    /// The processor time, in seconds.
    let work: Double
    let reached: [UInt8]
  }

  /// Seconds of processor time; a suite that takes longer is split into its tests.
  private static let longestSuite = 3.0

  /// The tests that pass, fastest first.
  let tests: [Test]

  /// Runs the tests of a build whose switches go up to a number.
  init(_ judge: Judge, last: Int) throws {
    let folder = judge.workspace.folder.appending(path: "reached")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let suite = judge.suite
    let known = KnownTests(judge.workspace)
    func run(_ units: [TestUnit]) throws -> [Test?] {
      try judge.parallel(units.count) { index in
        let unit = units[index]
        if let test = known.find(unit, last: last) { return test }
        let file = folder.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        // A test is left out after two failures.
        for _ in 1...2 {
          try Data(count: last + 1).write(to: file)
          let (status, seconds, work) = try Command.run(
            ["timeout", "-s", "KILL", String(judge.longest)] + unit.command,
            environment: unit.environment.merging([
              "MUTATION_REACHED": file.path, "CHECK_TIMEOUT": String(max(judge.longest - 20, 1)),
            ]) { $1 })
          if status == 0 {
            let reached = [UInt8](try Data(contentsOf: file))
            let test = Test(unit: unit, seconds: seconds, work: work, reached: reached)
            try known.add(test)
            return test
          }
          if seconds >= Double(judge.longest) { return nil }
        }
        return nil
      }
    }
    let whole = try run(suite)
    let names = Set(suite.map(\.name))
    // A slow suite is judged test by test, so that a mutation costs only the tests that reach it, until one fails. So
    // is a suite that fails, by those of its tests that pass.
    let isSplit = zip(suite, whole).map { unit, test in
      !unit.parts.isEmpty && (test.map { $0.work > Self.longestSuite } ?? true)
    }
    let parts = zip(suite, isSplit).filter(\.1).flatMap(\.0.parts).filter { !names.contains($0.name) }
    let singles = try run(parts)
    for (unit, test) in Array(zip(suite, whole)) + zip(parts, singles) where test == nil {
      note("left out, since it fails without a mutation: \(unit.name)")
    }
    tests = (zip(whole, isSplit).filter { !$0.1 }.compactMap(\.0) + singles.compactMap { $0 })
      .sorted { ($0.seconds, $0.unit.name) < ($1.seconds, $1.unit.name) }
    let slow = tests.suffix(5).map { "\($0.unit.name) \(String(format: "%.1f", $0.seconds)) s" }
    note("the longest: \(slow.joined(separator: ", "))")
  }
}
