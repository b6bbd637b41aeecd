import Dispatch
import Promises
import PromisesTestSupport
import Testing

// On the main actor, so that the main queue runs only while the test waits.
@MainActor
@Suite("Contexts: the order of the main context")
struct MainOrder {
  private let log = Recorder<String>()

  @Test("T2 a callback that becomes due within one on main runs after those that were due before")
  func behindTheQueue() async {
    let promise = Promise<Int>.resolve(1)
    promise.then(
      on: .main,
      { _ in
        log.record("1")
        promise.then(on: .main, { _ in log.record("3") }, nil)
      }, nil)
    promise.then(on: .main, { _ in log.record("2") }, nil)
    await mainQueueDrained()
    await mainQueueDrained()
    #expect(log.events == ["1", "2", "3"])
  }

  @Test("T2 callbacks of one future run on main in the order of attachment, though another thread settles it meanwhile")
  func behindAnotherThread() async {
    let (future, resolver) = Future<Int, Never>.makeWithResolver()
    Promise<Int>.resolve(1).then(
      on: .main,
      { _ in
        future.onSuccess(on: .main) { _ in log.record("first") }
        onThread { _ = resolver.fulfill(1) }
        future.onSuccess(on: .main) { _ in log.record("second") }
        DispatchQueue.main.async { log.record("next turn") }
      }, nil)
    for _ in 0..<3 { await mainQueueDrained() }
    #expect(log.events == ["first", "second", "next turn"])
  }

  // In processes of their own: callbacks of other tests in the same turn would count.
  @Test("T2 callbacks on main that make each other due without end let the main queue run")
  func bounded() async {
    await #expect(processExitsWith: .success) {
      let executor = ManualExecutor()
      PromiseContext.useMainExecutor(executor)
      Polling.poll()
      executor.runNext()
      precondition(Polling.count.withLock { $0 } == 1_001 && executor.count == 1)
      executor.runNext()
      precondition(Polling.count.withLock { $0 } == 2_002 && executor.count == 1)
    }
  }

  @Test("T2 more callbacks than a turn takes run in their order")
  func overTheLimit() async {
    await #expect(processExitsWith: .success) {
      let executor = ManualExecutor()
      let numbers = Recorder<Int>()
      PromiseContext.useMainExecutor(executor)
      Promise<Int>.resolve(1).then(
        on: .main,
        { _ in
          for number in 0..<3_000 { Promise<Int>.resolve(2).then(on: .main, { _ in numbers.record(number) }, nil) }
        }, nil)
      executor.runNext()
      precondition(numbers.events == Array(0..<1_000))
      executor.runAll()
      precondition(numbers.events == Array(0..<3_000))
    }
  }

  @Test("T2 a substitute that runs turns at once gets each callback after the one that makes it due, without a limit")
  func inline() async {
    await #expect(processExitsWith: .success) {
      let numbers = Recorder<Int>()
      PromiseContext.useMainExecutor(InlineExecutor())
      Promise<Int>.resolve(1).then(
        on: .main,
        { _ in
          for number in 0..<3_000 { Promise<Int>.resolve(2).then(on: .main, { _ in numbers.record(number) }, nil) }
          precondition(numbers.count == 0)
        }, nil)
      precondition(numbers.events == Array(0..<3_000))
    }
  }

  @Test("T2 a turn within a callback on main first runs those that were due before")
  func nested() async {
    await #expect(processExitsWith: .success) {
      let executor = ManualExecutor()
      let log = Recorder<String>()
      PromiseContext.useMainExecutor(executor)
      Promise<Int>.resolve(1).then(
        on: .main,
        { _ in
          Promise<Int>.resolve(2).then(on: .main, { _ in log.record("due") }, nil)
          onThread { Promise<Int>.resolve(3).then(on: .main, { _ in log.record("posted") }, nil) }
          executor.runNext()
          log.record("end")
          Promise<Int>.resolve(4).then(on: .main, { _ in log.record("after") }, nil)
          precondition(executor.count == 0 && PromiseContext.auto == .main, "it is still the outer turn")
        }, nil)
      onThread { executor.runAll() }
      precondition(log.events == ["due", "posted", "end", "after"], "\(log.events)")
    }
  }

  @Test("T2 a turn that the substitute of the main queue drops takes its callback with it, and no other")
  func dropped() async {
    await #expect(processExitsWith: .success) {
      let executor = ManualExecutor()
      let log = Recorder<String>()
      PromiseContext.useMainExecutor(executor)
      Promise<Int>.resolve(0).then(on: .main, { log.record("\($0)") }, nil)
      executor.runAll()
      let promises = (1...3).map { number in
        Promise<Int>.resolve(number).then(on: .main) { value -> Int in
          log.record("\(value)")
          return value
        }
      }
      let turns = executor.take()
      precondition(turns.count == 3)
      turns[1].drop()
      turns[0].drop()
      turns[2].run()
      precondition(log.events == ["0", "3"] && promises.map(\.state) == [.rejected, .rejected, .fulfilled])
      Promise<Int>.resolve(4).then(on: .main, { log.record("\($0)") }, nil)
      executor.runAll()
      precondition(log.events == ["0", "3", "4"])
      // The last turn runs the callbacks of those before it, which are then dropped without effect.
      for number in 5...7 { Promise<Int>.resolve(number).then(on: .main, { log.record("\($0)") }, nil) }
      let late = executor.take()
      late[2].run()
      late[0].drop()
      late[1].drop()
      precondition(log.events == ["0", "3", "4", "5", "6", "7"])
    }
  }
}

private enum Polling {
  static let count = Monitor(0)

  /// Makes itself due on main, again and again. Ends, so that a turn without a limit fails.
  static func poll() {
    guard count.withLock({ $0 }) < 50_000 else { return }
    Future<Void, Never>(fulfilled: ()).onSuccess(on: PromiseContext.main) {
      count.withLock { $0 += 1 }
      poll()
    }
  }
}
