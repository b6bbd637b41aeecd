import Promises
import PromisesTestSupport
import Testing

@Suite("Readings: chaining")
struct ChainReadings {
  @Test("S-21, EA-16: chain(after:) copies the outcome of its argument, at once if there is one")
  func chain() {
    let chained = Promise<Int>()
    chained.chain(after: .resolve(1))
    #expect(chained.value == 1)
    let rejected = Promise<Int>()
    rejected.chain(after: .reject("no"))
    #expect(rejected.rejectReason as? String == "no")
    let discarded = Promise<Int>()
    let source = Promise<Int>()
    discarded.chain(after: source)
    source.discard()
    #expect(discarded.rejectReason is Promise<Int>.Rejection)
  }

  @Test("S-22, EA-16: a chained promise is not locked in: the first settlement wins")
  func notLockedIn() {
    let slow = Promise<Int>()
    let fast = Promise<Int>()
    let chained = Promise<Int>()
    chained.chain(after: slow)
    chained.chain(after: fast)
    fast.resolve(1)
    #expect(chained.value == 1)
    slow.resolve(2)
    #expect(chained.value == 1)

    let source = Promise<Int>()
    let resolved = Promise<Int>()
    resolved.chain(after: source)
    resolved.resolve(3)
    source.reject("late")
    #expect(resolved.value == 3)

    let settled = Promise<Int>.resolve(4)
    settled.chain(after: .resolve(5))
    #expect(settled.value == 4)
  }

  @Test("S-22: a promise that follows the one a handler returned can be settled by others first")
  func followingNotLockedIn() {
    let inner = Promise<Int>()
    let derived = Promise<Int>.resolve(1).then(async: { _ in inner })
    derived.resolve(2)
    inner.resolve(3)
    #expect(derived.value == 2)
  }

  @Test("S-13, EA-13: a promise that a rescue left pending waits for nothing, so any promise can follow it")
  func followsLeftPending() {
    let start = Promise<Int>()
    let left = leftPending()
    // One of these promises reuses the cell of the promise that was rescued.
    let followers = (0..<8).map { _ in
      let follower = start.then(async: { _ in left })
      follower.then({ _ in }, nil)
      return follower
    }
    start.resolve(1)
    #expect(followers.allSatisfy { $0.state == .pending }, "\(followers)")
    left.resolve("late")
    #expect(followers.map(\.value) == Array(repeating: "late", count: followers.count))
  }

  private func leftPending() -> Promise<String> {
    let source = Promise<Int>()
    let left = source.rescue { (_: Any?) -> String in "rescued" }
    source.resolve(1)
    return left
  }

  @Test("EA-16: a promise chained after itself can still be settled")
  func afterItself() {
    let calls = Recorder<Int>()
    let promise = Promise<Int>()
    promise.chain(after: promise)
    promise.then({ calls.record($0) }, { _ in calls.record(-1) })
    #expect(promise.state == .pending)
    promise.resolve(1)
    #expect(promise.value == 1)
    #expect(calls.events == [1])
  }

  @Test("EA-16: a promise chained after itself does not hold itself")
  func afterItselfDropped() {
    let tracker = LifetimeTracker()
    do {
      let held = tracker.track()
      let promise = Promise<Int>()
      promise.chain(after: promise)
      promise.then({ _ in held.touch() }, nil)
      withExtendedLifetime(promise) { #expect(tracker.live == 1) }
    }
    #expect(tracker.live == 0)
  }

  @Test("EA-16: the source holds the promises chained after it until it settles")
  func held() {
    let calls = Recorder<Int>()
    let source = Promise<Int>()
    do {
      let chained = Promise<Int>()
      chained.chain(after: source)
      chained.then({ calls.record($0) }, nil)
    }
    source.resolve(1)
    #expect(calls.events == [1])
  }

  @Test("S-23: a handler that returns its own promise rejects it with a cycle error")
  func ownPromise() {
    let box = Box<Promise<Int>>()
    let derive: [(Promise<Int>) -> Promise<Int>] = [
      { $0.then(async: { _ in box.content! }) },
      { $0.rescue { (_: TestError) in box.content! } },
      { $0.rescue(async: { (_: TestError) in box.content! }) },
      { $0.anyway(async: { _ in box.content! }) },
    ]
    for (index, derive) in derive.enumerated() {
      let source = Promise<Int>()
      let derived = derive(source)
      box.content = derived
      if index == 0 { source.resolve(1) } else { source.reject(TestError()) }
      #expect(derived.state == .rejected)
      #expect(isCycle(derived.rejectReason))
    }
    box.content = nil
  }

  @Test("S-23: a handler that returns a promise which waits for its own rejects it with a cycle error")
  func cycle() {
    let source = Promise<Int>()
    let box = Box<Promise<Int>>()
    let first = source.then(async: { _ in box.content! })
    let second = first.then { $0 + 1 }
    box.content = second.then { $0 + 1 }
    source.resolve(1)
    #expect(isCycle(first.rejectReason))
    #expect(isCycle(second.rejectReason))
    #expect(isCycle(box.content?.rejectReason))
    box.content = nil
  }

  @Test("S-37: a consumer may settle a derived promise; the handler still runs, and its result is dropped")
  func settledByConsumer() {
    let calls = Recorder<Int>()
    let source = Promise<Int>()
    let resolved = source.then { value -> Int in
      calls.record(value)
      return value
    }
    let discarded = source.then { value -> Int in
      calls.record(value + 1)
      throw TestError()
    }
    let followed = source.then(async: { value -> Promise<Int> in
      calls.record(value + 2)
      return .resolve(9)
    })
    resolved.resolve(5)
    discarded.discard()
    followed.reject(6)
    source.resolve(1)
    #expect(calls.events == [1, 2, 3])
    #expect(resolved.value == 5)
    #expect(discarded.rejectReason is Promise<Int>.Rejection)
    #expect(followed.rejectReason as? Int == 6)
  }

  @Test("EA-10: a promise that a handler returned settled settles the derived one at once")
  func settledInner() {
    let source = Promise<Int>()
    let derived = source.then(async: { Promise<Int>.resolve($0 + 1) }).then { $0 * 10 }
    source.resolve(1)
    #expect(derived.value == 20)
  }
}

/// Whether a reason says that a promise would wait for itself (PROMISE_EDEADLK in the C ABI).
private func isCycle(_ reason: Any?) -> Bool {
  guard let error = reason as? PromiseError else { return false }
  return error.domain == "promise" && error.code == -6
}

/// A place for a value that is known only after the closure that needs it was made.
private final class Box<Content> {
  var content: Content?
}
