import Promises
import PromisesTestSupport
import Testing

@Suite("3.3 Initializers")
struct Initializers {
  @Test("3.3.1 the default initializer creates a pending promise")
  func empty() {
    let promise = Promise<String>()
    #expect(promise.state == .pending)
    #expect(promise.value == nil)
    #expect(promise.rejectReason == nil)
    promise.resolve("settled by hand")
    #expect(promise.value == "settled by hand")
  }

  @Test("3.3.3 the discarding initializer creates a pending promise with the block that a discard calls")
  func discarding() {
    let calls = Recorder<Void>()
    let promise = Promise<Int>(discard: { calls.record() })
    #expect(promise.state == .pending)
    #expect(calls.count == 0)
    promise.discard()
    #expect(calls.count == 1)
  }
}

// On the main actor, so the block, which runs on the main queue, cannot run while the test itself does not wait.
@MainActor
@Suite("3.3.2 Asynchronous block initializer")
struct BlockInitializer {
  @Test("3.3.2.1 a promise created with a block is pending, even if the block settles it at once (EA-19)")
  func pending() async {
    let promise = Promise<Int> { resolve, _ in resolve(1) }
    #expect(promise.state == .pending)
    await mainQueueDrained()
    #expect(promise.state == .fulfilled)
  }

  @Test("3.3.2.2 the block is executed asynchronously, later, and once (EA-19)")
  func later() async {
    let calls = Recorder<Bool>()
    let mainThread = currentThread()
    let promise = Promise<Int> { _, _ in calls.record(currentThread() == mainThread) }
    #expect(calls.events == [])
    await mainQueueDrained()
    #expect(calls.events == [true])
    await mainQueueDrained()
    #expect(calls.events == [true])
    #expect(promise.state == .pending)
  }

  @Test("3.3.3.2 the promise lives at least until its block executes")
  func captured() async {
    let log = Recorder<Int>()
    do {
      let promise = Promise<Int> { resolve, _ in resolve(7) }
      promise.then({ log.record($0) }, nil)
    }
    _ = Promise<Int> { _, reject in reject(8) }.rescue { (reason: Int) -> Int in
      log.record(reason)
      return reason
    }
    #expect(log.events == [])
    await mainQueueDrained()
    #expect(log.events == [7, 8])
  }

  @Test("3.3.3.3 the first of the block's calls settles the promise (EA-19)")
  func first() async {
    let resolved = Promise<Int> { resolve, reject in
      resolve(1)
      resolve(2)
      reject(3)
    }
    let rejected = Promise<Int> { resolve, reject in
      reject(4)
      reject(5)
      resolve(6)
    }
    await mainQueueDrained()
    #expect(resolved.value == 1)
    #expect(resolved.state == .fulfilled)
    #expect(rejected.rejectReason as? Int == 4)
    #expect(rejected.state == .rejected)
  }

  @Test("3.3.3.3.1 a call of resolve resolves the promise with its argument")
  func resolves() async {
    let value = Identity()
    let log = Recorder<Bool>()
    let promise = Promise<Identity> { resolve, _ in resolve(value) }
    promise.then({ log.record($0 === value) }, nil)
    await mainQueueDrained()
    #expect(promise.state == .fulfilled)
    #expect(promise.value === value)
    #expect(log.events == [true])
  }

  @Test("3.3.3.3.2 a call of reject rejects the promise with its argument")
  func rejects() async {
    let reason = Identity()
    let log = Recorder<Bool>()
    let promise = Promise<Int> { _, reject in reject(reason) }
    promise.then(nil, { log.record($0 as? Identity === reason) })
    let withoutReason = Promise<Int> { _, reject in reject(nil) }
    await mainQueueDrained()
    #expect(promise.state == .rejected)
    #expect(promise.rejectReason as? Identity === reason)
    #expect(log.events == [true])
    #expect(withoutReason.state == .rejected)
    #expect(withoutReason.rejectReason == nil)
  }
}
