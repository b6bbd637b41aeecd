import Promises
import PromisesTestSupport
import Testing

@Suite("Future: callbacks with a token")
struct TokenRuleTests {
  private typealias Subject = Future<Int, TestError>

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
