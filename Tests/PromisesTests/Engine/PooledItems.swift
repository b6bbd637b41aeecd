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

  private final class Adding: Cancellable {
    private let pool: CancellationPool

    init(_ pool: CancellationPool) { self.pool = pool }

    func requestCancel() {}

    deinit { pool.add(Item {}) }
  }

  @Test("an item may be destroyed, and use its pool then, while the pool looks for destroyed items")
  func destroyedMeanwhile() async {
    await #expect(processExitsWith: .success) {
      for _ in 0..<Scale.million / 500 {
        let pool = CancellationPool()
        nonisolated(unsafe) var items = (0..<1_000).map { _ in Adding(pool) }
        pool.add(contentsOf: items)
        onThreads(2) { thread in
          if thread == 0 { items = [] } else { for _ in 0..<64 { pool.add(Item {}) } }
        }
      }
    }
  }

  // Beside the races under ThreadSanitizer, which does not see the standard library's `Mutex`.
  @Test("D55, D56: items that threads add while another thread drains the pool are asked once each")
  func pool() {
    final class Counted: Cancellable {
      let asked = Counter()
      func requestCancel() { asked.add() }
    }
    let pool = CancellationPool()
    let items = (0..<3).map { _ in (0..<10_000).map { _ in Counted() } }
    onThreads(4) { thread in
      if thread < 3 {
        for item in items[thread] { pool.add(item) }
      } else {
        for _ in 0..<10_000 { pool.drain() }
      }
    }
    pool.drain()
    #expect(items.joined().allSatisfy { $0.asked.value == 1 })
  }
}
