import Promises
import Synchronization
import Testing

private let watched = Atomic<UInt>(0)
private let count = Atomic<Int>(0)

@Suite("Readings: settling a second time", .serialized)
struct SecondSettlementReadings {
  /// How often the hook is told of `promise` while `body` runs. Other tests settle promises twice meanwhile.
  private func reports(of promise: AnyPromise, during body: () -> Void) -> Int {
    watched.store(UInt(bitPattern: promise.abi), ordering: .releasing)
    count.store(0, ordering: .releasing)
    PromiseHooks.secondSettlement = { handle in
      if UInt(bitPattern: handle) == watched.load(ordering: .acquiring) { count.add(1, ordering: .relaxed) }
    }
    defer { PromiseHooks.secondSettlement = nil }
    body()
    return count.load(ordering: .acquiring)
  }

  @Test("X-6: the hook is told of each call that settles a settled promise")
  func hook() {
    let promise = Promise<Int>()
    #expect(reports(of: promise) { promise.resolve(1) } == 0)
    let second = reports(of: promise) {
      promise.resolve(2)
      promise.reject("no")
    }
    #expect(second == 2)
    #expect(reports(of: promise) { promise.discard() } == 0)
  }

  @Test("X-6: a call says whether it settled the promise")
  func result() {
    let promise = Promise<Int>()
    #expect(promise.resolve(1) as Bool)
    #expect(!(promise.resolve(2) as Bool))
    #expect(!(promise.reject("no") as Bool))
    #expect(promise.value == 1)
  }

  @Test("EA-27, EA-28: the and and the or of two promises, settled from both sides, report nothing")
  func operators() {
    for rejects in [false, true] {
      let (left, right) = (Promise<Int>(), Promise<Int>())
      let (both, either) = (left &&& right, left ||| right)
      let settle = { (promise: Promise<Int>) in rejects ? promise.reject("no") : promise.resolve(1) }
      #expect(reports(of: both) { settle(left) } == 0)
      #expect(reports(of: either) { settle(right) } == 0)
      #expect(both.state == (rejects ? .rejected : .fulfilled))
      #expect(either.state == (rejects ? .rejected : .fulfilled))
    }
  }
}
