import Promises
import PromisesTestSupport
import Testing

@Suite("Contexts: work that its executor drops")
struct DroppedWork {
  private let executor = ManualExecutor()

  private func dropAll() { executor.take().forEach { $0.drop() } }

  private func isFault(_ error: Any?) -> Bool { (error as? PromiseError)?.code == -8 }

  @Test("a promise whose block is dropped is rejected, and the block is released")
  func promise() {
    withLifetimeTracking { tracker in
      let promise = Promise<Int>(on: executor.here) { [held = tracker.track()] resolve, _ in
        held.touch()
        resolve(1)
      }
      dropAll()
      #expect(isFault(promise.rejectReason))
    }
  }

  @Test("a promise whose block runs, or that is settled before its block is dropped, is left alone")
  func settledOtherwise() {
    var resolve: ((Int) -> Void)?
    let promise = Promise<Int>(on: executor.here) { kept, _ in Kept.resolve.withLock { $0 = kept } }
    executor.runAll()
    resolve = Kept.resolve.withLock { $0 }
    #expect(promise.state == .pending)
    resolve?(1)
    #expect(promise.value == 1)
    let settled = Promise<Int>(on: executor.here) { resolve, _ in resolve(2) }
    settled.resolve(3)
    dropAll()
    #expect(settled.value == 3)
  }

  @MainActor @Test("... so is one whose block or body the substitute of the main queue drops")
  func main() async {
    await #expect(processExitsWith: .success) {
      let executor = ManualExecutor()
      PromiseContext.useMainExecutor(executor)
      let block = Promise<Int> { resolve, _ in resolve(1) }
      let body = Promise<Int> { try failing() }
      let discardable = Promise<Int>(discard: {}) { resolve, _ in resolve(1) }
      let future = Future<Int, any Error>(on: .main) { $0.fulfill(1) }
      executor.take().forEach { $0.drop() }
      for reason in [block.rejectReason, body.rejectReason, discardable.rejectReason, future.error] {
        precondition((reason as? PromiseError)?.code == -8)
      }
    }
  }

  @Test("a future whose work is dropped has the error, or is cancelled because of it")
  func future() {
    let throwing = Future<Int, any Error>(on: executor.here) { $0.fulfill(1) }
    let typed = Future<Int, TestError>(on: executor.here) { $0.fulfill(1) }
    let delayed = DelayedFuture<Int, any Error>(on: executor.here) { $0.fulfill(1) }
    #expect(delayed.future.result == nil)
    #expect(executor.count == 3)
    dropAll()
    #expect(isFault(throwing.error) && isFault(delayed.future.error))
    #expect(typed.result?.isCancelled == true && isFault(typed.result?.indirectError))
  }
}

private func failing() throws -> Int { throw TestError(1) }

private enum Kept {
  static let resolve = Monitor<((Int) -> Void)?>(nil)
}
