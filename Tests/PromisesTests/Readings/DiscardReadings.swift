import Promises
import PromisesTestSupport
import Testing

@Suite("Readings: discarding")
struct DiscardReadings {
  @Test("S-24, EA-21: without a discard block a discard only rejects")
  func withoutBlock() {
    let promise = Promise<Int>()
    promise.discard()
    #expect(promise.rejectReason is Promise<Int>.Rejection)
  }

  @Test("S-25, EA-20, EA-21: the promise is rejected first, then its block runs, then its callbacks")
  func order() {
    let log = Recorder<String>()
    let box = Box()
    let promise = Promise<Int>(discard: {
      log.record("block sees \(box.promise!.state)")
      box.promise!.resolve(1)
      box.promise!.reject("block")
      log.record("block ends")
    })
    box.promise = promise
    promise.then(nil, { log.record("callback, discarded: \($0 is Promise<Int>.Rejection)") })
    promise.discard()
    box.promise = nil
    #expect(log.events == ["block sees rejected", "block ends", "callback, discarded: true"])
    #expect(promise.rejectReason is Promise<Int>.Rejection)
  }

  @Test("S-26, EA-22: the reason is an Error, one type for all promises, named by each as Rejection")
  func reason() {
    let discarded = Promise<Int>()
    let derived = discarded.then { "\($0)" }
    let calls = Recorder<String>()
    derived.rescue { (_: any Error) in calls.record("Error") }
    derived.rescue { (_: Promise<String>.Rejection) in calls.record("Rejection") }
    derived.rescue { (_: Discarded) in calls.record("Discarded") }
    derived.rescue { (_: TestError) in calls.record("TestError") }
    discarded.discard()
    #expect(calls.events == ["Error", "Rejection", "Discarded"])
    #expect(Promise<Int>.Rejection.self == Discarded.self)
    if case .discarded? = discarded.rejectReason as? Promise<Int>.Rejection {
    } else {
      Issue.record("not the reason of a discard: \(String(describing: discarded.rejectReason))")
    }
  }

  @Test("S-27, EA-21: discarding again, from the block or a callback, does nothing")
  func again() {
    let calls = Recorder<String>()
    let box = Box()
    let promise = Promise<Int>(discard: {
      calls.record("block")
      box.promise!.discard()
    })
    box.promise = promise
    promise.then(
      nil,
      { _ in
        calls.record("callback")
        promise.discard()
      })
    promise.discard()
    promise.discard()
    box.promise = nil
    #expect(calls.events == ["block", "callback"])
  }

  @Test("S-28, EA-20: the discard block is released when the promise settles", arguments: 0..<3)
  func released(settlement: Int) {
    withLifetimeTracking { tracker in
      let promise = makePromise(tracker)
      #expect(tracker.live == 1)
      switch settlement {
      case 0: promise.resolve(1)
      case 1: promise.reject(1)
      default: promise.discard()
      }
      #expect(tracker.live == 0)
      withExtendedLifetime(promise) {}
    }
  }

  private func makePromise(_ tracker: LifetimeTracker) -> Promise<Int> {
    let held = tracker.track()
    return Promise(discard: { held.touch() })
  }

  @Test("S-29, EA-21: a discard does not reach the source, nor the promise that is followed")
  func notUpstream() {
    let log = Recorder<String>()
    let source = Promise<Int>(discard: { log.record("source's block") })
    let derived = source.then { value -> Int in
      log.record("handler \(value)")
      return value
    }
    let downstream = derived.then { $0 }
    derived.discard()
    #expect(source.state == .pending)
    #expect(downstream.rejectReason is Promise<Int>.Rejection)
    source.resolve(1)
    #expect(log.events == ["handler 1"])
    #expect(derived.rejectReason is Promise<Int>.Rejection)

    let inner = Promise<Int>(discard: { log.record("inner's block") })
    let following = source.then(async: { _ in inner })
    following.discard()
    #expect(inner.state == .pending)
    let chained = Promise<Int>()
    chained.chain(after: inner)
    chained.discard()
    #expect(inner.state == .pending)
    #expect(log.events == ["handler 1"])
  }
}

/// A place for the promise that its own discard block needs.
private final class Box {
  var promise: Promise<Int>?
}
