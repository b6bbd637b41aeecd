import Promises
import PromisesTestSupport
import Testing

@Suite("Contexts: timed callbacks")
struct DeferredContexts {
  private let executor = ManualExecutor()
  private let log = Recorder<String>()

  @Test("T9 a timed callback runs on auto where its context is immediate, and for nowOr in that context")
  func deferred() {
    #expect(onThread { PromiseContext.immediate.deferred } == .default)
    #expect(PromiseContext.nowOr(executor.here).deferred == executor.here)
    #expect(onThread { PromiseContext.nowOr(.immediate).deferred } == .default)
    #expect(PromiseContext.utility.deferred == .utility)
  }

  @Test("T9 an executor reserves a place for a later job, and gives it up if none comes")
  func reserved() {
    let reserving = ReservingExecutor()
    let context = PromiseContext.executor(reserving).reserved()
    Promise<Int>.resolve(1).then(on: .executor(reserving), { [log] _ in log.record("second") }, nil)
    reserving.run()
    #expect(log.events == [])
    Promise<Int>.resolve(1).then(on: context, { [log] _ in log.record("first") }, nil)
    reserving.run()
    #expect(log.events == ["first", "second"])
    do {
      let unused = PromiseContext.executor(reserving).reserved()
      Promise<Int>.resolve(1).then(on: .executor(reserving), { [log] _ in log.record("third") }, nil)
      withExtendedLifetime(unused) { reserving.run() }
      #expect(log.count == 2)
    }
    reserving.run()
    #expect(log.events.last == "third")
  }
}

/// Runs its jobs in order, on request, up to the first reserved place that has no job yet.
private final class ReservingExecutor: PromiseReservingExecutor {
  enum Entry {
    case job(PromiseJob)
    case kept(Int)
    case none
  }
  private let entries = Monitor<[Entry]>([])

  func submit(_ job: PromiseJob) { entries.withLock { $0.append(.job(job)) } }

  func reserve() -> any PromiseExecutor {
    Place(
      self,
      entries.withLock {
        $0.append(.kept($0.count))
        return $0.count - 1
      })
  }

  func run() {
    let jobs = entries.withLock { entries in
      var jobs: [PromiseJob] = []
      for index in entries.indices {
        if case .kept = entries[index] { break }
        if case .job(let job) = entries[index] { jobs.append(job) }
        entries[index] = .none
      }
      return jobs
    }
    for job in jobs { job.run() }
  }

  final class Place: PromiseExecutor {
    private let executor: ReservingExecutor
    private let index: Int
    init(_ executor: ReservingExecutor, _ index: Int) {
      self.executor = executor
      self.index = index
    }
    func submit(_ job: PromiseJob) { executor.entries.withLock { $0[index] = .job(job) } }
    deinit {
      executor.entries.withLock { if case .kept = $0[index] { $0[index] = .none } }
    }
  }
}
