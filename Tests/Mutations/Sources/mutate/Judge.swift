import Foundation
import Mutating
import Synchronization

/// Runs the tests that reach each mutation, with its switch on.
struct Judge {
  let workspace: Workspace
  let suite: [TestUnit]
  let rows: [String: Row]
  let jobs: Int
  let budget: Double
  /// Seconds that a test may take without a mutation.
  let longest: Int
  /// Whether a row is judged by the tests that it names alone.
  let isNamedAlone: Bool

  init(
    _ workspace: Workspace, _ suite: [TestUnit], rows: [String: Row], jobs: Int, budget: Double, longest: Int,
    isNamedAlone: Bool
  ) {
    self.workspace = workspace
    self.suite = suite
    self.rows = rows
    self.jobs = jobs
    self.budget = budget
    self.longest = longest
    self.isNamedAlone = isNamedAlone
  }

  /// Returns the verdicts on some mutations of a build. Calls `save` now and then, with the verdicts so far.
  func run(_ built: Built, _ ids: Set<String>, save: @escaping @Sendable ([Result]) throws -> Void) throws -> [Result] {
    let numbers = built.numbered.numbers.filter { ids.contains(built.numbered[$0].id) }
    try checkNames(numbers.map { built.numbered[$0] })
    Command.limit(gibibytes: 6)
    let start = ContinuousClock.now
    let baseline = try Baseline(self, last: built.numbered.last)
    note("\(baseline.tests.count) tests pass without a mutation, \((ContinuousClock.now - start).components.seconds) s")
    let done = Mutex<[Result]>([])
    return try parallel(numbers.count) { index in
      let number = numbers[index]
      let mutation = built.numbered[number]
      let result =
        built.leftOut.contains(number)
        ? Result(mutation: mutation, number: number, verdict: .leftOut, seconds: 0)
        : try judge(mutation, number, baseline)
      if result.isGap { note("\(result.word): \(mutation.file):\(mutation.line): \(mutation.id)") }
      try done.withLock { done in
        done.append(result)
        guard done.count % 20 == 0 else { return }
        note("\(done.count) of \(numbers.count)")
        try save(done)
      }
      return result
    }
  }

  /// Checks that the tests named by rows exist.
  private func checkNames(_ mutations: [Mutation]) throws {
    let missing = mutations.compactMap { rows[$0.id] }.flatMap { row in
      row.tests.filter { name in !suite.contains { $0.has(name) } }.map { "row \(row.name): no such test: \($0)" }
    }
    if !missing.isEmpty { throw Failure(missing.joined(separator: "\n")) }
  }

  private func judge(_ mutation: Mutation, _ number: Int, _ baseline: Baseline) throws -> Result {
    var seconds = 0.0
    var tried: Set<String> = []
    func how(_ test: Baseline.Test) throws -> String? {
      tried.insert(test.unit.name)
      let outcome = try run(test, number)
      seconds += outcome.seconds
      return outcome.how
    }
    func result(_ verdict: Result.Verdict) -> Result {
      Result(mutation: mutation, number: number, verdict: verdict, seconds: seconds)
    }

    let row = mutation.kind == .row ? rows[mutation.id] : nil
    let reaching = baseline.tests.filter { $0.reached[number] != 0 }
    if let row, !row.tests.isEmpty {
      var deaths: [(String, String)] = []
      for name in row.tests {
        let named = reaching.filter { $0.unit.has(name) }
        for test in Array(repeating: named, count: row.repeats).joined() {
          if let how = try how(test) {
            deaths.append((test.unit.name, how))
            break
          }
        }
      }
      if deaths.count == row.tests.count { return result(.killed(by: deaths[0].0, how: deaths[0].1)) }
    }
    if isNamedAlone, let row, !row.tests.isEmpty {
      return result(tried.isEmpty ? .notReached : .survived(passed: tried.count, left: reaching.count - tried.count))
    }
    // Fastest first.
    var left = 0
    for test in reaching where !tried.contains(test.unit.name) {
      if seconds + test.seconds > budget {
        left += 1
        continue
      }
      // A test that fails only under load does not kill the mutation.
      if let how = try how(test),
        try how == "crashes" || (0..<2).contains(where: { _ in try self.run(test, number).how != nil })
      {
        if row?.equivalent != nil { return result(.refuted(by: test.unit.name)) }
        if row?.tests.isEmpty == false { return result(.misnamed(by: test.unit.name)) }
        return result(.killed(by: test.unit.name, how: how))
      }
    }
    if row?.equivalent != nil { return result(.equivalent) }
    if reaching.isEmpty { return result(.notReached) }
    return result(.survived(passed: tried.count, left: left))
  }

  /// Runs a test with a mutation on. Returns the kind of failure; nil if the test passes.
  private func run(_ test: Baseline.Test, _ number: Int) throws -> (how: String?, seconds: Double) {
    let limit = Int(test.seconds * 8) + 4
    let (status, seconds, _) = try Command.run(
      ["timeout", "-s", "KILL", String(limit + 2)] + test.unit.command,
      environment: test.unit.environment.merging([
        "MUTATION": String(number), "CHECK_TIMEOUT": String(limit), "CHECK_PATIENCE": "1000",
      ]) { $1 },
      live: test.unit.reportsFailures ? LiveOutput() : nil)
    if status == 0 { return (nil, seconds) }
    return (seconds >= Double(limit) - 0.2 ? "hangs" : status > 128 ? "crashes" : "fails", seconds)
  }

  /// Calls `body` for each index, several at a time.
  func parallel<Value: Sendable>(_ count: Int, _ body: @Sendable (Int) throws -> Value) throws -> [Value] {
    let next = Atomic(0)
    let values = Mutex<[Int: Value]>([:])
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      while failure.withLock({ $0 == nil }) {
        let index = next.add(1, ordering: .relaxed).oldValue
        guard index < count else { return }
        do {
          let value = try body(index)
          values.withLock { $0[index] = value }
        } catch {
          failure.withLock { $0 = error }
        }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    return values.withLock { values in (0..<count).map { values[$0]! } }
  }
}

extension TestUnit {
  /// Whether a row names the test: by its own name, its program's, or its suite's.
  func has(_ name: String) -> Bool {
    self.name == name || self.name.hasPrefix(name + ".") || self.name.hasPrefix(name + "/")
  }
}
