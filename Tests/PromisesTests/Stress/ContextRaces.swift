import Dispatch
import Promises
import PromisesTestSupport
import Testing

@Suite("Stress: contexts and several threads")
struct ContextRaces {
  private static let rounds = 200

  @Test("T33 each callback runs once, in any context, when attaching and settling race")
  func once() {
    let queue = DispatchQueue(label: "test")
    let contexts: [PromiseContext] = [
      .immediate, .default, .background, .main, .queue(queue), .current, .nowOr(.default), .nowOr(.queue(queue)),
    ]
    for _ in 0..<Self.rounds {
      let promise = Promise<Int>()
      let calls = Channel<Int>()
      onThreads(3) { thread in
        guard thread > 0 else { return promise.resolve(1) }
        for (index, context) in contexts.enumerated() {
          promise.then(on: context, { _ in calls.send(thread * 100 + index) }, nil)
        }
      }
      let received = (0..<2 * contexts.count).map { _ in calls.receive() }
      #expect(Set(received).count == received.count)
    }
  }

  @Test("T36 a callback and its captured objects are released once, on either thread, when attaching and settling race")
  func released() {
    let queue = DispatchQueue(label: "test")
    let tracker = LifetimeTracker()
    for round in 0..<Self.rounds {
      let promise = Promise<Int>()
      let ended = Gate(count: 2)
      onThreads(2) { thread in
        guard thread > 0 else {
          if round % 2 == 0 { promise.resolve(1) } else { promise.reject(1) }
          return
        }
        for context in [PromiseContext.queue(queue), .utility] {
          let tracked = tracker.track(1)
          _ = promise.then(on: context) { $0 + tracked.payload }.anyway { _ in ended.open() }
        }
      }
      ended.wait()
    }
    queue.sync {}
    // The captures of the last callbacks are released after they have returned, on their threads.
    while tracker.live > 0 { Thread {}.join() }
  }

  @Test("isExecutingNow of one thread does not depend on other threads")
  func now() {
    for _ in 0..<Self.rounds {
      let wrong = Recorder<Void>()
      onThreads(3) { thread in
        if thread == 0 {
          if PromiseContext.isExecutingNow { wrong.record() }
        } else {
          Promise<Int>.resolve(1).then(
            on: .nowOr(.main), { _ in if !PromiseContext.isExecutingNow { wrong.record() } }, nil)
        }
      }
      #expect(wrong.count == 0)
    }
  }

  @Test("Concurrency: a task that ends and a request to cancel it race for the promise, and one wins")
  func tasks() async {
    for _ in 0..<Self.rounds {
      let future = Future<Int, any Error> {
        await Task.yield()
        try Task.checkCancellation()
        return 1
      }
      let promise = future.promise
      async let value = future.settled()
      Promise<Int>.resolve(1).then(on: .default, { _ in future.requestCancel() }, nil)
      Promise<Int>.resolve(1).then(on: .default, { _ in promise.discard() }, nil)
      let result = await value
      #expect(result.value == 1 || result.isCancelled)
      #expect(future.result?.isCancelled == result.isCancelled)
    }
  }
}
