import Promises
import PromisesTestSupport
import Testing

@Suite("Futures with a token")
struct TokenFutureTests {
  private typealias Subject = Future<Int, TestError>
  private let token = InvalidationToken()

  @Test("T80, T84: futures with a token are equal if their futures and their tokens are")
  func equality() {
    let (future, other) = (Subject(fulfilled: 1), Subject(fulfilled: 1))
    #expect(future.withToken(token) == TokenFuture(future: future, token: token))
    #expect(future.withToken(token) != other.withToken(token))
    #expect(future.withToken(token) != future.withToken(InvalidationToken()))
    #expect(future.withToken(token).inner == future && future.withToken(token).token == token)
    #expect(future.withToken(token).map { $0 }.onSuccess { _ in }.token == token, "everything derived has the token")
  }

  @Test("T81: each operator gives the same result with a token as on the future itself")
  func operations() {
    let value = Subject(fulfilled: 1).withToken(token)
    let error = Subject(rejected: TestError(2)).withToken(token)
    let log = Recorder<String>()
    #expect(value.map { $0 + 1 }.inner.value == 2)
    #expect(value.flatMap { Subject(fulfilled: $0 + 2) }.inner.value == 3)
    #expect(value.mapResult { _ in FutureResult<Int, Never>.fulfilled(5) }.inner.value == 5)
    #expect(value.flatMapResult { _ in Subject(fulfilled: 6) }.inner.value == 6)
    #expect(error.mapError { "\($0)" }.inner.error != nil)
    #expect(error.flatMapError { _ in Subject(fulfilled: 7) }.inner.value == 7)
    #expect(error.replaceError { _ in 8 }.inner.value == 8)
    #expect(value.tryMap { $0 + 8 }.inner.value == 9)
    #expect(value.tryFlatMap { _ -> Subject in throw TestError(1) }.inner.error is TestError)
    #expect(value.tryOnSuccess { _ in throw TestError(1) }.inner.error is TestError)
    #expect(error.tryReplaceError { _ in 10 }.inner.value == 10)
    #expect(error.tryMapError { _ in OtherError() }.inner.error is OtherError)
    #expect(error.tryFlatMapError { _ in Subject(fulfilled: 11) }.inner.value == 11)
    #expect(value.tryMapResult { _ in FutureResult<Int, TestError>.fulfilled(12) }.inner.value == 12)
    #expect(value.tryFlatMapResult { _ in Subject(fulfilled: 13) }.inner.value == 13)
    value.onSuccess { log.record("s\($0)") }.onComplete { _ in log.record("c") }
    error.onError { _ in log.record("e") }.onCancel { _ in log.record("never") }
    value.tap { _ in log.record("t") }.fork { #expect($0 == value) }
    #expect(log.events == ["s1", "c", "e", "t"])
    #expect(value.tap().inner.value == 1 && value.ignoringCancel().inner.value == 1)
    value.fork { _ in log.record("f") }
    #expect(log.events.last == "f")
    #expect(throws: OtherError.self) { try value.fork { _ in throw OtherError() } }
  }

  @Test(
    "T81, defect 3: an invalidated token silences every callback, that of mapError too, and cancels transformations")
  func silenced() {
    let (future, resolver) = Subject.makeWithResolver()
    let bound = future.withToken(token)
    let mapped = bound.mapError { _ -> TestError in
      Issue.record("called")
      return TestError(0)
    }
    let observed = bound.onError { _ in Issue.record("called") }
    token.invalidate()
    resolver.reject(TestError(4))
    #expect(mapped.inner.result?.isCancelled == true)
    #expect(observed.inner.error == TestError(4))
  }

  @Test("T81: in a context, too, observers and transformers are silenced")
  func silencedInContext() {
    let context = PromiseContext.immediate
    func called<T>(_ result: T) -> T {
      Issue.record("called")
      return result
    }
    let (future, resolver) = Subject.makeWithResolver()
    let bound = future.withToken(token)
    let transformed: [() -> Bool?] = [
      isCancelled(bound.map(on: context) { called($0) }),
      isCancelled(bound.flatMap(on: context) { called(Subject(fulfilled: $0)) }),
      isCancelled(bound.mapResult(on: context) { called($0) }),
      isCancelled(bound.flatMapResult(on: context) { called(Subject(with: $0)) }),
      isCancelled(bound.tryMap(on: context) { called($0) }),
      isCancelled(bound.tryFlatMap(on: context) { called(Subject(fulfilled: $0)) }),
      isCancelled(bound.tryMapResult(on: context) { called($0) }),
      isCancelled(bound.tryFlatMapResult(on: context) { called(Subject(with: $0)) }),
    ]
    let observed = bound.onSuccess(on: context) { _ in called(()) }.onComplete(on: context) { _ in called(()) }
      .tap(on: context) { _ in called(()) }.tryOnSuccess(on: context) { _ in called(()) }
    let (failing, failingResolver) = Subject.makeWithResolver()
    let failed = failing.withToken(token)
    let replaced: [() -> Bool?] = [
      isCancelled(failed.mapError(on: context) { called($0) }),
      isCancelled(failed.flatMapError(on: context) { called(Subject(rejected: $0)) }),
      isCancelled(failed.replaceError(on: context) { _ in called(1) }),
      isCancelled(failed.tryMapError(on: context) { called($0) }),
      isCancelled(failed.tryFlatMapError(on: context) { called(Subject(rejected: $0)) }),
      isCancelled(failed.tryReplaceError(on: context) { _ in called(1) }),
    ]
    let seen = failed.onError(on: context) { _ in called(()) }
    token.invalidate()
    resolver.fulfill(1)
    failingResolver.reject(TestError(2))
    #expect(transformed.map { $0() } == Array(repeating: true, count: 8))
    #expect(replaced.map { $0() } == Array(repeating: true, count: 6))
    #expect(observed.inner.value == 1 && seen.inner.error == TestError(2))
  }

  private func isCancelled<V, E>(_ future: TokenFuture<V, E>) -> () -> Bool? {
    { future.inner.result?.isCancelled }
  }

  @Test(
    "T82: invalidation asks the first derived future, and later ones propagate it; tap and ignoringCancel do not"
  )
  func autoCancel() {
    let (future, resolver) = Subject.makeWithResolver()
    var isAsked = false
    resolver.onCancelRequest { _ in isAsked = true }
    var bound: TokenFuture? = future.withToken(token)
    token.invalidate()
    #expect(!isAsked, "nothing was derived")
    let tapped = bound!.tap()
    let ignoring = bound!.ignoringCancel()
    token.invalidate()
    #expect(!isAsked)
    let child = bound!.map { $0 }.map { $0 }
    token.invalidate()
    #expect(!isAsked, "ignoringCancel holds it back, and the future is held")
    bound = nil
    withExtendedLifetime((tapped, ignoring, child, future)) {}
    _ = bound
    // Here only the second derived future has interest in the source, by way of the first derived future.
    func derive() -> (TokenFuture<Int, TestError>, Resolver<Int, TestError>) {
      let (future, resolver) = Subject.makeWithResolver()
      return (future.withToken(token).map { $0 }.map { $0 }, resolver)
    }
    let (derived, other) = derive()
    var isOtherAsked = false
    other.onCancelRequest { _ in isOtherAsked = true }
    token.invalidate()
    #expect(isOtherAsked)
    // Only the first derived future is registered with the token, so the future that the second one follows is not
    // asked.
    let inner = Resolver<Int, TestError>()
    let following = Subject(fulfilled: 1).withToken(token).map { $0 }.flatMap { _ in inner.future }
    token.invalidate()
    #expect(!inner.isCancelRequested)
    withExtendedLifetime((derived, resolver, other, following)) {}
  }

  @Test("T82: invalidation asks the future that any form of a transformation derives first")
  func autoCancelOfEachForm() {
    let context = PromiseContext.immediate
    let forms: [(TokenFuture<Int, TestError>) -> Any] = [
      { $0.map { $0 } }, { $0.map(on: context) { $0 } }, { $0.map(on: .main) { $0 } },
      { $0.flatMap { Subject(fulfilled: $0) } }, { $0.flatMap(on: context) { Subject(fulfilled: $0) } },
      { $0.flatMap(on: .main) { Subject(fulfilled: $0) } },
      { $0.mapError { $0 } }, { $0.mapError(on: context) { $0 } }, { $0.mapError(on: .main) { $0 } },
      { $0.flatMapError { Subject(rejected: $0) } }, { $0.flatMapError(on: context) { Subject(rejected: $0) } },
      { $0.flatMapError(on: .main) { Subject(rejected: $0) } },
      { $0.mapResult { $0 } }, { $0.mapResult(on: context) { $0 } }, { $0.mapResult(on: .main) { $0 } },
      { $0.flatMapResult { Subject(with: $0) } }, { $0.flatMapResult(on: context) { Subject(with: $0) } },
      { $0.flatMapResult(on: .main) { Subject(with: $0) } },
      { $0.replaceError { _ in 1 } }, { $0.replaceError(on: context) { _ in 1 } },
      { $0.replaceError(on: .main) { _ in 1 } },
    ]
    checkAutoCancel(forms)
  }

  @Test("T82: invalidation asks the future that any form of an observer derives first")
  func autoCancelOfObservers() {
    let context = PromiseContext.immediate
    checkAutoCancel([
      { $0.onSuccess { _ in } }, { $0.onSuccess(on: context) { _ in } }, { $0.onSuccess(on: .main) { _ in } },
      { $0.onError { _ in } }, { $0.onError(on: context) { _ in } }, { $0.onError(on: .main) { _ in } },
      { $0.onComplete { _ in } }, { $0.onComplete(on: context) { _ in } }, { $0.onComplete(on: .main) { _ in } },
      { $0.onCancel { _ in } }, { $0.onCancel(on: context) { _ in } }, { $0.onCancel(on: .main) { _ in } },
      { $0.onCancel {} }, { $0.onCancel(on: context) {} }, { $0.onCancel(on: .main) {} },
    ])
  }

  @Test("T82: invalidation asks the future that any form of a throwing transformation derives first")
  func autoCancelOfThrowing() {
    let context = PromiseContext.immediate
    checkAutoCancel([
      { $0.tryOnSuccess { _ in } }, { $0.tryOnSuccess(on: context) { _ in } }, { $0.tryOnSuccess(on: .main) { _ in } },
      { $0.tryMap { $0 } }, { $0.tryMap(on: context) { $0 } }, { $0.tryMap(on: .main) { $0 } },
      { $0.tryFlatMap { Subject(fulfilled: $0) } }, { $0.tryFlatMap(on: context) { Subject(fulfilled: $0) } },
      { $0.tryFlatMap(on: .main) { Subject(fulfilled: $0) } },
      { $0.tryReplaceError { _ in 1 } }, { $0.tryReplaceError(on: context) { _ in 1 } },
      { $0.tryReplaceError(on: .main) { _ in 1 } },
    ])
    checkAutoCancel([
      { $0.tryMapError { $0 } }, { $0.tryMapError(on: context) { $0 } }, { $0.tryMapError(on: .main) { $0 } },
      { $0.tryFlatMapError { Subject(rejected: $0) } }, { $0.tryFlatMapError(on: context) { Subject(rejected: $0) } },
      { $0.tryFlatMapError(on: .main) { Subject(rejected: $0) } },
      { $0.tryMapResult { $0 } }, { $0.tryMapResult(on: context) { $0 } }, { $0.tryMapResult(on: .main) { $0 } },
      { $0.tryFlatMapResult { Subject(with: $0) } }, { $0.tryFlatMapResult(on: context) { Subject(with: $0) } },
      { $0.tryFlatMapResult(on: .main) { Subject(with: $0) } },
    ])
  }

  private func checkAutoCancel(_ forms: [(TokenFuture<Int, TestError>) -> Any]) {
    for (index, derive) in forms.enumerated() {
      let resolver = Resolver<Int, TestError>()
      let derived = derive(resolver.future.withToken(token))
      token.invalidate()
      #expect(resolver.isCancelRequested, "form \(index)")
      withExtendedLifetime(derived) {}
    }
  }

  @Test("T82: tap and ignoringCancel return new futures, whose first derived future is asked to cancel, too")
  func aside() {
    let ways: [(TokenFuture<Int, TestError>) -> TokenFuture<Int, TestError>] = [{ $0.tap() }, { $0.ignoringCancel() }]
    for makesAside in ways {
      let inner = Resolver<Int, TestError>()
      let bound = Subject(fulfilled: 1).withToken(token)
      let aside = makesAside(bound)
      #expect(aside.inner != bound.inner && aside.token == token)
      let following = aside.flatMap { _ in inner.future }
      token.invalidate()
      #expect(inner.isCancelRequested)
      withExtendedLifetime(following) {}
    }
    let (future, resolver) = Subject.makeWithResolver()
    let child = future.withToken(token).ignoringCancel().map { $0 }
    child.inner.requestCancel()
    #expect(!resolver.isCancelRequested)
  }

  @Test("T83: requestCancel on a future with a token is unavailable: the compiler names the replacement")
  func unavailable() {
    // It would not compile: future.withToken(token).requestCancel()
    let (future, resolver) = Subject.makeWithResolver()
    var isAsked = false
    resolver.onCancelRequest { _ in isAsked = true }
    future.withToken(token).inner.requestCancel()
    #expect(isAsked)
  }
}
