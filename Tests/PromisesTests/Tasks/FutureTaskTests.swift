import Promises
import PromisesTestSupport
import Testing

@Suite("Tasks: states and ends")
struct FutureTaskTests {
  @Test("D20, D21, D22, D31: a task is pending, enqueued, executing, completed, in this order; its future is one")
  func states() throws {
    let task = Doubling()
    #expect(task.state == .pending && !task.isFinished && !task.state.isFinished && task.future == task.future)
    #expect(!task.isCancelled)
    try task.enqueue()
    #expect(task.state == .enqueued && !task.isFinished && !task.state.isFinished && !task.isCancelled)
    #expect(task.begin())
    #expect(task.state == .executing && !task.isFinished && !task.state.isFinished && task.future.state == .pending)
    #expect(!task.isCancelled)
    #expect(task.complete(with: 2))
    #expect(task.state == .completed && task.isFinished && !task.isCancelled && task.future.value == 2)
  }

  @Test("D27, D28, D29, D31: a task finishes from any unfinished state; later ends do nothing", arguments: 0..<3, 0..<3)
  func ends(from phase: Int, by end: Int) throws {
    let task = Doubling()
    if phase > 0 { try task.enqueue() }
    if phase > 1 { task.begin() }
    let ends: [() -> Bool] = [
      { task.complete(with: 1) }, { task.fail(with: TestError(2)) }, { task.cancel(because: OtherError()) },
    ]
    #expect(ends[end]())
    for later in ends { #expect(!later()) }
    task.requestCancel()
    let result = try #require(task.future.result)
    #expect(task.isFinished && task.state.isFinished)
    switch end {
    case 0: #expect(task.state == .completed && result.value == 1)
    case 1: #expect(task.state == .failed && result.error as? TestError == TestError(2))
    default: #expect(task.state == .cancelled && result.indirectError is OtherError)
    }
    #expect(task.isCancelled == (end == 2))
    #expect(task.log.count == (end == 2 ? 1 : 0))
  }

  @Test("D22, D23: only a pending task can be enqueued; anything else is an error that names the state, not a trap")
  func enqueue() throws {
    let task = Doubling()
    try task.enqueue()
    #expect(throws: FutureTaskError.used(.enqueued)) { try task.enqueue() }
    task.begin()
    #expect(throws: FutureTaskError.used(.executing)) { try task.enqueue() }
    task.complete(with: 1)
    #expect(throws: FutureTaskError.used(.completed)) { try task.enqueue() }
    let cancelled = Doubling()
    cancelled.cancel()
    #expect(throws: FutureTaskError.used(.cancelled)) { try cancelled.enqueue() }
    #expect("\(FutureTaskError.used(.executing))".contains("already executing"))
  }

  @Test("D25: begin is true for a pending or enqueued task, once; false for any other")
  func begin() throws {
    #expect(Doubling().begin())
    let enqueued = Doubling()
    try enqueued.enqueue()
    #expect(enqueued.begin())
    #expect(!enqueued.begin() && enqueued.state == .executing)
    let ended = (0..<3).map { _ in Doubling() }
    ended[0].complete(with: 1)
    ended[1].fail(with: TestError(1))
    ended[2].cancel()
    #expect(ended.map { $0.begin() } == [false, false, false])
    #expect(ended.map(\.state) == [.completed, .failed, .cancelled])
  }

  @Test("D24, D25: without an override nothing happens; started twice by hand, an override runs once")
  func start() {
    let base = FutureTask<Int, Int>()
    base.start(with: 1)
    #expect(base.state == .pending)
    let task = Doubling()
    task.start(with: 1)
    task.start(with: 2)
    #expect(task.log.events == ["start 1"])
  }

  /// A subclass of a subclass: both layers begin.
  private final class Layered: Doubling, @unchecked Sendable {
    override func start(with input: Int) {
      log.record("begins: \(begin())")
      super.start(with: input)
    }
  }

  @Test("D25: work is begun once, also across layers of subclasses")
  func layers() {
    let task = Layered()
    task.start(with: 1)
    #expect(task.log.events == ["begins: true"] && task.state == .executing)
  }

  @Test("D30: wasCancelled is called once, after the change of state, with the indirect error; not for a finished task")
  func wasCancelled() {
    let task = Doubling()
    task.begin()
    task.cancel(because: TestError(3))
    task.cancel()
    #expect(task.log.events == ["cancelled true TestError(code: 3)"])
    let finished = Doubling()
    finished.complete(with: 1)
    finished.cancel()
    finished.requestCancel()
    #expect(finished.log.events == [])
  }

  @Test("D30: wasCancelled stops the work before the callbacks of the future run", arguments: [true, false])
  func wasCancelledFirst(asks: Bool) {
    let task = Doubling()
    task.future.whenResolved { [log = task.log] _ in log.record("callback") }
    if asks { task.future.requestCancel() } else { task.cancel() }
    #expect(task.log.events == ["cancelled true nil", "callback"])
  }

  @Test("D32: the description of the state has the output or the error")
  func descriptions() throws {
    let tasks = (0..<5).map { _ in Doubling() }
    tasks[0].complete(with: 2)
    tasks[1].fail(with: TestError(3))
    tasks[2].cancel(because: TestError(4))
    tasks[3].cancel()
    #expect(
      tasks.map(\.stateDescription) == [
        "completed(output: 2)", "failed(error: TestError(code: 3))", "cancelled(indirectError: TestError(code: 4))",
        "cancelled", "pending",
      ])
    #expect("\(tasks[0])" == "<Doubling: completed(output: 2)>")
    let running = Doubling()
    try running.enqueue()
    #expect(running.stateDescription == "enqueued")
    running.begin()
    #expect(running.stateDescription == "executing")
  }

  @Test("D33, D54: a request cancels an unfinished task; so does a request to cancel its future")
  func requests() {
    let task: any Cancellable = Doubling()
    task.requestCancel()
    #expect((task as? Doubling)?.state == .cancelled)
    let asked = Doubling()
    asked.begin()
    asked.future.requestCancel()
    #expect(asked.state == .cancelled && asked.log.events == ["cancelled true nil"])
  }

  @Test("D18, D26: destroying an unfinished task cancels its future without a notification; the future holds no task")
  func lifetime() {
    var task: Doubling? = Doubling()
    task?.begin()
    let (future, log) = (task!.future, task!.log)
    weak let held = task
    task = nil
    #expect(held == nil && future.state == .cancelled && log.events == [])
  }
}

extension Observed {
  @Suite("Tasks: reports of second ends")
  struct TaskReports {
    @Test("D27, D28, D29, D33: a second end is reported, a request to cancel is not")
    func secondEnd() {
      let task = Doubling()
      let id = task.future.id
      let reports = Observed.reports {
        task.complete(with: 1)
        task.complete(with: 2)
        task.requestCancel()
        task.fail(with: TestError(3))
        task.cancel(because: TestError(4))
        return [id]
      }
      #expect(
        reports == [
          .again(id: id, .fulfilled, value: "2"), .again(id: id, .rejected, value: "TestError(code: 3)"),
          .again(id: id, .rejected, value: "discarded"),
        ])
    }

    @Test("D26: a cancelled task whose job its executor drops is left alone")
    func dropped() {
      let (task, executor) = (Doubling(), ManualExecutor())
      let reports = Observed.reports {
        start(running: task, with: 1, on: executor.here)
        task.cancel()
        executor.take().forEach { $0.drop() }
        return [task.future.id]
      }
      #expect(reports == [] && task.state == .cancelled)
    }

    @Test("D38: a group that fails cancels its tasks silently: no second end of a finished one is reported")
    func group() {
      let tasks = (0..<2).map { _ in Doubling() }
      let reports = Observed.reports {
        let outputs = start(running: tasks, with: 1, on: .immediate)
        tasks[0].complete(with: 2)
        tasks[1].fail(with: TestError(3))
        #expect(outputs.state == .rejected)
        return tasks.map(\.future.id)
      }
      #expect(reports == [])
    }
  }
}
