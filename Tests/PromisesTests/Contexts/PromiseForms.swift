import Promises
import PromisesTestSupport
import Testing

/// Calls each form with a context and each form for the main actor, because each is a function of its own.
@Suite("Promise: callbacks in a context and on the main actor")
struct PromiseForms {
  typealias Run = @Sendable () -> Void

  /// The two forms of a method. Each attaches a callback that calls the closure, and returns the derived promise.
  struct Forms {
    let name: String
    let inContext: (Promise<Int>, PromiseContext, @escaping Run) -> Any
    let onMain: (Promise<Int>, @escaping Run) -> Any

    init(
      _ name: String, _ inContext: @escaping (Promise<Int>, PromiseContext, @escaping Run) -> Any,
      _ onMain: @escaping (Promise<Int>, @escaping Run) -> Any
    ) {
      (self.name, self.inContext, self.onMain) = (name, inContext, onMain)
    }
  }

  private func check(_ settle: (Promise<Int>) -> Void, _ methods: [Forms]) async {
    for forms in methods {
      let promise = Promise<Int>()
      let executor = ManualExecutor()
      let log = Recorder<String>()
      let derived = [
        forms.inContext(promise, executor.here) { log.record("in context: \(executor.isRunning)") },
        forms.onMain(promise) { log.record("on main: \(isOnMainQueue())") },
      ]
      settle(promise)
      executor.runAll()
      await mainQueueDrained()
      #expect(log.events.sorted() == ["in context: true", "on main: true"], "\(forms.name)")
      withExtendedLifetime(derived) {}
    }
  }

  private static func after(_ run: Run) -> Promise<Int> {
    run()
    return .resolve(2)
  }

  private static func result(_ run: Run) -> Result<Int, TestError> {
    run()
    return .success(2)
  }

  @Test("handlers of a value run in their context and on the main actor")
  func values() async {
    await check(
      { $0.resolve(1) },
      [
        Forms(
          "then", { $0.then(on: $1, { [run = $2] _ in run() }, nil) },
          { $0.then(on: .main, { [run = $1] _ in run() }, nil) }),
        Forms(
          "then with both handlers", { $0.then(on: $1, { [run = $2] _ in run() }, { _ in }) },
          { $0.then(on: .main, { [run = $1] _ in run() }, { _ in }) }),
        Forms(
          "typed then",
          { promise, context, run in promise.then(on: context) { value -> Int in Self.value(value, run) } },
          { promise, run in promise.then(on: .main) { value -> Int in Self.value(value, run) } }),
        Forms(
          "then(async:)", { promise, context, run in promise.then(on: context, async: { _ in Self.after(run) }) },
          { promise, run in promise.then(on: .main, async: { _ in Self.after(run) }) }),
        Forms(
          "then(result:)", { promise, context, run in promise.then(on: context, result: { _ in Self.result(run) }) },
          { promise, run in promise.then(on: .main, result: { _ in Self.result(run) }) }),
      ] + Self.anyway)
  }

  /// The forms that handle a value and a reason.
  private static var anyway: [Forms] {
    [
      Forms(
        "anyway", { promise, context, run in promise.anyway(on: context) { value -> Int in Self.value(value, run) } },
        { promise, run in promise.anyway(on: .main) { value -> Int in Self.value(value, run) } }),
      Forms(
        "anyway(async:)", { promise, context, run in promise.anyway(on: context, async: { _ in Self.after(run) }) },
        { promise, run in promise.anyway(on: .main, async: { _ in Self.after(run) }) }),
    ]
  }

  private static func value(_ value: Int?, _ run: Run) -> Int {
    run()
    return 2
  }

  @Test(
    "EA12, EA17, EA18: handlers of a reason, also that of a discarded promise, run in their context and on main",
    arguments: [false, true])
  func reasons(isDiscarded: Bool) async {
    await check(
      { promise in if isDiscarded { promise.discard() } else { promise.reject(TestError(1)) } },
      [
        Forms(
          "then", { $0.then(on: $1, nil, { [run = $2] _ in run() }) },
          { $0.then(on: .main, nil, { [run = $1] _ in run() }) }),
        Forms(
          "then with both handlers", { $0.then(on: $1, { _ in }, { [run = $2] _ in run() }) },
          { $0.then(on: .main, { _ in }, { [run = $1] _ in run() }) }),
        Forms(
          "void rescue", { promise, context, run in promise.rescue(on: context) { (_: any Error) in run() } },
          { promise, run in promise.rescue(on: .main) { (_: any Error) in run() } }),
        Forms(
          "typed rescue",
          { promise, context, run in promise.rescue(on: context) { (_: any Error) -> Int in Self.value(nil, run) } },
          { promise, run in promise.rescue(on: .main) { (_: any Error) -> Int in Self.value(nil, run) } }),
        Forms(
          "rescue with a promise",
          { promise, context, run in
            promise.rescue(on: context) { (_: any Error) -> Promise<Int> in Self.after(run) }
          },
          { promise, run in promise.rescue(on: .main) { (_: any Error) -> Promise<Int> in Self.after(run) } }),
        Forms(
          "rescue(async:)",
          { promise, context, run in promise.rescue(on: context, async: { (_: any Error) in Self.after(run) }) },
          { promise, run in promise.rescue(on: .main, async: { (_: any Error) in Self.after(run) }) }),
      ] + Self.anyway)
  }

  @Test("a promise whose block runs in a context, or on the main queue, is discardable")
  func discard() async {
    let executor = ManualExecutor()
    let log = Recorder<String>()
    let there = Promise<Int>(on: executor.here, discard: { log.record("there") }) { _, _ in }
    let main = Promise<Int>(on: .main, discard: { log.record("main") }) { _, _ in }
    there.discard()
    main.discard()
    #expect(log.events == ["there", "main"] && there.state == .rejected && main.state == .rejected)
    executor.runAll()
    await mainQueueDrained()
  }
}
