import Promises
import PromisesTestSupport
import Testing

@Suite("Callbacks are released where they ran")
struct ReleasedWhereRun {
  private static var fulfilled: Future<Int, TestError> { Future(fulfilled: 1) }
  private static var promise: Promise<Int> { .resolve(1) }

  @Test(
    "T36: a callback whose token is invalidated is released in its context too, uncalled",
    arguments: [true, false])
  func silenced(isSettledBefore: Bool) {
    let executor = ManualExecutor()
    let log = Recorder<String>()
    let token = InvalidationToken()
    let (future, resolver) = Future<Int, TestError>.makeWithResolver()
    let derived = future.map(on: executor.here, token: token, silent(log, executor))
    if isSettledBefore { resolver.fulfill(1) }
    token.invalidate()
    resolver.fulfill(1)
    #expect(log.events == [] && executor.count == 1)
    executor.runAll()
    #expect(log.events == ["released in executor: true"] && derived.state == .cancelled)
  }

  private func silent(_ log: Recorder<String>, _ executor: ManualExecutor) -> @Sendable (Int) -> Int {
    let held = Sentinel { log.record("released in executor: \(executor.isRunning)") }
    return { value in
      log.record("called")
      held.touch()
      return value
    }
  }

  @Test("T36: a callback for another outcome is released by the thread that settles, before the call returns")
  func passedOver() {
    for outcome in [.fulfilled(1), .rejected(TestError(1)), .cancelled] as [FutureResult<Int, TestError>] {
      let (executor, log) = (ManualExecutor(), Recorder<UInt>())
      let (future, resolver) = Future<Int, TestError>.makeWithResolver()
      let others: [(FutureState, (Sentinel) -> Void)] = [
        (.fulfilled, { held in future.onSuccess(on: executor.here) { [held] _ in held.touch() } }),
        (.rejected, { held in future.onError(on: executor.here) { [held] _ in held.touch() } }),
        (.cancelled, { held in future.onCancel(on: executor.here) { [held] _ in held.touch() } }),
      ]
      for case (let state, let attach) in others where state != Future(with: outcome).state {
        attach(Sentinel { log.record(currentThread()) })
      }
      onThread {
        resolver.resolve(outcome)
        #expect(log.events == [currentThread(), currentThread()])
      }
      #expect(executor.count == 0)
    }
  }

  @Test("T36: a callback on main is released on the main queue, though another thread attaches it")
  func onMain() async {
    let log = Recorder<Bool>()
    let done = Recorder<Void>()
    for _ in 0..<200 {
      onThread {
        Self.fulfilled.onSuccess(on: .main) { [held = Sentinel { log.record(isOnMainQueue()) }] _ in held.touch() }
        Self.promise.then(on: .main, { [held = Sentinel { log.record(isOnMainQueue()) }] _ in held.touch() }, nil)
        done.record()
      }
      await mainQueueDrained()
    }
    #expect(log.count == 2 * done.count)
    #expect(log.events.allSatisfy { $0 })
  }
}
