import Promises

/// The calls that attach callbacks, for a race.
package enum RacingCall: CaseIterable, Sendable {
  case then, thenDeriving, whenFulfilled, onSuccess

  package func round(on context: PromiseContext) -> AttachingRace.Round {
    let promise = Promise<Int>()
    let (future, resolver) = Future<Int, any Error>.makeWithResolver()
    switch self {
    case .then:
      return AttachingRace.Round {
        promise.resolve(1)
      } attach: { callback in
        promise.then(on: context, { _ in callback() }, nil)
      }
    case .thenDeriving:
      return AttachingRace.Round {
        promise.resolve(1)
      } attach: { callback in
        _ = promise.then(on: context) { _ in callback() }
      }
    case .whenFulfilled:
      return AttachingRace.Round {
        resolver.fulfill(1)
      } attach: { callback in
        future.whenFulfilled(on: context) { _ in callback() }
      }
    case .onSuccess:
      return AttachingRace.Round {
        resolver.fulfill(1)
      } attach: { callback in
        future.onSuccess(on: context) { _ in callback() }
      }
    }
  }
}
