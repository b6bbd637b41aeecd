import Dispatch
import Promises
import PromisesTestSupport
import Testing

/// Attaches a callback that holds an object.
private typealias Attach = @Sendable (_ context: PromiseContext, _ held: () -> Sentinel) -> Void

@Suite("Callbacks are released where they ran")
struct ReleasedWhereRun {
  private static var fulfilled: Future<Int, TestError> { Future(fulfilled: 1) }
  private static var failed: Future<Int, TestError> { Future(rejected: TestError(1)) }
  private static var promise: Promise<Int> { .resolve(1) }
  private static var rejected: Promise<Int> { .reject(TestError(1)) }

  private static let kinds: [(String, Attach)] = [
    ("onSuccess", { fulfilled.onSuccess(on: $0) { [held = $1()] _ in held.touch() } }),
    ("onError", { failed.onError(on: $0) { [held = $1()] _ in held.touch() } }),
    ("onError(of:)", { failed.onError(of: TestError.self, on: $0) { [held = $1()] _ in held.touch() } }),
    ("onComplete", { fulfilled.onComplete(on: $0) { [held = $1()] _ in held.touch() } }),
    ("tap", { fulfilled.tap(on: $0) { [held = $1()] _ in held.touch() } }),
    ("catch", { failed.catch(on: $0, $1().callback()) }),
    ("with a token", { fulfilled.onSuccess(on: $0, token: InvalidationToken()) { [held = $1()] _ in held.touch() } }),
    ("map", { _ = fulfilled.map(on: $0) { [held = $1()] _ in held.touch() } }),
    ("flatMap", { _ = fulfilled.flatMap(on: $0) { [held = $1()] _ -> Future<Int, TestError> in held.follow() } }),
    ("mapError", { _ = failed.mapError(on: $0) { [held = $1()] _ in held.touch() } }),
    ("mapResult", { _ = fulfilled.mapResult(on: $0) { [held = $1()] result in held.same(result) } }),
    ("tryMap", { _ = fulfilled.tryMap(on: $0) { [held = $1()] _ in held.touch() } }),
    ("recover", { _ = failed.recover(on: $0) { [held = $1()] _ in held.same(2) } }),
    ("mapOrCancel", { _ = fulfilled.mapOrCancel(on: $0) { [held = $1()] _ in held.touch() } }),
    ("always", { fulfilled.always(on: $0, $1().callback()) }),
    ("additionally", { _ = fulfilled.additionally(on: $0) { [held = $1()] _ in held.touch() } }),
    ("whenResolved", { fulfilled.whenResolved(on: $0) { [held = $1()] _ in held.touch() } }),
    ("withToken", { _ = fulfilled.withToken(InvalidationToken()).map(on: $0) { [held = $1()] _ in held.touch() } }),
    ("a future's work", { _ = Future<Int, TestError>(on: $0) { [held = $1()] in $0.fulfill(held.same(1)) } }),
    ("then", { promise.then(on: $0, { [held = $1()] _ in held.touch() }, nil) }),
    ("then of a failure", { rejected.then(on: $0, nil, $1().callback()) }),
    ("then with a result", { _ = promise.then(on: $0) { [held = $1()] _ in held.same(1) } }),
    ("rescue", { rejected.rescue(on: $0) { [held = $1()] (_: TestError) in held.touch() } }),
    ("anyway", { _ = promise.anyway(on: $0) { [held = $1()] _ in held.same(1) } }),
  ]

  @Test(
    "T36: a callback is released in its context, though the attaching call is still in progress",
    arguments: kinds.indices)
  func inContext(kind: Int) {
    let (name, attach) = Self.kinds[kind]
    let log = Recorder<UInt>()
    attach(.executor(ThreadExecutor())) { Sentinel { log.record(currentThread()) } }
    #expect(log.count == 1, "\(name): released when the call returns")
    #expect(log.events != [currentThread()], "\(name): not by the attaching thread")
  }

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
      return held.same(value)
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

extension Sentinel {
  fileprivate func same<Value>(_ value: Value) -> Value { value }
  fileprivate func follow() -> Future<Int, TestError> { Future(fulfilled: 1) }

  // If no type of the closure is generic, a debug build would hold the capture list's object until the call returns.
  fileprivate func callback() -> @Sendable () -> Void { { self.touch() } }
  fileprivate func callback<Argument>() -> @Sendable (Argument) -> Void { { _ in self.touch() } }
}
