import Promises
import PromisesTestSupport
import Testing

/// Calls each form without a context, because each is a function of its own.
@Suite("Future: callbacks without a context")
struct InlineFormTests {
  typealias Subject = Future<Int, TestError>
  /// Attaches a callback that calls the closure; returns the derived future, if any.
  typealias Attach = (Subject, InvalidationToken, @escaping () -> Void) -> Any

  private func check(_ outcome: FutureResult<Int, TestError>, _ forms: [(name: String, attach: Attach)]) {
    for form in forms {
      for isSilenced in [false, true] {
        let (future, resolver) = Subject.makeWithResolver()
        let token = InvalidationToken()
        let calls = Counter()
        let derived = form.attach(future, token) { calls.add() }
        if isSilenced { token.invalidate() }
        #expect(calls.value == 0, "\(form.name)")
        resolver.resolve(outcome)
        #expect(calls.value == (isSilenced ? 0 : 1), "\(form.name), silenced: \(isSilenced)")
        withExtendedLifetime(derived) {}
      }
    }
  }

  @Test("callbacks that observe a value run in the settling call, unless silenced")
  func observingValues() {
    check(
      .fulfilled(1),
      [
        ("onSuccess", { future, token, run in future.onSuccess(token: token) { _ in run() } }),
        ("onComplete", { future, token, run in future.onComplete(token: token) { _ in run() } }),
        ("onEither", { future, token, run in future.onEither(token: token) { _ in run() } }),
        ("tap", { future, token, run in future.tap(token: token) { _ in run() } }),
        ("tryOnSuccess", { future, token, run in future.tryOnSuccess(token: token) { _ in run() } }),
        ("whenResolved", { future, token, run in future.whenResolved(token: token) { _ in run() } }),
        ("whenFulfilled", { future, token, run in future.whenFulfilled(token: token) { _ in run() } }),
        ("always", { future, token, run in future.always(token: token) { run() } }),
      ])
  }

  @Test("callbacks that observe an error or a cancellation run in the settling call, unless silenced")
  func observingFailures() {
    check(
      .rejected(TestError(2)),
      [
        ("onError", { future, token, run in future.onError(token: token) { _ in run() } }),
        ("onError(of:)", { future, token, run in future.onError(of: TestError.self, token: token) { _ in run() } }),
        ("onEither", { future, token, run in future.onEither(token: token) { _ in run() } }),
        ("catch", { future, token, run in future.catch(token: token) { _ in run() } }),
        ("whenRejected", { future, token, run in future.whenRejected(token: token) { _ in run() } }),
        ("whenAnyError", { future, token, run in future.whenAnyError(token: token) { _ in run() } }),
      ])
    check(
      .cancelled(OtherError()),
      [
        ("onCancel", { future, token, run in future.onCancel(token: token) { _ in run() } }),
        ("onCancel without argument", { future, token, run in future.onCancel(token: token) { run() } }),
        ("whenCancelled", { future, token, run in future.whenCancelled(token: token) { _ in run() } }),
        ("catch", { future, token, run in future.catch(token: token) { _ in run() } }),
        ("whenAnyError", { future, token, run in future.whenAnyError(token: token) { _ in run() } }),
      ])
  }

  @Test("transformations of values run in the settling call, unless silenced")
  func values() {
    func after(_ run: () -> Void) -> Subject {
      run()
      return Subject(fulfilled: 2)
    }
    func outcome(_ run: () -> Void) -> FutureResult<Int, TestError> {
      run()
      return .fulfilled(2)
    }
    func result(_ run: () -> Void) -> Result<Int, TestError> {
      run()
      return .success(2)
    }
    check(
      .fulfilled(1),
      [
        ("map", { future, token, run in future.map(token: token) { _ in run() } }),
        ("flatMap", { future, token, run in future.flatMap(token: token) { _ in after(run) } }),
        ("mapResult", { future, token, run in future.mapResult(token: token) { _ in outcome(run) } }),
        ("flatMapResult", { future, token, run in future.flatMapResult(token: token) { _ in after(run) } }),
        ("mapEither", { future, token, run in future.mapEither(token: token) { _ in result(run) } }),
        ("flatMapEither", { future, token, run in future.flatMapEither(token: token) { _ in after(run) } }),
        ("tryMap", { future, token, run in future.tryMap(token: token) { _ in run() } }),
        ("tryFlatMap", { future, token, run in future.tryFlatMap(token: token) { _ in after(run) } }),
        ("tryMapResult", { future, token, run in future.tryMapResult(token: token) { _ in outcome(run) } }),
        ("tryFlatMapResult", { future, token, run in future.tryFlatMapResult(token: token) { _ in after(run) } }),
        ("mapOrCancel", { future, token, run in future.mapOrCancel(token: token) { _ in run() } }),
        ("flatMapOrCancel", { future, token, run in future.flatMapOrCancel(token: token) { _ in after(run) } }),
        ("additionally", { future, token, run in future.additionally(token: token) { _ in run() } }),
        (
          "additionally(async:)",
          { future, token, run in future.additionally(token: token, async: { _ in after(run) }) }
        ),
      ])
  }

  @Test("transformations of errors run in the settling call, unless silenced")
  func errors() {
    func value(_ run: () -> Void) -> Int {
      run()
      return 2
    }
    func after(_ run: () -> Void) -> Subject { Subject(fulfilled: value(run)) }
    func error(_ run: () -> Void) -> TestError { TestError(value(run)) }
    check(
      .rejected(TestError(2)),
      [
        ("replaceError", { future, token, run in future.replaceError(token: token) { _ in value(run) } }),
        ("mapError", { future, token, run in future.mapError(token: token) { _ in error(run) } }),
        ("flatMapError", { future, token, run in future.flatMapError(token: token) { _ in after(run) } }),
        ("tryReplaceError", { future, token, run in future.tryReplaceError(token: token) { _ in value(run) } }),
        ("tryMapError", { future, token, run in future.tryMapError(token: token) { _ in error(run) } }),
        ("tryFlatMapError", { future, token, run in future.tryFlatMapError(token: token) { _ in after(run) } }),
        ("recover", { future, token, run in future.recover(token: token) { _ in value(run) } }),
        ("recover(with:)", { future, token, run in future.recover(token: token, with: value(run)) }),
      ])
  }
}
