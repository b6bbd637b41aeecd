import Promises
import PromisesTestSupport
import Testing

@Suite("Future: callbacks with a token")
struct TokenRuleTests {
  private typealias Subject = Future<Int, TestError>

  @Test("T38: after invalidation, an observing operator passes the result on, uncalled")
  func observing() {
    for outcome in Endings.all {
      let token = InvalidationToken()
      let (future, resolver) = Subject.makeWithResolver()
      func fail() { Issue.record("called after invalidation") }
      let derived: [Subject] = [
        future.onSuccess(token: token) { _ in fail() }, future.onError(token: token) { _ in fail() },
        future.onComplete(token: token) { _ in fail() }, future.onCancel(token: token) { _ in fail() },
        future.tap(token: token) { _ in fail() }, future.catch(token: token) { _ in fail() },
      ]
      let thrown = future.tryOnSuccess(token: token) { _ in fail() }
      future.whenResolved(token: token) { _ in fail() }
      future.whenAnyError(token: token) { _ in fail() }
      token.invalidate()
      resolver.resolve(outcome)
      #expect(derived.allSatisfy { $0.result == outcome })
      #expect(thrown.value == outcome.value)
    }
  }

  @Test("T38: after invalidation, an operator that makes a result is cancelled; other outcomes pass")
  func transforming() {
    let token = InvalidationToken()
    let (fulfilled, resolver) = Subject.makeWithResolver()
    let (rejected, rejecter) = Subject.makeWithResolver()
    func derive(_ future: Subject) -> [() -> FutureState] {
      [
        future.map(token: token) { $0 }.checked, future.flatMap(token: token) { Subject(fulfilled: $0) }.checked,
        future.tryMap(token: token) { $0 }.checked, future.mapOrCancel(token: token) { $0 }.checked,
        future.mapError(token: token) { $0 }.checked, future.replaceError(token: token) { _ in 0 }.checked,
        future.recover(token: token) { _ in 0 }.checked,
        future.mapResult(token: token) { $0 }.checked, future.always(token: token) {}.checked,
      ]
    }
    let (values, errors) = (derive(fulfilled), derive(rejected))
    token.invalidate()
    resolver.fulfill(1)
    rejecter.reject(TestError(2))
    #expect(
      values.map { $0() } == [
        .cancelled, .cancelled, .cancelled, .cancelled, .fulfilled, .fulfilled, .fulfilled, .cancelled, .cancelled,
      ])
    #expect(
      errors.map { $0() } == [
        .rejected, .rejected, .rejected, .cancelled, .cancelled, .cancelled, .cancelled, .cancelled, .cancelled,
      ])
  }

  @Test("T38: the token is tested in the callback's context, right before the call; the callback is released there")
  func context() {
    let context = QueueContext()
    let token = InvalidationToken()
    withLifetimeTracking { tracker in
      let derived = map(on: context.here, token, tracker)
      #expect(derived.state == .pending && tracker.live == 1)
      token.invalidate()
      context.run()
      #expect(derived.state == .cancelled)
    }
  }

  private func map(on context: PromiseContext, _ token: InvalidationToken, _ tracker: LifetimeTracker) -> Subject {
    let held = tracker.track(1)
    return Subject(fulfilled: 1).map(on: context, token: token) { $0 + held.payload }
  }

  @Test("T38: an invalidation before the callback is registered does not silence it")
  func before() {
    let token = InvalidationToken()
    token.invalidate()
    #expect(Subject(fulfilled: 1).map(token: token) { $0 + 1 }.value == 2)
  }
}

extension Future {
  fileprivate var checked: () -> FutureState { { self.state } }
}
