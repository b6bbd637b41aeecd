import Foundation
import Promises
import PromisesTestSupport
import Testing

private typealias IntFuture = Future<Int, TestError>

/// A call with `on: .main` whose callback holds an object.
private struct Form: Sendable {
  let name: String
  let attach: @Sendable (_ held: () -> Sentinel) -> Void

  init(_ name: String, _ attach: @escaping @Sendable (_ held: () -> Sentinel) -> Void) {
    self.name = name
    self.attach = attach
  }
}

@Suite("Callbacks on the main actor are released where they ran")
struct ReleasedOnMain {
  @Test("T36: every form with on: .main releases its callback where it ran, though the attaching call is in progress")
  func everyForm() async {
    // Run in a process of its own: the substitute for the main queue applies to the whole process.
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      PromiseContext.useMainExecutor(ThreadExecutor())
      for form in Form.all {
        let log = Recorder<UInt>()
        form.attach { Sentinel { log.record(currentThread()) } }
        let fault = log.count != 1 ? "too late" : log.events == [currentThread()] ? "by the attaching thread" : nil
        if let fault { FileHandle.standardError.write(Data("wrong: \(form.name): released \(fault)\n".utf8)) }
      }
    }
    let report = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(report.split(separator: "\n").filter { $0.hasPrefix("wrong: ") } == [])
  }

  // Streams are left out: a subscriber releases its callback on the thread that releases the subscriber.
  @Test("T36: every form releases all of 200 callbacks on the main queue, though another thread attaches them")
  func onTheMainQueue() async {
    let released = Recorder<Void>()
    let elsewhere = Recorder<String>()
    for form in Form.once {
      onThread {
        for _ in 0..<200 {
          form.attach {
            Sentinel {
              if !isOnMainQueue() { elsewhere.record(form.name) }
              released.record(())
            }
          }
        }
      }
      while released.count % 200 != 0 { await mainQueueDrained() }
      await mainQueueDrained()
    }
    #expect(released.count == 200 * Form.once.count)
    #expect(Set(elsewhere.events) == [])
  }
}

extension Form {
  /// The forms whose callbacks run once.
  static let once = observing + mapping + throwing + bound + others + promises
  static let all = once + streams

  private static var fulfilled: IntFuture { Future(fulfilled: 1) }
  private static var failed: IntFuture { Future(rejected: TestError(1)) }
  private static var cancelled: IntFuture { Future(with: .cancelled) }
  private static var promise: Promise<Int> { .resolve(1) }
  private static var rejected: Promise<Int> { .reject(TestError(1)) }

  private static let observing = [
    Form("onSuccess") { fulfilled.onSuccess(on: .main) { [held = $0()] _ in held.touch() } },
    Form("onError") { failed.onError(on: .main) { [held = $0()] _ in held.touch() } },
    Form("onError(of:)") { failed.onError(of: TestError.self, on: .main) { [held = $0()] _ in held.touch() } },
    Form("onComplete") { fulfilled.onComplete(on: .main) { [held = $0()] _ in held.touch() } },
    Form("onEither") { fulfilled.onEither(on: .main) { [held = $0()] _ in held.touch() } },
    Form("onCancel") { cancelled.onCancel(on: .main, $0().callback(of: (any Error)?.self)) },
    Form("onCancel ignoring the error") { cancelled.onCancel(on: .main, $0().action()) },
    Form("tap") { fulfilled.tap(on: .main) { [held = $0()] _ in held.touch() } },
    Form("catch") { failed.catch(on: .main, $0().callback()) },
    Form("always") { fulfilled.always(on: .main, $0().action()) },
    Form("whenResolved") { fulfilled.whenResolved(on: .main) { [held = $0()] _ in held.touch() } },
    Form("whenFulfilled") { fulfilled.whenFulfilled(on: .main) { [held = $0()] _ in held.touch() } },
    Form("whenRejected") { failed.whenRejected(on: .main) { [held = $0()] _ in held.touch() } },
    Form("whenCancelled") { cancelled.whenCancelled(on: .main, $0().callback()) },
    Form("whenAnyError") { failed.whenAnyError(on: .main, $0().callback()) },
    Form("onSuccess of a success-only future") {
      fulfilled.successOnly().onSuccess(on: .main) { [held = $0()] _ in held.touch() }
    },
  ]

  private static let mapping = [
    Form("map") { _ = fulfilled.map(on: .main) { [held = $0()] _ in held.touch() } },
    Form("flatMap") { _ = fulfilled.flatMap(on: .main) { [held = $0()] in held.same(IntFuture(fulfilled: $0)) } },
    Form("mapError") { _ = failed.mapError(on: .main) { [held = $0()] in held.same($0) } },
    Form("flatMapError") { _ = failed.flatMapError(on: .main) { [held = $0()] in held.same(IntFuture(rejected: $0)) } },
    Form("mapResult") { _ = fulfilled.mapResult(on: .main) { [held = $0()] in held.same($0) } },
    Form("flatMapResult") {
      _ = fulfilled.flatMapResult(on: .main) { [held = $0()] in held.same(IntFuture(with: $0)) }
    },
    Form("replaceError") { _ = failed.replaceError(on: .main) { [held = $0()] _ in held.same(2) } },
    Form("recover") { _ = failed.recover(on: .main) { [held = $0()] _ in held.same(2) } },
    Form("mapOrCancel") { _ = fulfilled.mapOrCancel(on: .main) { [held = $0()] _ in held.touch() } },
    Form("flatMapOrCancel") {
      _ = fulfilled.flatMapOrCancel(on: .main) { [held = $0()] in held.same(IntFuture(fulfilled: $0)) }
    },
    Form("mapEither") { _ = fulfilled.mapEither(on: .main) { [held = $0()] in held.same($0) } },
    Form("flatMapEither") {
      _ = fulfilled.flatMapEither(on: .main) { [held = $0()] _ in held.same(IntFuture(fulfilled: 1)) }
    },
    Form("additionally") { _ = fulfilled.additionally(on: .main) { [held = $0()] in held.same($0) } },
    Form("additionally(async:)") {
      _ = fulfilled.additionally(on: .main, async: { [held = $0()] in held.same(IntFuture(fulfilled: $0)) })
    },
    Form("map of a success-only future") {
      _ = fulfilled.successOnly().map(on: .main) { [held = $0()] in held.same($0) }
    },
  ]

  private static let throwing = [
    Form("tryOnSuccess") { fulfilled.tryOnSuccess(on: .main) { [held = $0()] _ in held.touch() } },
    Form("tryMap") { _ = fulfilled.tryMap(on: .main) { [held = $0()] _ in held.touch() } },
    Form("tryFlatMap") { _ = fulfilled.tryFlatMap(on: .main) { [held = $0()] in held.same(IntFuture(fulfilled: $0)) } },
    Form("tryReplaceError") { _ = failed.tryReplaceError(on: .main) { [held = $0()] _ in held.same(2) } },
    Form("tryMapError") { _ = failed.tryMapError(on: .main) { [held = $0()] in held.same($0) } },
    Form("tryFlatMapError") {
      _ = failed.tryFlatMapError(on: .main) { [held = $0()] in held.same(IntFuture(rejected: $0)) }
    },
    Form("tryMapResult") { _ = fulfilled.tryMapResult(on: .main) { [held = $0()] in held.same($0) } },
    Form("tryFlatMapResult") {
      _ = fulfilled.tryFlatMapResult(on: .main) { [held = $0()] in held.same(IntFuture(with: $0)) }
    },
  ]

  private static var token: InvalidationToken { InvalidationToken() }
  private static var boundFulfilled: TokenFuture<Int, TestError> { fulfilled.withToken(token) }
  private static var boundFailed: TokenFuture<Int, TestError> { failed.withToken(token) }

  private static let bound = [
    Form("onSuccess with a token") { fulfilled.onSuccess(on: .main, token: token) { [held = $0()] _ in held.touch() } },
    Form("map with a token") { _ = fulfilled.map(on: .main, token: token) { [held = $0()] _ in held.touch() } },
    Form("bound onSuccess") { boundFulfilled.onSuccess(on: .main) { [held = $0()] _ in held.touch() } },
    Form("bound onError") { boundFailed.onError(on: .main) { [held = $0()] _ in held.touch() } },
    Form("bound onComplete") { boundFulfilled.onComplete(on: .main) { [held = $0()] _ in held.touch() } },
    Form("bound onCancel") {
      cancelled.withToken(token).onCancel(on: .main, $0().callback(of: (any Error)?.self))
    },
    Form("bound tap") { boundFulfilled.tap(on: .main) { [held = $0()] _ in held.touch() } },
    Form("bound map") { _ = boundFulfilled.map(on: .main) { [held = $0()] in held.same($0) } },
    Form("bound flatMap") {
      _ = boundFulfilled.flatMap(on: .main) { [held = $0()] in held.same(IntFuture(fulfilled: $0)) }
    },
    Form("bound mapError") { _ = boundFailed.mapError(on: .main) { [held = $0()] in held.same($0) } },
    Form("bound mapResult") { _ = boundFulfilled.mapResult(on: .main) { [held = $0()] in held.same($0) } },
    Form("bound replaceError") { _ = boundFailed.replaceError(on: .main) { [held = $0()] _ in held.same(2) } },
    Form("bound tryMap") { _ = boundFulfilled.tryMap(on: .main) { [held = $0()] _ in held.touch() } },
    Form("bound tryMapResult") { _ = boundFulfilled.tryMapResult(on: .main) { [held = $0()] in held.same($0) } },
  ]

  private static let others = [
    Form("a future's work") { _ = IntFuture(on: .main) { [held = $0()] in $0.fulfill(held.same(1)) } },
    Form("a future's throwing work") {
      _ = Future<Int, any Error>(on: .main) { [held = $0()] in
        held.touch()
        throw TestError($0.isCancelRequested ? 1 : 2)
      }
    },
    Form("a delayed future's work") {
      _ = DelayedFuture<Int, TestError>(on: .main) { [held = $0()] in $0.fulfill(held.same(1)) }.future
    },
    Form("start") { start(on: .main, executing: $0().action()) },
    Form("onCancelRequest") {
      let (future, resolver) = IntFuture.makeWithResolver()
      resolver.onCancelRequest(on: .main) { [held = $0()] in held.same($0).cancel() }
      future.requestCancel()
    },
    Form("propagatingCancellation") {
      let (future, resolver) = IntFuture.makeWithResolver()
      future.propagatingCancellation(on: .main) { [held = $0()] _ in held.touch() }.requestCancel()
      resolver.fulfill(1)
    },
  ]

  private static let promises = [
    Form("then") { promise.then(on: .main, { [held = $0()] _ in held.touch() }, nil) },
    Form("then for a rejection") { rejected.then(on: .main, nil, $0().callback()) },
    Form("then with a result") { _ = promise.then(on: .main) { [held = $0()] in held.same($0) } },
    Form("then(async:)") {
      _ = promise.then(on: .main, async: { [held = $0()] in held.same(Promise<Int>.resolve($0)) })
    },
    Form("then(result:)") {
      _ = promise.then(on: .main, result: { [held = $0()] in held.same(Result<Int, TestError>.success($0)) })
    },
    Form("rescue") { rejected.rescue(on: .main) { [held = $0()] (_: TestError) in held.touch() } },
    Form("rescue with a result") { _ = rejected.rescue(on: .main) { [held = $0()] (_: TestError) in held.same(1) } },
    Form("rescue(async:)") {
      _ = rejected.rescue(on: .main, async: { [held = $0()] (_: TestError) in held.same(Promise<Int>.resolve(1)) })
    },
    Form("anyway") { _ = promise.anyway(on: .main) { [held = $0()] _ in held.same(1) } },
    Form("anyway(async:)") {
      _ = promise.anyway(on: .main, async: { [held = $0()] _ in held.same(Promise<Int>.resolve(1)) })
    },
    Form("a promise's throwing body") { _ = Promise<Int> { [held = $0()] in held.same(1) } },
    Form("a promise's block") { _ = Promise<Int>(on: .main) { [held = $0()] resolve, _ in resolve(held.same(1)) } },
  ]

  /// A subscriber keeps its callback, so only the end of the stream releases it in its context.
  private static let streams = [
    Form("subscribe") { held in
      ending { $0.subscribe(on: .main) { [held = held()] _ in held.touch() } }
    },
    Form("onNewData") { held in
      ending { $0.onNewData(on: .main) { [held = held()] _ in held.touch() } }
    },
    Form("onCancelled") { held in ending { $0.onCancelled(on: .main, held().action()) } },
    Form("onError of a stream") { held in
      ending { $0.onError(on: .main) { [held = held()] _ in held.touch() } }
    },
    Form("subscribe with demand") { held in
      ending { $0.subscribe(on: .main, demand: 8) { [held = held()] _ in held.touch() } }
    },
  ]

  private static func ending<Kept>(_ subscribe: (Subscriber<Int, TestError>) -> Kept) {
    let publisher = Publisher<Int, TestError>()
    let kept = subscribe(publisher.subscriber())
    publisher.publish(1)
    publisher.cancelAll()
    withExtendedLifetime(kept) {}
  }
}

extension Sentinel {
  fileprivate func same<Value>(_ value: Value) -> Value { value }

  // If no type of the closure is generic, a debug build would hold the capture list's object until the call returns.
  fileprivate func callback<Argument>(of: Argument.Type = Argument.self) -> @MainActor (Argument) -> Void {
    { _ in self.touch() }
  }
  fileprivate func action() -> @MainActor () -> Void { { self.touch() } }
}
