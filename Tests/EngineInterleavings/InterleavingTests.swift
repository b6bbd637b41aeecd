import CRaces
import Glibc
import Testing

/// Enables the cases that take minutes: `INTERLEAVINGS=all`, set by `make test-interleavings`.
private let isLongTier = getenv("INTERLEAVINGS").map { String(cString: $0) == "all" } ?? false

/// Explores every distinguishable interleaving of two or three threads that use one promise.
///
/// Serialized: the process has one scheduler.
@Suite("Interleavings of attach, settle, discard and release", .serialized)
struct InterleavingTests {
  @Test("two threads, one step each")
  func oneStep() {
    explore(Script.programs(threads: 2, of: Script.sequences(of: Script.steps, upTo: 1)))
  }

  @Test("two threads, up to two steps each")
  func twoSteps() {
    explore(Script.programs(threads: 2, of: Script.sequences(of: [.observe, .resolve, .discard], upTo: 2)))
  }

  @Test("three threads, one step each", .enabled(if: isLongTier))
  func threeThreads() {
    let programs = Script.programs(threads: 3, of: Script.sequences(of: [.observe, .resolve, .discard], upTo: 1))
    explore(programs.filter { !$0.isHeld })
    explore([Script(threads: [[.derive], [.resolve], []], isHeld: false)])
  }

  @Test("a waiting thread is woken by the settling thread")
  func waiting() {
    let others = Script.sequences(of: [.observe, .resolve, .discard], upTo: 2).filter { $0.contains(where: \.settles) }
    let scripts = others.flatMap { other in [true, false].map { Script(threads: [[.wait], other], isHeld: $0) } }
    explore(scripts, preemptionLimit: isLongTier ? nil : 2) { Trial($0) }
  }

  @Test("promises that follow others, settled from both sides", .enabled(if: isLongTier))
  func following() {
    explore(FollowingTrial.programs) { FollowingTrial($0) }
  }

  @Test("promises with two settlers, promises that follow another, and circles of promises with discard blocks")
  func settledTwice() {
    explore(FollowingTrial.shortPrograms, preemptionLimit: 2) { FollowingTrial($0) }
  }

  @Test("promises that are asked to cancel", arguments: CancellingTrial.programs)
  func cancelling(_ program: CancellingTrial.Program) {
    explore([program], preemptionLimit: 2) { CancellingTrial($0) }
  }

  @Test("promises that are given up", arguments: AbandoningTrial.programs)
  func abandoning(_ program: AbandoningTrial.Program) {
    explore([program], preemptionLimit: 2) { AbandoningTrial($0) }
  }

  @Test("reactions with an executor are submitted in order", arguments: OrderingTrial.programs)
  func ordering(_ program: OrderingTrial.Program) {
    explore([program], preemptionLimit: 2) { OrderingTrial($0) }
  }

  @Test("streams", arguments: StreamTrial.programs)
  func streams(_ program: StreamTrial.Program) {
    explore([program], preemptionLimit: 2) { StreamTrial($0) }
  }

  @Test("a derived promise whose last references go while it is settled")
  func lastReferences() {
    let others: [[Step]] = [[.resolve], [.discard], [.map]]
    let scripts = others.flatMap { other in
      [true, false].map { Script(threads: [[.map], other], isHeld: $0) }
    }
    explore(scripts + [Script(threads: [[.map], [.map], [.resolve]], isHeld: false)], preemptionLimit: 2) { Trial($0) }
  }

  private func explore(_ scripts: [Script]) {
    explore(scripts) { Trial($0) }
  }

  /// Explores every program; with the race detector also with loads of old values, which need a bound.
  private func explore<T: Explorable>(_ programs: [T.Program], preemptionLimit: Int? = nil, make: (T.Program) -> T) {
    let pool = CellPool()
    let limits = preemptionLimit == nil && races_are_seen() ? [nil, 2] : [preemptionLimit]
    for program in programs {
      for limit in limits { explore(program, pool, limit, make) }
    }
  }

  private func explore<T: Explorable>(
    _ program: T.Program, _ pool: CellPool, _ preemptionLimit: Int?, _ make: (T.Program) -> T
  ) {
    var trial: T?
    let schedules = Scheduler.explore(preemptionLimit: preemptionLimit) {
      pool.deal()
      let fresh = make(program)
      trial = fresh
      return fresh.bodies
    } check: { schedule, isRedundant in
      trial!.end()
      var wrong = isRedundant ? [] : trial!.violations()
      if CellPool.updatesOfFreeCells != 0 { wrong.append("the state of a free cell was written") }
      if pool.live != 0 { wrong.append("\(pool.live) cells leaked") }
      if let race = unsafe races_found() { wrong.append(unsafe String(cString: race)) }
      if !wrong.isEmpty { Issue.record("\(program) in schedule \(schedule()): \(wrong.joined(separator: "; "))") }
      return wrong.isEmpty
    }
    #expect(schedules > 1, "\(program): nothing was interleaved")
  }
}

/// A program for the scheduler, created anew for each schedule.
protocol Explorable: AnyObject {
  associatedtype Program
  /// The bodies of the threads.
  var bodies: [() -> Void] { get }
  /// Releases the test's references, after the threads have ended.
  func end()
  /// Returns the violated invariants, as sentences.
  func violations() -> [String]
}
