import Promises
import PromisesTestSupport
import Testing

@Suite("2.4 Discarding a promise")
struct Discarding {
  @Test("2.4.1 discarding cancels the computation of the value")
  func cancels() {
    let cancelled = Recorder<Void>()
    let promise = Promise<Int>(discard: { cancelled.record() })
    #expect(cancelled.count == 0)
    promise.discard()
    #expect(cancelled.count == 1)
  }

  @Test("2.4.2 a discarded promise is rejected with a reason that says so")
  func reason() {
    let reasons = Recorder<Bool>()
    let promise = Promise<Int>()
    promise.then(nil, { reasons.record($0 is Promise<Int>.Rejection) })
    promise.discard()
    #expect(promise.state == .rejected)
    #expect(promise.rejectReason is Promise<Int>.Rejection)
    #expect(promise.value == nil)
    #expect(reasons.events == [true])

    let other = Promise<Int>.reject(TestError())
    #expect(!(other.rejectReason is Promise<Int>.Rejection))
  }
}
