import Promises
import PromisesTestSupport
import Testing

@Suite("Items of a cancellation pool")
struct PooledItems {
  private typealias Item = CancellationPoolTests.Item

  @Test("D55: entries of destroyed items do not accumulate in a pool", arguments: [true, false])
  func destroyed(isFuture: Bool) {
    let requests = Recorder<Void>()
    let kept = Item { requests.record() }
    let pool = CancellationPool()
    pool.add(kept)
    #expect(pool.count == 1)
    for _ in 0..<10_000 { pool.add(isFuture ? Future<Int, Never>.makeWithResolver().0 : Item {}) }
    #expect(pool.count < 1_000)
    pool.drain()
    #expect(requests.count == 1 && pool.count == 0)
    withExtendedLifetime(kept) {}
  }
}
