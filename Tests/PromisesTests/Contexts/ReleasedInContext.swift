import Promises
import PromisesTestSupport
import Testing

private typealias IntFuture = Future<Int, TestError>

/// Attaches a callback that holds an object.
private typealias Attach = @Sendable (_ context: PromiseContext, _ held: () -> Sentinel) -> Void

/// Calls each form with a context, because each is a function of its own. ``ReleasedOnMain`` calls those on the main
/// actor.
@Suite("Callbacks in a context are released where they ran")
struct ReleasedInContext {
  @Test(
    "T36: a callback is released in its context, though the attaching call is still in progress",
    arguments: forms.indices)
  func everyForm(form: Int) {
    let (name, attach) = Self.forms[form]
    let log = Recorder<UInt>()
    attach(.executor(ThreadExecutor())) { Sentinel { log.record(currentThread()) } }
    #expect(log.count == 1, "\(name): released when the call returns")
    #expect(log.events != [currentThread()], "\(name): not by the attaching thread")
  }

  private static let forms = observing + mapping + throwing + bound + boundThrowing + others + promises

  private static var fulfilled: IntFuture { Future(fulfilled: 1) }
  private static var failed: IntFuture { Future(rejected: TestError(1)) }
  private static var cancelled: IntFuture { Future(with: .cancelled) }
  private static var promise: Promise<Int> { .resolve(1) }
  private static var rejected: Promise<Int> { .reject(TestError(1)) }

  private static let observing: [(String, Attach)] = [
    ("onSuccess", { fulfilled.onSuccess(on: $0) { [held = $1()] _ in held.touch() } }),
    ("onError", { failed.onError(on: $0) { [held = $1()] _ in held.touch() } }),
    ("onError(of:)", { failed.onError(of: TestError.self, on: $0) { [held = $1()] _ in held.touch() } }),
    ("onComplete", { fulfilled.onComplete(on: $0) { [held = $1()] _ in held.touch() } }),
    ("onEither", { fulfilled.onEither(on: $0) { [held = $1()] _ in held.touch() } }),
    ("onCancel", { cancelled.onCancel(on: $0, $1().callback(of: (any Error)?.self)) }),
    ("onCancel ignoring the error", { cancelled.onCancel(on: $0, $1().action()) }),
    ("tap", { fulfilled.tap(on: $0) { [held = $1()] _ in held.touch() } }),
    ("catch", { failed.catch(on: $0, $1().callback()) }),
    ("always", { fulfilled.always(on: $0, $1().action()) }),
    ("whenResolved", { fulfilled.whenResolved(on: $0) { [held = $1()] _ in held.touch() } }),
    ("whenFulfilled", { fulfilled.whenFulfilled(on: $0) { [held = $1()] _ in held.touch() } }),
    ("whenRejected", { failed.whenRejected(on: $0) { [held = $1()] _ in held.touch() } }),
    ("whenCancelled", { cancelled.whenCancelled(on: $0, $1().callback()) }),
    ("whenAnyError", { failed.whenAnyError(on: $0, $1().callback()) }),
    ("onSuccess with a token", { fulfilled.onSuccess(on: $0, token: token) { [held = $1()] _ in held.touch() } }),
    (
      "onSuccess of a success-only future",
      { fulfilled.successOnly().onSuccess(on: $0) { [held = $1()] _ in held.touch() } }
    ),
  ]

  private static let mapping: [(String, Attach)] = [
    ("map", { _ = fulfilled.map(on: $0) { [held = $1()] _ in held.touch() } }),
    ("flatMap", { _ = fulfilled.flatMap(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }),
    ("mapError", { _ = failed.mapError(on: $0) { [held = $1()] _ in held.touch() } }),
    ("flatMapError", { _ = failed.flatMapError(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }),
    ("mapResult", { _ = fulfilled.mapResult(on: $0) { [held = $1()] result in held.same(result) } }),
    ("flatMapResult", { _ = fulfilled.flatMapResult(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }),
    ("replaceError", { _ = failed.replaceError(on: $0) { [held = $1()] _ in held.same(2) } }),
    ("recover", { _ = failed.recover(on: $0) { [held = $1()] _ in held.same(2) } }),
    ("mapOrCancel", { _ = fulfilled.mapOrCancel(on: $0) { [held = $1()] _ in held.touch() } }),
    ("flatMapOrCancel", { _ = fulfilled.flatMapOrCancel(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }),
    ("mapEither", { _ = fulfilled.mapEither(on: $0) { [held = $1()] result in held.same(result) } }),
    ("flatMapEither", { _ = fulfilled.flatMapEither(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }),
    ("additionally", { _ = fulfilled.additionally(on: $0) { [held = $1()] _ in held.touch() } }),
    (
      "additionally(async:)",
      { _ = fulfilled.additionally(on: $0, async: { [held = $1()] _ -> IntFuture in held.follow() }) }
    ),
    (
      "map of a success-only future",
      { _ = fulfilled.successOnly().map(on: $0) { [held = $1()] value in held.same(value) } }
    ),
  ]

  private static let throwing: [(String, Attach)] = [
    ("tryOnSuccess", { fulfilled.tryOnSuccess(on: $0) { [held = $1()] _ in held.touch() } }),
    ("tryMap", { _ = fulfilled.tryMap(on: $0) { [held = $1()] _ in held.touch() } }),
    ("tryFlatMap", { _ = fulfilled.tryFlatMap(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }),
    ("tryReplaceError", { _ = failed.tryReplaceError(on: $0) { [held = $1()] _ in held.same(2) } }),
    ("tryMapError", { _ = failed.tryMapError(on: $0) { [held = $1()] error in held.same(error) } }),
    ("tryFlatMapError", { _ = failed.tryFlatMapError(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }),
    ("tryMapResult", { _ = fulfilled.tryMapResult(on: $0) { [held = $1()] result in held.same(result) } }),
    ("tryFlatMapResult", { _ = fulfilled.tryFlatMapResult(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }),
  ]

  private static var token: InvalidationToken { InvalidationToken() }
  private static var boundFulfilled: TokenFuture<Int, TestError> { fulfilled.withToken(token) }
  private static var boundFailed: TokenFuture<Int, TestError> { failed.withToken(token) }
  private static var boundCancelled: TokenFuture<Int, TestError> { cancelled.withToken(token) }

  private static let bound: [(String, Attach)] = [
    ("bound onSuccess", { boundFulfilled.onSuccess(on: $0) { [held = $1()] _ in held.touch() } }),
    ("bound onError", { boundFailed.onError(on: $0) { [held = $1()] _ in held.touch() } }),
    ("bound onComplete", { boundFulfilled.onComplete(on: $0) { [held = $1()] _ in held.touch() } }),
    ("bound onCancel", { boundCancelled.onCancel(on: $0, $1().callback(of: (any Error)?.self)) }),
    ("bound onCancel ignoring the error", { boundCancelled.onCancel(on: $0, $1().action()) }),
    ("bound tap", { boundFulfilled.tap(on: $0) { [held = $1()] _ in held.touch() } }),
    ("bound map", { _ = boundFulfilled.map(on: $0) { [held = $1()] _ in held.touch() } }),
    ("bound flatMap", { _ = boundFulfilled.flatMap(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }),
    ("bound mapError", { _ = boundFailed.mapError(on: $0) { [held = $1()] error in held.same(error) } }),
    ("bound flatMapError", { _ = boundFailed.flatMapError(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }),
    ("bound mapResult", { _ = boundFulfilled.mapResult(on: $0) { [held = $1()] result in held.same(result) } }),
    (
      "bound flatMapResult",
      { _ = boundFulfilled.flatMapResult(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }
    ),
    ("bound replaceError", { _ = boundFailed.replaceError(on: $0) { [held = $1()] _ in held.same(2) } }),
  ]

  private static let boundThrowing: [(String, Attach)] = [
    ("bound tryOnSuccess", { boundFulfilled.tryOnSuccess(on: $0) { [held = $1()] _ in held.touch() } }),
    ("bound tryMap", { _ = boundFulfilled.tryMap(on: $0) { [held = $1()] _ in held.touch() } }),
    ("bound tryFlatMap", { _ = boundFulfilled.tryFlatMap(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }),
    ("bound tryReplaceError", { _ = boundFailed.tryReplaceError(on: $0) { [held = $1()] _ in held.same(2) } }),
    ("bound tryMapError", { _ = boundFailed.tryMapError(on: $0) { [held = $1()] error in held.same(error) } }),
    (
      "bound tryFlatMapError",
      { _ = boundFailed.tryFlatMapError(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }
    ),
    ("bound tryMapResult", { _ = boundFulfilled.tryMapResult(on: $0) { [held = $1()] result in held.same(result) } }),
    (
      "bound tryFlatMapResult",
      { _ = boundFulfilled.tryFlatMapResult(on: $0) { [held = $1()] _ -> IntFuture in held.follow() } }
    ),
  ]

  private static let others: [(String, Attach)] = [
    ("a future's work", { _ = IntFuture(on: $0) { [held = $1()] in $0.fulfill(held.same(1)) } }),
    (
      "a future's throwing work",
      {
        _ = Future<Int, any Error>(on: $0) { [held = $1()] in
          held.touch()
          throw TestError($0.isCancelRequested ? 1 : 2)
        }
      }
    ),
    (
      "a delayed future's work",
      { _ = DelayedFuture<Int, TestError>(on: $0) { [held = $1()] in $0.fulfill(held.same(1)) }.future }
    ),
    ("start", { start(on: $0, executing: $1().action()) }),
    (
      "onCancelRequest",
      {
        let (future, resolver) = IntFuture.makeWithResolver()
        resolver.onCancelRequest(on: $0) { [held = $1()] in held.same($0).cancel() }
        future.requestCancel()
      }
    ),
    (
      "onCancelRequest after a request",
      {
        let (future, resolver) = IntFuture.makeWithResolver()
        future.requestCancel()
        resolver.onCancelRequest(on: $0) { [held = $1()] in held.same($0).cancel() }
      }
    ),
    (
      "propagatingCancellation",
      {
        let (future, resolver) = IntFuture.makeWithResolver()
        future.propagatingCancellation(on: $0) { [held = $1()] _ in held.touch() }.requestCancel()
        resolver.fulfill(1)
      }
    ),
  ]

  private static let promises: [(String, Attach)] = [
    ("then", { promise.then(on: $0, { [held = $1()] _ in held.touch() }, nil) }),
    ("then for a rejection", { rejected.then(on: $0, nil, $1().callback()) }),
    ("then with a result", { _ = promise.then(on: $0) { [held = $1()] _ in held.same(1) } }),
    ("then(async:)", { _ = promise.then(on: $0, async: { [held = $1()] in held.same(Promise<Int>.resolve($0)) }) }),
    (
      "then(result:)",
      { _ = promise.then(on: $0, result: { [held = $1()] in held.same(Result<Int, TestError>.success($0)) }) }
    ),
    ("rescue", { rejected.rescue(on: $0) { [held = $1()] (_: TestError) in held.touch() } }),
    ("rescue with a result", { _ = rejected.rescue(on: $0) { [held = $1()] (_: TestError) in held.same(1) } }),
    (
      "rescue with a promise",
      { _ = rejected.rescue(on: $0) { [held = $1()] (_: TestError) -> Promise<Int> in held.same(.resolve(1)) } }
    ),
    (
      "rescue(async:)",
      { _ = rejected.rescue(on: $0, async: { [held = $1()] (_: TestError) in held.same(Promise<Int>.resolve(1)) }) }
    ),
    ("anyway", { _ = promise.anyway(on: $0) { [held = $1()] _ in held.same(1) } }),
    (
      "anyway(async:)",
      { _ = promise.anyway(on: $0, async: { [held = $1()] _ in held.same(Promise<Int>.resolve(1)) }) }
    ),
    ("a promise's block", { _ = Promise<Int>(on: $0) { [held = $1()] resolve, _ in resolve(held.same(1)) } }),
  ]
}

extension Sentinel {
  fileprivate func same<Value>(_ value: Value) -> Value { value }
  fileprivate func follow() -> IntFuture { Future(fulfilled: 1) }

  // If no type of the closure is generic, a debug build would hold the capture list's object until the call returns.
  fileprivate func callback<Argument>(of: Argument.Type = Argument.self) -> @Sendable (Argument) -> Void {
    { _ in self.touch() }
  }
  fileprivate func action() -> @Sendable () -> Void { { self.touch() } }
}
