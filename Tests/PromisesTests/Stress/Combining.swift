import Promises
import PromisesTestSupport
import Synchronization
import Testing

@Suite("Stress: several promises and several threads")
struct Combining {
  private static let rounds = 300

  @Test("S-35, EA-27, EA-28: and and or lose no settlement when their operands settle at once")
  func operators() {
    for round in 0..<Self.rounds {
      let left = Promise<Int>()
      let right = Promise<Int>()
      let both = left &&& right
      let either = left ||| right
      onThreads(2) { thread in
        let promise = thread == 0 ? left : right
        if round % 2 == 0 { promise.resolve(thread) } else { promise.reject(thread) }
      }
      if round % 2 == 0 {
        #expect(both.value.map { [$0.0, $0.1] } == [0, 1])
        #expect([0, 1].contains(either.value as? Int))
      } else {
        #expect([0, 1].contains(both.rejectReason as? Int))
        let reasons = either.rejectReason as? (Any?, Any?)
        #expect([reasons?.0 as? Int, reasons?.1 as? Int] == [0, 1])
      }
    }
  }

  @Test("S-22, S-35: a promise chained after several that settle at once takes the outcome of one")
  func chains() {
    for _ in 0..<Self.rounds {
      let sources = (0..<4).map { _ in Promise<Int>() }
      let chained = Promise<Int>()
      let calls = Recorder<Int>()
      chained.then({ calls.record($0) }, nil)
      onThreads(4) { thread in
        chained.chain(after: sources[thread])
        sources[(thread + 1) % 4].resolve(thread)
      }
      #expect(calls.events == [chained.value])
    }
  }

  @Test("S-23, S-35: promises chained after each other by two threads neither hang nor crash")
  func crossedChains() {
    for round in 0..<Self.rounds {
      let first = Promise<Int>()
      let second = Promise<Int>()
      onThreads(3) { thread in
        switch thread {
        case 0: first.chain(after: second)
        case 1: second.chain(after: first)
        default: if round % 2 == 0 { first.resolve(1) } else { second.resolve(2) }
        }
      }
      let settled = round % 2 == 0 ? first : second
      #expect(settled.state != .pending)
    }
  }

  @Test("S-23, S-35: handlers on two threads that return each other's promises end in a cycle error or wait")
  func crossedFollowing() {
    for _ in 0..<Self.rounds {
      let sources = [Promise<Int>(), Promise<Int>()]
      let derived = Monitor<[Promise<Int>]>([])
      let made = (0..<2).map { index in sources[index].then(async: { _ in derived.withLock { $0[1 - index] } }) }
      derived.withLock { $0 = made }
      onThreads(2) { thread in sources[thread].resolve(thread) }
      for promise in made where promise.state != .pending {
        #expect((promise.rejectReason as? PromiseError)?.code == -6)
      }
      made[0].resolve(1)
      derived.withLock { $0 = [] }
      #expect(made[0].state != .pending)
    }
  }
}
