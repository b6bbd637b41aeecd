import Promises
import PromisesTestSupport
import Testing

/// Calls each form of each operator of `TokenFuture`, because each form is a function of its own. Checks that the
/// callback has the future's token and runs in the context that is passed, and that the derived futures of all forms
/// end alike.
@Suite("Futures with a token: the forms")
struct BoundFormTests {
  typealias Subject = Future<Int, TestError>
  typealias Bound = TokenFuture<Int, TestError>
  typealias Run = @Sendable () -> Void

  /// The three forms of an operator. Each attaches a callback that calls the closure, and returns the derived future.
  struct Forms {
    let name: String
    let inline: (Bound, @escaping Run) -> Any
    let inContext: (Bound, PromiseContext, @escaping Run) -> Any
    let onMain: (Bound, @escaping Run) -> Any

    init(
      _ name: String, _ inline: @escaping (Bound, @escaping Run) -> Any,
      _ inContext: @escaping (Bound, PromiseContext, @escaping Run) -> Any,
      _ onMain: @escaping (Bound, @escaping Run) -> Any
    ) {
      (self.name, self.inline, self.inContext, self.onMain) = (name, inline, inContext, onMain)
    }
  }

  private func check(_ outcome: FutureResult<Int, TestError>, _ operators: [Forms]) async {
    for forms in operators {
      for isSilenced in [false, true] {
        let (future, resolver) = Subject.makeWithResolver()
        let token = InvalidationToken()
        let executor = ManualExecutor()
        let log = Recorder<String>()
        let bound = future.withToken(token)
        let derived = [
          forms.inline(bound) { log.record("inline") },
          forms.inContext(bound, executor.here) { log.record("in context: \(executor.isRunning)") },
          forms.onMain(bound) { log.record("on main: \(isOnMainQueue())") },
        ]
        if isSilenced { token.invalidate() }
        resolver.resolve(outcome)
        executor.runAll()
        await mainQueueDrained()
        let all = ["in context: true", "inline", "on main: true"]
        #expect(log.events.sorted() == (isSilenced ? [] : all), "\(forms.name), silenced: \(isSilenced)")
        let endings = Set(derived.map { ($0 as? any Ended)?.ending ?? "no future" })
        #expect(
          endings.count == 1 && endings.isDisjoint(with: ["pending", "no future"]),
          "\(forms.name), silenced: \(isSilenced): \(endings)")
      }
    }
  }

  private static func value(_ run: Run) -> Int {
    run()
    return 2
  }
  private static func after(_ run: Run) -> Subject { Subject(fulfilled: value(run)) }
  private static func error(_ run: Run) -> TestError { TestError(value(run)) }
  private static func outcome(_ run: Run) -> FutureResult<Int, TestError> { .fulfilled(value(run)) }

  @Test("T81: observers run in the context that is passed, unless their token is invalidated")
  func observers() async {
    await check(
      .fulfilled(1),
      [
        Forms(
          "onSuccess", { bound, run in bound.onSuccess { _ in run() } },
          { bound, context, run in bound.onSuccess(on: context) { _ in run() } },
          { bound, run in bound.onSuccess(on: .main) { _ in run() } }),
        Forms(
          "onComplete", { bound, run in bound.onComplete { _ in run() } },
          { bound, context, run in bound.onComplete(on: context) { _ in run() } },
          { bound, run in bound.onComplete(on: .main) { _ in run() } }),
        Forms(
          "tap", { bound, run in bound.tap { _ in run() } },
          { bound, context, run in bound.tap(on: context) { _ in run() } },
          { bound, run in bound.tap(on: .main) { _ in run() } }),
        Forms(
          "tryOnSuccess", { bound, run in bound.tryOnSuccess { _ in run() } },
          { bound, context, run in bound.tryOnSuccess(on: context) { _ in run() } },
          { bound, run in bound.tryOnSuccess(on: .main) { _ in run() } }),
      ])
    await check(
      .rejected(TestError(1)),
      [
        Forms(
          "onError", { bound, run in bound.onError { _ in run() } },
          { bound, context, run in bound.onError(on: context) { _ in run() } },
          { bound, run in bound.onError(on: .main) { _ in run() } })
      ])
    await check(
      .cancelled(nil),
      [
        Forms(
          "onCancel", { bound, run in bound.onCancel { _ in run() } },
          { bound, context, run in bound.onCancel(on: context) { _ in run() } },
          { bound, run in bound.onCancel(on: .main) { _ in run() } }),
        Forms(
          "onCancel without argument", { bound, run in bound.onCancel { run() } },
          { bound, context, run in bound.onCancel(on: context) { run() } },
          { bound, run in bound.onCancel(on: .main) { run() } }),
      ])
  }

  @Test("T81: transformations of values run in the context that is passed, unless their token is invalidated")
  func values() async {
    await check(
      .fulfilled(1),
      [
        Forms(
          "map", { bound, run in bound.map { _ in run() } },
          { bound, context, run in bound.map(on: context) { _ in run() } },
          { bound, run in bound.map(on: .main) { _ in run() } }),
        Forms(
          "flatMap", { bound, run in bound.flatMap { _ in Self.after(run) } },
          { bound, context, run in bound.flatMap(on: context) { _ in Self.after(run) } },
          { bound, run in bound.flatMap(on: .main) { _ in Self.after(run) } }),
        Forms(
          "mapResult", { bound, run in bound.mapResult { _ in Self.outcome(run) } },
          { bound, context, run in bound.mapResult(on: context) { _ in Self.outcome(run) } },
          { bound, run in bound.mapResult(on: .main) { _ in Self.outcome(run) } }),
        Forms(
          "flatMapResult", { bound, run in bound.flatMapResult { _ in Self.after(run) } },
          { bound, context, run in bound.flatMapResult(on: context) { _ in Self.after(run) } },
          { bound, run in bound.flatMapResult(on: .main) { _ in Self.after(run) } }),
        Forms(
          "tryMap", { bound, run in bound.tryMap { _ in run() } },
          { bound, context, run in bound.tryMap(on: context) { _ in run() } },
          { bound, run in bound.tryMap(on: .main) { _ in run() } }),
        Forms(
          "tryFlatMap", { bound, run in bound.tryFlatMap { _ in Self.after(run) } },
          { bound, context, run in bound.tryFlatMap(on: context) { _ in Self.after(run) } },
          { bound, run in bound.tryFlatMap(on: .main) { _ in Self.after(run) } }),
        Forms(
          "tryMapResult", { bound, run in bound.tryMapResult { _ in Self.outcome(run) } },
          { bound, context, run in bound.tryMapResult(on: context) { _ in Self.outcome(run) } },
          { bound, run in bound.tryMapResult(on: .main) { _ in Self.outcome(run) } }),
        Forms(
          "tryFlatMapResult", { bound, run in bound.tryFlatMapResult { _ in Self.after(run) } },
          { bound, context, run in bound.tryFlatMapResult(on: context) { _ in Self.after(run) } },
          { bound, run in bound.tryFlatMapResult(on: .main) { _ in Self.after(run) } }),
      ])
  }

  @Test("T81: transformations of errors run in the context that is passed, unless their token is invalidated")
  func errors() async {
    await check(
      .rejected(TestError(1)),
      [
        Forms(
          "mapError", { bound, run in bound.mapError { _ in Self.error(run) } },
          { bound, context, run in bound.mapError(on: context) { _ in Self.error(run) } },
          { bound, run in bound.mapError(on: .main) { _ in Self.error(run) } }),
        Forms(
          "flatMapError", { bound, run in bound.flatMapError { _ in Self.after(run) } },
          { bound, context, run in bound.flatMapError(on: context) { _ in Self.after(run) } },
          { bound, run in bound.flatMapError(on: .main) { _ in Self.after(run) } }),
        Forms(
          "replaceError", { bound, run in bound.replaceError { _ in Self.value(run) } },
          { bound, context, run in bound.replaceError(on: context) { _ in Self.value(run) } },
          { bound, run in bound.replaceError(on: .main) { _ in Self.value(run) } }),
        Forms(
          "tryMapError", { bound, run in bound.tryMapError { _ in Self.error(run) } },
          { bound, context, run in bound.tryMapError(on: context) { _ in Self.error(run) } },
          { bound, run in bound.tryMapError(on: .main) { _ in Self.error(run) } }),
        Forms(
          "tryFlatMapError", { bound, run in bound.tryFlatMapError { _ in Self.after(run) } },
          { bound, context, run in bound.tryFlatMapError(on: context) { _ in Self.after(run) } },
          { bound, run in bound.tryFlatMapError(on: .main) { _ in Self.after(run) } }),
        Forms(
          "tryReplaceError", { bound, run in bound.tryReplaceError { _ in Self.value(run) } },
          { bound, context, run in bound.tryReplaceError(on: context) { _ in Self.value(run) } },
          { bound, run in bound.tryReplaceError(on: .main) { _ in Self.value(run) } }),
      ])
  }
}

/// A future of any type with a token.
protocol Ended { var ending: String { get } }

extension TokenFuture: Ended {
  var ending: String { inner.result.map { "\($0)" } ?? "pending" }
}
