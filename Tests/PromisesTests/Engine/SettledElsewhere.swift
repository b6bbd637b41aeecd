import Dispatch
import PromisesTestSupport
import Synchronization
import Testing

@testable import Promises

@Suite("Engine: promises that are settled by a thread that runs no callbacks")
struct SettledElsewhere {
  private final class Elsewhere: Sendable {
    private let left = Mutex<[@Sendable () -> Void]>([])
    var count: Int { left.withLock(\.count) }

    func add(_ work: @escaping @Sendable () -> Void) { left.withLock { $0.append(work) } }

    func run() {
      let work = left.withLock { left in
        defer { left = [] }
        return left
      }
      for body in work { body() }
    }
  }

  private func onDemand(
    discarded: @escaping () -> Void = {}, requested: @escaping () -> Void = {},
    read: @escaping (CellRef) -> Void = { _ in }
  ) -> Promise<String> {
    Promise(cell: CellRef.onDemand(DemandBlock(discard: discarded, requestCancel: requested, read: read))!)
  }

  @Test("resolve(_:elsewhere:) wakes waiters without another thread")
  func waiters() {
    let elsewhere = Elsewhere()
    let begun = DispatchSemaphore(value: 0)
    let promise = onDemand(read: { _ in begun.signal() })
    let ended = DispatchSemaphore(value: 0)
    let value = Mutex<String?>(nil)
    DispatchQueue.global().async {
      let result = try? promise.future.wait()
      value.withLock { $0 = result?.value }
      ended.signal()
    }
    begun.wait()
    promise.resolve("one", elsewhere: elsewhere.add)
    #expect(ended.wait(timeout: .now() + 300) == .success)
    #expect(value.withLock { $0 } == "one")
    #expect(elsewhere.count == 0)
  }

  @Test("resolve(_:elsewhere:) leaves callbacks to another thread, in their order; later ones run at once")
  func callbacks() {
    let elsewhere = Elsewhere()
    let promise = onDemand()
    let seen = Mutex<[String]>([])
    promise.then({ value in seen.withLock { $0.append("first \(value)") } }, nil)
    promise.then({ value in seen.withLock { $0.append("second \(value)") } }, nil)
    promise.resolve("one", elsewhere: elsewhere.add)
    #expect(seen.withLock { $0 } == [])
    #expect(elsewhere.count == 1)
    promise.then({ value in seen.withLock { $0.append("late \(value)") } }, nil)
    elsewhere.run()
    #expect(seen.withLock { $0 } == ["late one", "first one", "second one"])
  }

  @Test("resolve(_:elsewhere:) releases the block and keeps the value, and a second settlement is refused")
  func second() {
    let elsewhere = Elsewhere()
    final class Held: Sendable {}
    var held: Held? = Held()
    weak let weakly = held
    let promise = onDemand(discarded: { [held] in _ = held })
    held = nil
    #expect(weakly != nil)
    promise.resolve("one", elsewhere: elsewhere.add)
    #expect(weakly == nil)
    promise.resolve("two", elsewhere: elsewhere.add)
    promise.discard()
    elsewhere.run()
    #expect(promise.value == "one")
  }

  @Test("each way to read a promise on demand asks its maker for the value", arguments: 0..<7)
  func read(way: Int) {
    let reads = Mutex(0)
    let promise = onDemand(read: { _ in reads.withLock { $0 += 1 } })
    let future = promise.future
    #expect(reads.withLock { $0 } == 0)
    switch way {
    case 0: #expect(promise.state == .pending)
    case 1: #expect(promise.value == nil)
    case 2: withExtendedLifetime(promise.abi) {}
    case 3: #expect(!future.isSettled)
    case 4: #expect(future.value == nil)
    case 5: _ = when(fulfilled: [promise])
    default: _ = Future.race([future])
    }
    #expect(reads.withLock { $0 } > 0)
    promise.discard()
  }

  @Test("a request to cancel a promise on demand calls its maker once, before the handlers of the request")
  func requested() {
    let seen = Mutex<[String]>([])
    let promise = onDemand(requested: { seen.withLock { $0.append("maker") } })
    promise.cell.onCancelRequest { seen.withLock { $0.append("handler") } }
    promise.future.requestCancel()
    promise.future.requestCancel()
    #expect(seen.withLock { $0 } == ["maker", "handler"])
    promise.resolve("one")
    promise.future.requestCancel()
    #expect(seen.withLock(\.count) == 2)
  }

  @Test("a request to cancel the only promise derived from a promise on demand calls its maker")
  func requestedDownstream() {
    let seen = Mutex(0)
    // The reference of its settler is the only one.
    let promise = onDemand(requested: { seen.withLock { $0 += 1 } })
    let derived = promise.then { $0 }
    derived.future.requestCancel()
    #expect(seen.withLock { $0 } == 1)
    withExtendedLifetime(promise) {}
  }
}
