import Foundation
import Synchronization

/// The tests that passed without a mutation in earlier runs. A test need not run again while its files are the same.
final class KnownTests: Sendable {
  private struct Entry: Codable {
    /// The files' sizes and times of modification.
    let files: String
    let seconds: Double
    let work: Double
    let reached: [Int]
  }

  private let file: URL
  private let entries: Mutex<[String: Entry]>

  init(_ workspace: Workspace) {
    file = workspace.folder.appending(path: "known-tests.json")
    let data = FileManager.default.contents(atPath: file.path)
    entries = Mutex(data.flatMap { try? JSONDecoder().decode([String: Entry].self, from: $0) } ?? [:])
  }

  /// Returns the outcome of a test; nil if it has to run. `last` is the largest number of a switch.
  func find(_ unit: TestUnit, last: Int) -> Baseline.Test? {
    guard let entry = entries.withLock({ $0[Self.key(unit)] }), entry.files == Self.files(unit) else { return nil }
    var reached = [UInt8](repeating: 0, count: last + 1)
    for number in entry.reached where number <= last { reached[number] = 1 }
    return Baseline.Test(unit: unit, seconds: entry.seconds, work: entry.work, reached: reached)
  }

  /// Keeps the outcome of a test. Written at once, so that an interrupted run keeps it, too.
  func add(_ test: Baseline.Test) throws {
    guard let files = Self.files(test.unit) else { return }
    let reached = test.reached.indices.filter { test.reached[$0] != 0 }
    let entry = Entry(files: files, seconds: test.seconds, work: test.work, reached: reached)
    try entries.withLock { entries in
      entries[Self.key(test.unit)] = entry
      try JSONEncoder().encode(entries).write(to: file, options: .atomic)
    }
  }

  private static func key(_ unit: TestUnit) -> String { "\(unit.command[0]) \(unit.name)" }

  private static func files(_ unit: TestUnit) -> String? {
    guard !unit.files.isEmpty else { return nil }
    return unit.files.map { path in
      let attributes = try? FileManager.default.attributesOfItem(atPath: path)
      let time = (attributes?[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
      return "\(attributes?[.size] as? Int ?? 0) \(time)"
    }.joined(separator: ", ")
  }
}
