import Promises
import PromisesTestSupport
import Testing

@Suite("Readings: threads and lifetimes")
struct Concurrency {
  @Test("S-34, EA-31: a promise released while pending calls nothing; a derived promise stays pending")
  func releasedPending() {
    withLifetimeTracking { tracker in
      let calls = Recorder<String>()
      let derived = abandon(tracker, calls)
      #expect(tracker.live == 0)
      #expect(calls.events == [])
      #expect(derived.state == .pending)
      derived.resolve(1)
      #expect(derived.value == 1)
    }
  }

  private func abandon(_ tracker: LifetimeTracker, _ calls: Recorder<String>) -> Promise<Int> {
    let held = tracker.track()
    let call = { (name: String) in
      held.touch()
      calls.record(name)
    }
    let promise = Promise<Int>(discard: { call("discard") })
    promise.then({ _ in call("success") }, { _ in call("failure") })
    promise.rescue { (_: Any?) in call("rescue") }
    _ = promise.anyway { _ in call("anyway") }
    #expect(tracker.live == 1)
    return promise.then { value -> Int in
      call("then")
      return value
    }
  }

  @Test("EA-31: a source holds the promises derived from it; they do not hold the source")
  func ownership() {
    let calls = Recorder<Int>()
    let source = Promise<Int>()
    source.then { $0 + 1 }.then { $0 + 1 }.then({ calls.record($0) }, nil)
    source.resolve(1)
    #expect(calls.events == [3])

    withLifetimeTracking { tracker in
      let derived = derive(tracker)
      #expect(tracker.live == 0)
      withExtendedLifetime(derived) {}
    }
  }

  private func derive(_ tracker: LifetimeTracker) -> Promise<Bool> {
    Promise<Tracked<Void>>.resolve(tracker.track()).then { _ in true }
  }

  @Test("S-35, EA-30: while a callback runs, other threads can attach and read without waiting for it")
  func notBlocked() {
    let promise = Promise<Int>()
    let entered = Gate()
    let leave = Gate()
    promise.then(
      { _ in
        entered.open()
        leave.wait()
      }, nil)
    let settler = Thread { promise.resolve(1) }
    entered.wait()
    let seen: (Int?, Int?, Promise<Int>.State) = onThread {
      let late = Recorder<Int>()
      promise.then({ late.record($0) }, nil)
      promise.reject("too late")
      return (late.events.first, promise.then { $0 + 1 }.value, promise.state)
    }
    leave.open()
    settler.join()
    #expect(seen == (1, 2, .fulfilled))
  }

  @Test("S-35, EA-30: callbacks that several threads attach at once, while another settles, are called once each")
  func attaching() {
    let count = 20
    for _ in 0..<100 {
      let promise = Promise<Int>()
      let calls = Recorder<Int>()
      onThreads(4) { thread in
        if thread == 3 { promise.resolve(1) }
        for index in 0..<count { promise.then({ _ in calls.record(thread * count + index) }, nil) }
      }
      #expect(calls.events.sorted() == Array(0..<4 * count))
    }
  }

  @Test("S-35, EA-30: two promises that settle each other's callers on two threads do not deadlock")
  func crossed() {
    for _ in 0..<100 {
      let first = Promise<Int>()
      let second = Promise<Int>()
      let calls = Recorder<Int>()
      first.then({ _ in second.then({ calls.record($0) }, nil) }, nil)
      second.then({ _ in first.then({ calls.record($0) }, nil) }, nil)
      onThreads(2) { index in
        if index == 0 { first.resolve(1) } else { second.resolve(2) }
      }
      #expect(calls.events.sorted() == [1, 2])
    }
  }
}
