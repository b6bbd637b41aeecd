import Promises
import PromisesTestSupport
import Testing

// On the main actor, so a block on the main queue cannot run while the test itself does not wait.
@MainActor
@Suite("Readings: the block initializer")
struct BlockReadings {
  @Test("S-30: a promise may have both a block and a discard block")
  func both() async {
    let log = Recorder<String>()
    let discarded = Promise<Int>(discard: { log.record("discard") }) { _, _ in log.record("block") }
    #expect(discarded.state == .pending)
    discarded.discard()
    #expect(log.events == ["discard"])
    await mainQueueDrained()
    #expect(log.events == ["discard", "block"])

    let resolved = Promise<Int>(discard: { log.record("discard") }) { resolve, _ in resolve(1) }
    await mainQueueDrained()
    #expect(resolved.value == 1)
    resolved.discard()
    #expect(log.events == ["discard", "block"])
  }

  @Test("S-31, EA-19: the block runs on the main queue, or in the context that is given")
  func context() async {
    let mainThread = currentThread()
    let threads = Recorder<UInt>()
    let other = onThread {
      _ = Promise<Int> { _, _ in threads.record(currentThread()) }
      _ = Promise<Int>(on: .main) { _, _ in threads.record(currentThread()) }
      return currentThread()
    }
    #expect(threads.events == [])
    await mainQueueDrained()
    #expect(threads.events == [mainThread, mainThread])
    #expect(other != mainThread)
  }

  @Test("S-32, EA-19: the block runs even if the promise was settled before, and its calls do nothing")
  func settledBefore() async {
    let calls = Recorder<Void>()
    let block: (@escaping (Int) -> Void, @escaping (Any?) -> Void) -> Void = { resolve, reject in
      calls.record()
      resolve(-1)
      reject(-1)
    }
    let resolved = Promise<Int>(block)
    let discarded = Promise<Int>(block)
    resolved.resolve(1)
    discarded.discard()
    await mainQueueDrained()
    #expect(calls.count == 2)
    #expect(resolved.value == 1)
    #expect(discarded.rejectReason is Promise<Int>.Rejection)
  }

  @Test("S-33: the block's resolve and reject hold the promise as long as they live")
  func heldByClosures() async {
    let log = Recorder<String>()
    let kept = Closures()
    do {
      let promise = Promise<Int> { resolve, _ in kept.resolve = resolve }
      promise.then({ log.record("resolved \($0)") }, nil)
    }
    do {
      let promise = Promise<Int> { _, reject in kept.reject = reject }
      promise.then(nil, { log.record("rejected \($0 as? Int ?? -1)") })
    }
    await mainQueueDrained()
    #expect(log.events == [])
    kept.resolve?(1)
    kept.reject?(2)
    #expect(log.events == ["resolved 1", "rejected 2"])
  }

  @Test("S-33: when the block drops them unsettled, the callbacks are released uncalled")
  func dropped() async {
    let tracker = LifetimeTracker()
    let calls = Recorder<Void>()
    observe(Promise<Int> { _, _ in }, tracker, calls)
    #expect(tracker.live == 1)
    await mainQueueDrained()
    #expect(tracker.live == 0)
    #expect(calls.count == 0)
  }

  private func observe(_ promise: Promise<Int>, _ tracker: LifetimeTracker, _ calls: Recorder<Void>) {
    let held = tracker.track()
    let record = {
      held.touch()
      calls.record()
    }
    promise.then({ _ in record() }, { _ in record() })
  }

  @Test("S-38: the block does not throw: it reports failures by reject")
  func rejects() async {
    let promise = Promise<Int> { resolve, reject in
      do { resolve(try failing()) } catch { reject(error) }
    }
    await mainQueueDrained()
    #expect(promise.rejectReason as? TestError == TestError(1))
  }
}

private func failing() throws -> Int { throw TestError(1) }

private final class Closures {
  var resolve: ((Int) -> Void)?
  var reject: ((Any?) -> Void)?
}
