import Synchronization
import Testing

@testable import plugin_host

@Suite struct WorkersTests {
  @Test(.timeLimit(.minutes(1))) func aThreadThatEndedLeavesRoomForAnother() async {
    let workers = Workers(limit: 1)
    // The thread of one job may take the next one too, or have ended by then.
    for _ in 0..<1000 {
      await withCheckedContinuation { continuation in workers.run { continuation.resume() } }
    }
  }

  @Test func noMoreJobsRunAtOnceThanTheLimit() async {
    let workers = Workers(limit: 3)
    let running = Atomics()
    await withCheckedContinuation { continuation in
      for _ in 0..<100 {
        workers.run {
          let now = running.now.add(1, ordering: .relaxed).newValue
          running.most.max(now, ordering: .relaxed)
          running.now.subtract(1, ordering: .relaxed)
          if running.ended.add(1, ordering: .relaxed).newValue == 100 { continuation.resume() }
        }
      }
    }
    #expect(1...3 ~= running.most.load(ordering: .relaxed))
  }
}

private final class Atomics: Sendable {
  let now = Atomic<Int>(0)
  let most = Atomic<Int>(0)
  let ended = Atomic<Int>(0)
}
