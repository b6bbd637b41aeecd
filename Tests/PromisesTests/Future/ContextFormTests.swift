import Promises
import PromisesTestSupport
import Testing

/// The forms with a context are functions of their own, so each is called here.
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
          { future, here, token, run in
            future.flatMap(on: here, token: token) { value -> Subject in
              run()
              return Subject(fulfilled: value)
            }
          }
        ),
        (
          "mapResult",
          { future, here, token, run in
            future.mapResult(on: here, token: token) { result -> FutureResult<Int, TestError> in
              run()
              return result
            }
          }
        ),
        (
          "flatMapResult",
          { future, here, token, run in
            future.flatMapResult(on: here, token: token) { result -> Subject in
              run()
              return Subject(with: result)
            }
          }
        ),
        ("tryMap", { future, here, token, run in future.tryMap(on: here, token: token) { _ in run() } }),
        (
          "tryFlatMap",
          { future, here, token, run in
            future.tryFlatMap(on: here, token: token) { value -> Subject in
              run()
              return Subject(fulfilled: value)
            }
          }
        ),
        (
          "tryMapResult",
          { future, here, token, run in
            future.tryMapResult(on: here, token: token) { result -> FutureResult<Int, TestError> in
              run()
              return result
            }
          }
        ),
        (
          "tryFlatMapResult",
          { future, here, token, run in
            future.tryFlatMapResult(on: here, token: token) { result -> Subject in
              run()
              return Subject(with: result)
            }
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
          { future, here, token, run in
            future.replaceError(on: here, token: token) { error in
              run()
              return error.code
            }
          }
        ),
        (
          "mapError",
          { future, here, token, run in
            future.mapError(on: here, token: token) { error -> TestError in
              run()
              return error
            }
          }
        ),
        (
          "flatMapError",
          { future, here, token, run in
            future.flatMapError(on: here, token: token) { error -> Subject in
              run()
              return Subject(rejected: error)
            }
          }
        ),
        (
          "tryMapError",
          { future, here, token, run in
            future.tryMapError(on: here, token: token) { error -> TestError in
              run()
              return error
            }
          }
        ),
        (
          "tryFlatMapError",
          { future, here, token, run in
            future.tryFlatMapError(on: here, token: token) { error -> Subject in
              run()
              return Subject(rejected: error)
            }
          }
        ),
        (
          "tryReplaceError",
          { future, here, token, run in
            future.tryReplaceError(on: here, token: token) { error in
              run()
              return error.code
            }
          }
        ),
      ])
  }
}
