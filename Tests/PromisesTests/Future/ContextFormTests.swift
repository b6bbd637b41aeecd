import Promises
import PromisesTestSupport
import Testing

/// Runs the closure, and returns the value.
@Sendable private func after<Value>(_ run: () -> Void, _ value: Value) -> Value {
  run()
  return value
}

/// Calls each form with a context, because each is a function of its own.
@Suite("Future: callbacks in a context")
struct ContextFormTests {
  typealias Subject = Future<Int, TestError>
  /// Attaches a callback that calls the closure; returns the derived future, if any.
  typealias Attach = (Subject, PromiseContext, InvalidationToken?, @escaping @Sendable () -> Void) -> Any

  private func check(_ outcome: FutureResult<Int, TestError>, _ forms: [(name: String, attach: Attach)]) {
    for form in forms {
      for isSilenced in [false, true] {
        let (future, resolver) = Subject.makeWithResolver()
        let executor = ManualExecutor()
        let calls = Recorder<Bool>()
        let token = InvalidationToken()
        let derived = form.attach(future, executor.here, token) { calls.record(executor.isRunning) }
        if isSilenced { token.invalidate() }
        resolver.resolve(outcome)
        #expect(calls.events == [], "\(form.name) waits for its context")
        executor.runAll()
        #expect(calls.events == (isSilenced ? [] : [true]), "\(form.name)")
        withExtendedLifetime(derived) {}
      }
    }
  }

  @Test("T39, T42, T48, T53, T61, PG5, PG6, PG7, RP6, RP7, RP8, RP9: observers run in their context, unless silenced")
  func observers() {
    check(
      .fulfilled(1),
      [
        ("onSuccess", { future, here, token, run in future.onSuccess(on: here, token: token) { _ in run() } }),
        ("onComplete", { future, here, token, run in future.onComplete(on: here, token: token) { _ in run() } }),
        ("onEither", { future, here, token, run in future.onEither(on: here, token: token) { _ in run() } }),
        ("tap", { future, here, token, run in future.tap(on: here, token: token) { _ in run() } }),
        ("tryOnSuccess", { future, here, token, run in future.tryOnSuccess(on: here, token: token) { _ in run() } }),
      ])
    check(
      .rejected(TestError(2)),
      [
        ("onError", { future, here, token, run in future.onError(on: here, token: token) { _ in run() } }),
        (
          "onError(of:)",
          { future, here, token, run in
            future.onError(of: TestError.self, on: here, token: token) { _ in run() }
          }
        ),
        ("onEither", { future, here, token, run in future.onEither(on: here, token: token) { _ in run() } }),
        ("catch", { future, here, token, run in future.catch(on: here, token: token) { _ in run() } }),
      ])
    check(
      .cancelled(nil),
      [("onCancel", { future, here, token, run in future.onCancel(on: here, token: token) { _ in run() } })])
  }

  @Test("D3, D4, D5, D6, D7: callbacks at the end of a chain run in their context, unless silenced")
  func terminal() {
    check(
      .fulfilled(1),
      [
        ("whenResolved", { future, here, token, run in future.whenResolved(on: here, token: token) { _ in run() } }),
        ("whenFulfilled", { future, here, token, run in future.whenFulfilled(on: here, token: token) { _ in run() } }),
      ])
    check(
      .rejected(TestError(2)),
      [
        ("whenRejected", { future, here, token, run in future.whenRejected(on: here, token: token) { _ in run() } }),
        ("whenAnyError", { future, here, token, run in future.whenAnyError(on: here, token: token) { _ in run() } }),
      ])
    check(
      .cancelled(nil),
      [("whenCancelled", { future, here, token, run in future.whenCancelled(on: here, token: token) { _ in run() } })])
  }

  @Test("T40, T41, T49, T50, T51, T52, T54, T55, D41, RP13: transformations of values run in their context")
  func values() {
    check(
      .fulfilled(1),
      [
        ("map", { future, here, token, run in future.map(on: here, token: token) { _ in run() } }),
        (
          "flatMap",
          { future, here, token, run in future.flatMap(on: here, token: token) { after(run, Subject(fulfilled: $0)) } }
        ),
        ("mapResult", { future, here, token, run in future.mapResult(on: here, token: token) { after(run, $0) } }),
        (
          "flatMapResult",
          { future, here, token, run in future.flatMapResult(on: here, token: token) { after(run, Subject(with: $0)) } }
        ),
        ("tryMap", { future, here, token, run in future.tryMap(on: here, token: token) { _ in run() } }),
        (
          "tryFlatMap",
          { future, here, token, run in future.tryFlatMap(on: here, token: token) { after(run, Subject(fulfilled: $0)) }
          }
        ),
        (
          "tryMapResult", { future, here, token, run in future.tryMapResult(on: here, token: token) { after(run, $0) } }
        ),
        (
          "tryFlatMapResult",
          { future, here, token, run in
            future.tryFlatMapResult(on: here, token: token) { after(run, Subject(with: $0)) }
          }
        ),
        ("mapOrCancel", { future, here, token, run in future.mapOrCancel(on: here, token: token) { _ in run() } }),
      ])
  }

  @Test("T43, T44, T45, T46, T47, T56: transformations of errors run in their context")
  func errors() {
    check(
      .rejected(TestError(2)),
      [
        (
          "replaceError",
          { future, here, token, run in future.replaceError(on: here, token: token) { after(run, $0.code) } }
        ),
        ("mapError", { future, here, token, run in future.mapError(on: here, token: token) { after(run, $0) } }),
        (
          "flatMapError",
          { future, here, token, run in
            future.flatMapError(on: here, token: token) { after(run, Subject(rejected: $0)) }
          }
        ),
        ("tryMapError", { future, here, token, run in future.tryMapError(on: here, token: token) { after(run, $0) } }),
        (
          "tryFlatMapError",
          { future, here, token, run in
            future.tryFlatMapError(on: here, token: token) { after(run, Subject(rejected: $0)) }
          }
        ),
        (
          "tryReplaceError",
          { future, here, token, run in future.tryReplaceError(on: here, token: token) { after(run, $0.code) } }
        ),
      ])
  }

  @Test("D41, D45, D46, D50, D51, D52, PG12, PG19: the other forms run in their context, too, unless silenced")
  func others() {
    let (other, success) = (Subject(fulfilled: 2), Result<Int, TestError>.success(2))
    check(
      .fulfilled(1),
      [
        (
          "mapEither",
          { future, here, token, run in future.mapEither(on: here, token: token) { _ in after(run, success) } }
        ),
        (
          "flatMapEither",
          { future, here, token, run in future.flatMapEither(on: here, token: token) { _ in after(run, other) } }
        ),
        (
          "flatMapOrCancel",
          { future, here, token, run in future.flatMapOrCancel(on: here, token: token) { _ in after(run, other) } }
        ),
        ("additionally", { future, here, token, run in future.additionally(on: here, token: token) { _ in run() } }),
        (
          "additionally(async:)",
          { future, here, token, run in future.additionally(on: here, token: token, async: { _ in after(run, other) }) }
        ),
        ("always", { future, here, token, run in future.always(on: here, token: token) { run() } }),
      ])
    check(
      .rejected(TestError(2)),
      [
        ("recover", { future, here, token, run in future.recover(on: here, token: token) { _ in after(run, 2) } }),
        ("recover(with:)", { future, here, token, run in future.recover(on: here, token: token, with: after(run, 2)) }),
      ])
    check(
      .cancelled(nil),
      [
        ("onCancel without argument", { future, here, token, run in future.onCancel(on: here, token: token) { run() } })
      ])
  }

  @Test("T12, PG29: the body of a throwing future, and the callbacks of a future of values alone, run in their context")
  func bodies() {
    let executor = ManualExecutor()
    let log = Recorder<String>()
    let made = ThrowingFuture<Int>(on: executor.here) { _ in
      log.record("body: \(executor.isRunning)")
      throw TestError(1)
    }
    let values = Subject(fulfilled: 1).successOnly()
    values.onSuccess(on: executor.here) { _ in log.record("success: \(executor.isRunning)") }
    let mapped = values.map(on: executor.here) { value in
      log.record("map: \(executor.isRunning)")
      return value + 1
    }
    #expect(log.events == [])
    executor.runAll()
    #expect(log.events == ["body: true", "success: true", "map: true"])
    #expect(made.error as? TestError == TestError(1) && mapped.value == 2)
  }
}
