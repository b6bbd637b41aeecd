import Promises
import PromisesTestSupport
import Testing

/// Threads that start, finish and cancel one task at the same moment.
@Suite("Stress: tasks")
struct TaskRaces {
  private final class Counting: FutureTask<Int, Int>, @unchecked Sendable {
    let runs = Counter()
    let cancellations = Counter()

    override func start(with input: Int) {
      guard begin() else { return }
      runs.add()
      complete(with: input)
    }

    override func wasCancelled(because indirectError: (any Error)?) { cancellations.add() }
  }

  private static let rounds = 300

  @Test(
    "D22, D25, D27, D30: of concurrent calls one finishes a task; it runs at most once, and is notified once"
  )
  func ends() {
    for round in 0..<Self.rounds {
      let task = Counting()
      let wins = Counter()
      onThreads(4) { thread in
        switch thread {
        case 0: if task.complete(with: round) { wins.add() }
        case 1: if task.cancel(because: TestError(1)) { wins.add() }
        default: task.start(with: -1)
        }
      }
      #expect(task.isFinished && task.runs.value <= 1)
      #expect(task.cancellations.value == (task.isCancelled ? 1 : 0))
      if task.future.value != -1 { #expect(wins.value == 1) } else { #expect(wins.value == 0 && task.runs.value == 1) }
    }
  }

  @Test("D23, D34: of concurrent starts one starts the task; the others report that it was used")
  func starts() {
    for _ in 0..<Self.rounds {
      let task = Counting()
      let futures = Recorder<ThrowingFuture<Int>>()
      onThreads(3) { thread in futures.record(start(running: task, with: thread, on: .immediate)) }
      #expect(task.runs.value == 1 && task.state == .completed)
      #expect(futures.events.filter { $0 == task.future }.count == 1)
      #expect(futures.events.filter { $0.error is FutureTaskError }.count == 2)
    }
  }

  @Test("D38: a group whose tasks fail at once has the first error, and every task is finished")
  func groups() throws {
    for _ in 0..<Self.rounds {
      let tasks = (0..<3).map { _ in Counting() }
      let gate = ManualExecutor()
      let outputs = start(running: tasks, with: 1, on: gate.here)
      onThreads(3) { thread in tasks[thread].fail(with: TestError(thread)) }
      #expect(tasks.allSatisfy { $0.isFinished })
      let failed = tasks.filter { $0.state == .failed }.compactMap { $0.future.error as? TestError }
      let first = try #require(outputs.error as? TestError)
      #expect(failed.contains(first))
      gate.runAll()
      #expect(tasks.allSatisfy { $0.runs.value == 0 })
    }
  }
}
