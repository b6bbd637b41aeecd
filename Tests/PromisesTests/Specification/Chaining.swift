import Promises
import PromisesTestSupport
import Testing

@Suite("2.2 Promise chaining (EA-16)")
struct Chaining {
  @Test("2.2.1 a promise chained after one that is fulfilled is fulfilled with the same value")
  func fulfilment() {
    let value = Identity()
    let promise1 = Promise<Identity>()
    let promise2 = Promise<Identity>()
    promise2.chain(after: promise1)
    #expect(promise2.state == .pending)
    promise1.resolve(value)
    #expect(promise2.state == .fulfilled)
    #expect(promise2.value === value)

    let promise3 = Promise<Identity>()
    promise3.chain(after: promise1)
    #expect(promise3.value === value)
  }

  @Test("2.2.2 a promise chained after one that is rejected is rejected with the same reason")
  func rejection() {
    let reason = Identity()
    let promise1 = Promise<Int>()
    let promise2 = Promise<Int>()
    promise2.chain(after: promise1)
    #expect(promise2.state == .pending)
    promise1.reject(reason)
    #expect(promise2.state == .rejected)
    #expect(promise2.rejectReason as? Identity === reason)

    let promise3 = Promise<Int>()
    promise3.chain(after: promise1)
    #expect(promise3.rejectReason as? Identity === reason)
  }
}
