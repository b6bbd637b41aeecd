import Foundation

/// The tests without a mutation: the duration of each, and the mutations that it reaches.
struct Baseline {
  struct Test: Sendable {
    let unit: TestUnit
    let seconds: Double
    let reached: [UInt8]
  }

  /// The tests that pass, fastest first.
  let tests: [Test]

  init(_ judge: Judge) throws {
    let folder = judge.workspace.folder.appending(path: "reached")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let suite = judge.suite
    let count = judge.count
    let all = try judge.parallel(suite.count) { index -> Test? in
      let unit = suite[index]
      let file = folder.appending(path: String(index))
      // A test is left out after two failures.
      for _ in 1...2 {
        try Data(count: count + 1).write(to: file)
        let (status, seconds) = try Command.run(
          ["timeout", "-s", "KILL", "300"] + unit.command,
          environment: unit.environment.merging(["MUTATION_REACHED": file.path, "CHECK_TIMEOUT": "280"]) { $1 },
          output: "/dev/null")
        if status == 0 { return Test(unit: unit, seconds: seconds, reached: [UInt8](try Data(contentsOf: file))) }
      }
      note("left out, since it fails without a mutation: \(unit.name)")
      return nil
    }
    tests = all.compactMap { $0 }.sorted { ($0.seconds, $0.unit.name) < ($1.seconds, $1.unit.name) }
    let slow = tests.suffix(5).map { "\($0.unit.name) \(String(format: "%.1f", $0.seconds)) s" }
    note("the longest: \(slow.joined(separator: ", "))")
  }
}
