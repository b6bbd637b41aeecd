import Promises
import PromisesTestSupport
import Testing

/// Calls each form for the main actor, because each is a function of its own.
@Suite("Future: callbacks on the main actor")
struct MainFormTests {
  typealias Subject = Future<Int, TestError>
  /// Attaches a callback that calls the closure; returns the derived future, if any.
  typealias Attach = (Subject, InvalidationToken, @escaping @Sendable () -> Void) -> Any

  private func check(_ outcome: FutureResult<Int, TestError>, _ forms: [(name: String, attach: Attach)]) async {
    for form in forms {
      for isSilenced in [false, true] {
        let (future, resolver) = Subject.makeWithResolver()
        let token = InvalidationToken()
        let places = Recorder<Bool>()
        let derived = form.attach(future, token) { places.record(isOnMainQueue()) }
        if isSilenced { token.invalidate() }
        resolver.resolve(outcome)
        await mainQueueDrained()
        #expect(places.events == (isSilenced ? [] : [true]), "\(form.name), silenced: \(isSilenced)")
        withExtendedLifetime(derived) {}
      }
    }
  }

  @Test("callbacks that observe a value run on the main queue, unless silenced")
  func observingValues() async {
    await check(
      .fulfilled(1),
      [
        ("onSuccess", { future, token, run in future.onSuccess(on: .main, token: token) { _ in run() } }),
        ("onComplete", { future, token, run in future.onComplete(on: .main, token: token) { _ in run() } }),
        ("onEither", { future, token, run in future.onEither(on: .main, token: token) { _ in run() } }),
        ("tap", { future, token, run in future.tap(on: .main, token: token) { _ in run() } }),
        ("tryOnSuccess", { future, token, run in future.tryOnSuccess(on: .main, token: token) { _ in run() } }),
        ("whenResolved", { future, token, run in future.whenResolved(on: .main, token: token) { _ in run() } }),
        ("whenFulfilled", { future, token, run in future.whenFulfilled(on: .main, token: token) { _ in run() } }),
        ("always", { future, token, run in future.always(on: .main, token: token) { run() } }),
      ])
  }

  @Test("callbacks that observe an error or a cancellation run on the main queue, unless silenced")
  func observingFailures() async {
    await check(
      .rejected(TestError(2)),
      [
        ("onError", { future, token, run in future.onError(on: .main, token: token) { _ in run() } }),
        (
          "onError(of:)",
          { future, token, run in future.onError(of: TestError.self, on: .main, token: token) { _ in run() } }
        ),
        ("onEither", { future, token, run in future.onEither(on: .main, token: token) { _ in run() } }),
        ("catch", { future, token, run in future.catch(on: .main, token: token) { _ in run() } }),
        ("whenRejected", { future, token, run in future.whenRejected(on: .main, token: token) { _ in run() } }),
        ("whenAnyError", { future, token, run in future.whenAnyError(on: .main, token: token) { _ in run() } }),
      ])
    await check(
      .cancelled(OtherError()),
      [
        ("onCancel", { future, token, run in future.onCancel(on: .main, token: token) { _ in run() } }),
        ("onCancel without argument", { future, token, run in future.onCancel(on: .main, token: token) { run() } }),
        ("whenCancelled", { future, token, run in future.whenCancelled(on: .main, token: token) { _ in run() } }),
      ])
  }

  @Test("transformations of values run on the main queue, unless silenced")
  func values() async {
    @Sendable func after(_ run: () -> Void) -> Subject {
      run()
      return Subject(fulfilled: 2)
    }
    @Sendable func outcome(_ run: () -> Void) -> FutureResult<Int, TestError> {
      run()
      return .fulfilled(2)
    }
    @Sendable func result(_ run: () -> Void) -> Result<Int, TestError> {
      run()
      return .success(2)
    }
    await check(
      .fulfilled(1),
      [
        ("map", { future, token, run in future.map(on: .main, token: token) { _ in run() } }),
        ("flatMap", { future, token, run in future.flatMap(on: .main, token: token) { _ in after(run) } }),
        ("mapResult", { future, token, run in future.mapResult(on: .main, token: token) { _ in outcome(run) } }),
        ("flatMapResult", { future, token, run in future.flatMapResult(on: .main, token: token) { _ in after(run) } }),
        ("mapEither", { future, token, run in future.mapEither(on: .main, token: token) { _ in result(run) } }),
        ("flatMapEither", { future, token, run in future.flatMapEither(on: .main, token: token) { _ in after(run) } }),
        ("tryMap", { future, token, run in future.tryMap(on: .main, token: token) { _ in run() } }),
        ("tryFlatMap", { future, token, run in future.tryFlatMap(on: .main, token: token) { _ in after(run) } }),
        ("tryMapResult", { future, token, run in future.tryMapResult(on: .main, token: token) { _ in outcome(run) } }),
        (
          "tryFlatMapResult",
          { future, token, run in future.tryFlatMapResult(on: .main, token: token) { _ in after(run) } }
        ),
        ("mapOrCancel", { future, token, run in future.mapOrCancel(on: .main, token: token) { _ in run() } }),
        (
          "flatMapOrCancel",
          { future, token, run in future.flatMapOrCancel(on: .main, token: token) { _ in after(run) } }
        ),
        ("additionally", { future, token, run in future.additionally(on: .main, token: token) { _ in run() } }),
        (
          "additionally(async:)",
          { future, token, run in future.additionally(on: .main, token: token, async: { _ in after(run) }) }
        ),
      ])
  }

  @Test("transformations of errors run on the main queue, unless silenced")
  func errors() async {
    @Sendable func value(_ run: () -> Void) -> Int {
      run()
      return 2
    }
    @Sendable func after(_ run: () -> Void) -> Subject { Subject(fulfilled: value(run)) }
    @Sendable func error(_ run: () -> Void) -> TestError { TestError(value(run)) }
    await check(
      .rejected(TestError(2)),
      [
        ("replaceError", { future, token, run in future.replaceError(on: .main, token: token) { _ in value(run) } }),
        ("mapError", { future, token, run in future.mapError(on: .main, token: token) { _ in error(run) } }),
        ("flatMapError", { future, token, run in future.flatMapError(on: .main, token: token) { _ in after(run) } }),
        (
          "tryReplaceError",
          { future, token, run in future.tryReplaceError(on: .main, token: token) { _ in value(run) } }
        ),
        ("tryMapError", { future, token, run in future.tryMapError(on: .main, token: token) { _ in error(run) } }),
        (
          "tryFlatMapError",
          { future, token, run in future.tryFlatMapError(on: .main, token: token) { _ in after(run) } }
        ),
        ("recover", { future, token, run in future.recover(on: .main, token: token) { _ in value(run) } }),
        ("recover(with:)", { future, token, run in future.recover(on: .main, token: token, with: value(run)) }),
      ])
  }

  @Test("bodies and handlers of requests run on the main queue")
  func bodies() async {
    let log = Recorder<String>()
    let kept = Recorder<Resolver<Int, TestError>>()
    @Sendable func record(_ name: String) { log.record("\(name): \(isOnMainQueue())") }
    let made = Subject(on: .main) { resolver in
      record("body")
      kept.record(resolver)
      resolver.onCancelRequest(on: .main) { _ in record("request") }
    }
    let throwing = ThrowingFuture<Int>(on: .main) { _ in
      record("throwing body")
      throw OtherError()
    }
    let delayed = DelayedFuture<Int, TestError>(on: .main) { resolver in
      record("delayed body")
      kept.record(resolver)
    }
    let shared = delayed.future.propagatingCancellation(on: .main) { _ in record("propagating") }
    start(on: .main) { record("work") }
    await mainQueueDrained()
    made.requestCancel()
    shared.requestCancel()
    await mainQueueDrained()
    #expect(
      Set(log.events) == [
        "body: true", "throwing body: true", "delayed body: true", "work: true", "request: true", "propagating: true",
      ])
    #expect(log.count == 6 && throwing.error is OtherError)
  }

  @Test("callbacks of values alone run on the main queue")
  func successOnly() async {
    let log = Recorder<Bool>()
    let (future, resolver) = Subject.makeWithResolver()
    let values = future.successOnly()
    let mapped = values.map(on: .main) { value in
      log.record(isOnMainQueue())
      return value + 1
    }
    values.onSuccess(on: .main) { _ in log.record(isOnMainQueue()) }
    resolver.fulfill(1)
    await mainQueueDrained()
    #expect(log.events == [true, true] && mapped.value == 2)
  }
}
