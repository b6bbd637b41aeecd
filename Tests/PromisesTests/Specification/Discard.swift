import Promises
import PromisesTestSupport
import Testing

@Suite("3.5 Discarding (EA-21)")
struct Discard {
  @Test("3.5.1 discard calls the discard block of a pending promise and rejects it")
  func pending() {
    let log = Recorder<String>()
    let promise = Promise<Int>(discard: { log.record("block") })
    promise.then({ _ in log.record("success") }, { log.record("rejected, discarded: \($0 is Promise<Int>.Rejection)") })
    promise.discard()
    #expect(log.events == ["block", "rejected, discarded: true"])
    #expect(promise.state == .rejected)
    #expect(promise.rejectReason is Promise<Int>.Rejection)

    let withoutBlock = Promise<Int>()
    withoutBlock.discard()
    #expect(withoutBlock.state == .rejected)
    #expect(withoutBlock.rejectReason is Promise<Int>.Rejection)
  }

  @Test("3.5.2 discard does nothing to a settled promise")
  func settled() {
    let calls = Recorder<String>()
    let fulfilled = Promise<Int>(discard: { calls.record("block of the fulfilled") })
    fulfilled.resolve(1)
    fulfilled.discard()
    #expect(fulfilled.state == .fulfilled)
    #expect(fulfilled.value == 1)

    let rejected = Promise<Int>(discard: { calls.record("block of the rejected") })
    rejected.reject(2)
    rejected.discard()
    #expect(rejected.rejectReason as? Int == 2)
    #expect(calls.events == [])

    let discarded = Promise<Int>(discard: { calls.record("block of the discarded") })
    discarded.discard()
    discarded.discard()
    #expect(calls.events == ["block of the discarded"])
  }
}
