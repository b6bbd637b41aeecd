import Synchronization
import Testing

@testable import plugin_host

@Suite struct SlotsTests {
  @Test func jobsBeginInTheirOrder() {
    let slots = Slots(limit: 2)
    let begun = Mutex<[Int]>([])
    for number in 0..<200 { slots.enter { begun.withLock { $0.append(number) } } }
    #expect(begun.withLock { $0 } == [0, 1])
    for _ in 0..<300 { slots.leave() }
    #expect(begun.withLock { $0 } == Array(0..<200))
  }

  @Test func jobsThatLeaveAtOnceDoNotRecurse() {
    let slots = Slots(limit: 1)
    let count = Mutex(0)
    slots.enter {}
    for _ in 0..<200_000 {
      slots.enter {
        count.withLock { $0 += 1 }
        slots.leave()
      }
    }
    slots.leave()
    #expect(count.withLock { $0 } == 200_000)
  }
}
