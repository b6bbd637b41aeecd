import Promises
import PromisesTestSupport
import Synchronization
import Testing

// Calls of many threads on one promise at once. Run under the thread sanitizer by `make test-threads`.

@Suite("Stress: many threads")
struct Settling {
  private static let rounds = 300
  private static let threads = 4

  @Test("S-35: of many settling calls one wins, and everyone sees its outcome")
  func oneWinner() {
    for round in 0..<Self.rounds {
      let promise = Promise<Int>()
      let wins = Atomic<Int>(0)
      let seen = Recorder<Int>()
      promise.then({ seen.record($0) }, { seen.record($0 as? Int ?? -1) })
      onThreads(Self.threads) { index in
        let won: Bool
        switch (round + index) % 3 {
        case 0: won = promise.resolve(index)
        case 1: won = promise.reject(index)
        default:
          won = false
          promise.discard()
        }
        if won {
          wins.add(1, ordering: .relaxed)
          #expect(seen.events == [index])
        }
        #expect(promise.state != .pending)
      }
      let wasDiscarded = promise.rejectReason is Promise<Int>.Rejection
      #expect(wins.load(ordering: .relaxed) == (wasDiscarded ? 0 : 1))
      #expect(seen.events == [wasDiscarded ? -1 : promise.value ?? promise.rejectReason as? Int ?? -2])
    }
  }

  @Test("S-35: callbacks attached while the promise settles run once each, with its value")
  func attachWhileSettling() {
    let perThread = 50
    for round in 0..<Self.rounds {
      let promise = Promise<Int>()
      let log = Recorder<(thread: Int, index: Int, value: Int)>()
      onThreads(Self.threads) { thread in
        if thread == round % Self.threads { promise.resolve(round) }
        for index in 0..<perThread {
          promise.then({ log.record((thread, index, $0)) }, nil)
        }
      }
      let events = log.events
      #expect(events.count == Self.threads * perThread)
      #expect(events.allSatisfy { $0.value == round })
      for thread in 0..<Self.threads {
        #expect(Set(events.filter { $0.thread == thread }.map(\.index)).count == perThread)
      }
    }
  }

  @Test("S-35: derived promises settle with their source, whichever thread is first")
  func deriveWhileSettling() {
    for round in 0..<Self.rounds {
      let promise = Promise<Int>()
      let derived = Recorder<Promise<Int>>()
      onThreads(Self.threads) { thread in
        switch thread {
        case 0: if round % 2 == 0 { promise.resolve(1) } else { promise.reject(TestError(1)) }
        case 1: derived.record(promise.then { $0 + 1 }.then { $0 + 1 })
        case 2: derived.record(promise.rescue { (error: TestError) in error.code + 2 })
        default:
          let followed = promise.then(async: { Promise<Int>.resolve($0 + 2) })
          derived.record(followed.rescue { (_: TestError) -> Promise<Int> in .resolve(3) })
        }
      }
      let outcomes = derived.events.map { $0.value ?? ($0.rejectReason as? TestError)?.code ?? -1 }.sorted()
      #expect(outcomes == [1, 3, 3])
    }
  }

  @Test("S-35: the discard block runs if and only if the discard wins")
  func discardAgainstResolve() {
    for _ in 0..<Self.rounds {
      let blocks = Atomic<Int>(0)
      let promise = Promise<Int>(discard: { blocks.add(1, ordering: .relaxed) })
      onThreads(Self.threads) { thread in
        if thread % 2 == 0 { promise.discard() } else { promise.resolve(thread) }
      }
      #expect(blocks.load(ordering: .relaxed) == (promise.state == .rejected ? 1 : 0))
    }
  }

  @Test("references released by many threads at once leave nothing behind")
  func release() {
    withLifetimeTracking { tracker in
      for round in 0..<Self.rounds {
        releaseRound(round, tracker)
      }
    }
  }

  private func releaseRound(_ round: Int, _ tracker: LifetimeTracker) {
    let calls = Atomic<Int>(0)
    let shares = Monitor<[Promise<Tracked<Int>>]>([])
    do {
      let promise = Promise<Tracked<Int>>(discard: { [held = tracker.track()] in held.touch() })
      promise.then({ [held = tracker.track()] _ in calls.add(held.payload == () ? 1 : 0, ordering: .relaxed) }, nil)
      _ = promise.then { [held = tracker.track(1)] value in value.payload + held.payload }
      shares.withLock { $0 = Array(repeating: promise, count: Self.threads) }
    }
    onThreads(Self.threads) { thread in
      let mine = shares.withLock { $0.removeLast() }
      if thread == 0, round % 3 == 0 { mine.resolve(tracker.track(round)) }
      if thread == 1, round % 3 == 1 { mine.discard() }
      if thread == 2 { _ = mine.then { $0.payload } }
    }
    #expect(calls.load(ordering: .relaxed) == (round % 3 == 0 ? 1 : 0))
  }

  @Test("a promise is settled on one thread and released on another, over and over")
  func releasedElsewhere() {
    withLifetimeTracking { tracker in
      let count = 20_000
      let channel = Channel<Promise<Tracked<Int>>>()
      let sum = Atomic<Int>(0)
      onThreads(2) { thread in
        if thread == 0 {
          for index in 0..<count {
            let promise = Promise<Tracked<Int>>()
            promise.then({ sum.add($0.payload, ordering: .relaxed) }, nil)
            channel.send(promise)
            if index % 1000 == 0 { #expect(tracker.live < count) }
          }
        } else {
          for index in 0..<count { channel.receive().resolve(tracker.track(index)) }
        }
      }
      #expect(sum.load(ordering: .relaxed) == count * (count - 1) / 2)
    }
  }
}
