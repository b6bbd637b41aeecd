import Promises
import PromisesTestSupport
import Testing

@Suite("Callbacks are released")
struct CallbackRelease {
  /// Attaches a callback of every kind, each of which holds an instance of the tracker.
  private func attachAll(_ promise: Promise<Int>, _ tracker: LifetimeTracker) -> [Promise<Int>] {
    promise.then({ [held = tracker.track()] _ in held.touch() }, { [held = tracker.track()] _ in held.touch() })
    promise.rescue { [held = tracker.track()] (_: TestError) in held.touch() }
    promise.rescue { [held = tracker.track()] (_: Any?) in held.touch() }
    let chained = Promise<Int>()
    chained.chain(after: promise)
    chained.then({ [held = tracker.track()] _ in held.touch() }, nil)
    return [
      promise.then { [held = tracker.track(1)] value -> Int in value + held.payload },
      promise.then { [held = tracker.track(1)] _ -> Int in throw TestError(held.payload) },
      promise.then(async: { [held = tracker.track(1)] _ in .resolve(held.payload) }),
      promise.rescue { [held = tracker.track(1)] (_: TestError) -> Int in held.payload },
      promise.rescue { [held = tracker.track(1)] (_: OtherError) -> Int in held.payload },
      promise.rescue { [held = tracker.track(1)] (_: TestError) -> Promise<Int> in .resolve(held.payload) },
      promise.rescue(async: { [held = tracker.track(1)] (_: TestError) -> Promise<Int> in
        throw TestError(held.payload)
      }),
      promise.anyway { [held = tracker.track(1)] _ -> Int in held.payload },
      promise.anyway(async: { [held = tracker.track(1)] _ in .resolve(held.payload) }),
      chained,
    ]
  }

  enum Settlement: CaseIterable, Sendable { case resolve, reject, rejectOther, discard, abandon }

  private func settle(_ promise: Promise<Int>, _ settlement: Settlement) {
    switch settlement {
    case .resolve: promise.resolve(1)
    case .reject: promise.reject(TestError())
    case .rejectOther: promise.reject(nil)
    case .discard: promise.discard()
    case .abandon: break
    }
  }

  @Test(
    "EA-5, EA-6: when the settling call returns, though every promise is still held", arguments: Settlement.allCases)
  func settled(settlement: Settlement) {
    guard settlement != .abandon else { return }
    withLifetimeTracking { tracker in
      let promise = Promise<Int>()
      let derived = attachAll(promise, tracker)
      #expect(tracker.live == 14)
      settle(promise, settlement)
      #expect(tracker.live == 0)
      withExtendedLifetime((promise, derived)) {}
    }
  }

  @Test("when the attaching call returns, if the promise was settled before", arguments: Settlement.allCases)
  func settledBefore(settlement: Settlement) {
    guard settlement != .abandon else { return }
    withLifetimeTracking { tracker in
      let promise = Promise<Int>()
      settle(promise, settlement)
      let derived = attachAll(promise, tracker)
      #expect(tracker.live == 0)
      withExtendedLifetime((promise, derived)) {}
    }
  }

  @Test("with their promise, if it is released while pending, though the derived ones are held")
  func abandoned() {
    withLifetimeTracking { tracker in
      let derived = attachAll(Promise<Int>(), tracker)
      // The promise chained after the abandoned one stays pending and held, with its own callback.
      #expect(tracker.live == 1)
      #expect(derived.allSatisfy { $0.state == .pending })
    }
  }

  @Test("on every path, with the values and reasons, when all promises are", arguments: Settlement.allCases)
  func everything(settlement: Settlement) {
    withLifetimeTracking { tracker in
      let promise = Promise<Tracked<Int>>(discard: { [held = tracker.track()] in held.touch() })
      let failing = promise.then { value -> Tracked<Int> in throw Failure(held: tracker.track(value.payload)) }
      let followed = promise.then(async: { Promise<Tracked<Int>>.resolve($0) })
      let rescued = failing.rescue { (failure: Failure) in failure.held }
      let both = promise &&& followed
      let either = failing ||| rescued
      _ = both.then { ($0.0.payload, $0.1.payload) }
      either.rescue { (_: Any?) in }
      switch settlement {
      case .resolve: promise.resolve(tracker.track(1))
      case .reject: promise.reject(tracker.track(2))
      case .rejectOther: promise.reject(Failure(held: tracker.track(3)))
      case .discard: promise.discard()
      case .abandon: break
      }
      let second: Bool = promise.resolve(tracker.track(4))
      let third: Bool = promise.reject(tracker.track(5))
      #expect(second == (settlement == .abandon))
      #expect(third == false)
    }
  }

  private struct Failure: Error {
    let held: Tracked<Int>
  }

  @Test("a value refused by a settled promise is released at once")
  func refused() {
    withLifetimeTracking { tracker in
      let promise = Promise<Tracked<Void>>()
      promise.resolve(tracker.track())
      promise.resolve(tracker.track())
      promise.reject(tracker.track())
      #expect(tracker.live == 1)
      withExtendedLifetime(promise) {}
    }
  }

  @Test("a callback that holds its own promise is released when that settles: no cycle remains")
  func ownPromise() {
    withLifetimeTracking { tracker in
      func make() -> Promise<Int> {
        let promise = Promise<Int>()
        promise.then({ [held = tracker.track()] _ in _ = (held, promise) }, nil)
        return promise
      }
      let promise = make()
      #expect(tracker.live == 1)
      promise.resolve(1)
      #expect(tracker.live == 0)
    }
  }

  @Test("before the callback that was attached after it runs")
  func eachAfterItsRun() {
    let tracker = LifetimeTracker()
    let live = Recorder<Int>()
    let promise = Promise<Int>()
    for _ in 0..<3 {
      promise.then({ [held = tracker.track(0)] _ in live.record(tracker.live + held.payload) }, nil)
    }
    promise.resolve(1)
    #expect(live.events == [3, 2, 1])
  }
}
