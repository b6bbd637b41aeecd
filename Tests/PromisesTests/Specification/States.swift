import Promises
import PromisesTestSupport
import Testing

@Suite("2.1 Promise states")
struct States {
  @Test("2.1.1 a pending promise has neither value nor reason")
  func pending() {
    let promise = Promise<Int>()
    #expect(promise.state == .pending)
    #expect(promise.value == nil)
    #expect(promise.rejectReason == nil)
  }

  @Test("2.1.1.1 a pending promise may become fulfilled or rejected")
  func transitions() {
    let fulfilled = Promise<Int>()
    fulfilled.resolve(1)
    #expect(fulfilled.state == .fulfilled)

    let rejected = Promise<Int>()
    rejected.reject(TestError())
    #expect(rejected.state == .rejected)
  }

  @Test("2.1.2 a fulfilled promise has a value and no reason")
  func fulfilled() {
    let promise = Promise<Int>()
    promise.resolve(7)
    #expect(promise.state == .fulfilled)
    #expect(promise.value == 7)
    #expect(promise.rejectReason == nil)
  }

  @Test("2.1.2.1 a fulfilled promise changes to no other state")
  func fulfilledIsFinal() {
    let promise = Promise<Int>()
    let calls = Recorder<String>()
    promise.then({ calls.record("fulfilled \($0)") }, { calls.record("rejected \(String(describing: $0))") })
    promise.resolve(1)
    for _ in 0..<2 {
      promise.reject(TestError())
      promise.discard()
      promise.resolve(2)
      promise.chain(after: .reject("other"))
      #expect(promise.state == .fulfilled)
      #expect(promise.rejectReason == nil)
    }
    #expect(calls.events == ["fulfilled 1"])
  }

  @Test("2.1.2.2 the value of a fulfilled promise does not change")
  func valueIsFinal() {
    let promise = Promise<Identity>()
    let first = Identity()
    promise.resolve(first)
    promise.resolve(Identity())
    promise.reject(TestError())
    promise.discard()
    promise.chain(after: .resolve(Identity()))
    #expect(promise.value === first)
    #expect(promise.value === first)
  }

  @Test("2.1.3 a rejected promise has a reason and no value")
  func rejected() {
    let promise = Promise<Int>()
    promise.reject(TestError(3))
    #expect(promise.state == .rejected)
    #expect(promise.value == nil)
    #expect(promise.rejectReason as? TestError == TestError(3))
  }

  @Test("2.1.3.1 a rejected promise changes to no other state")
  func rejectedIsFinal() {
    let promise = Promise<Int>()
    let calls = Recorder<String>()
    promise.then({ calls.record("fulfilled \($0)") }, { calls.record("rejected \($0 as? Int ?? -1)") })
    promise.reject(1)
    for _ in 0..<2 {
      promise.resolve(2)
      promise.discard()
      promise.reject(3)
      promise.chain(after: .resolve(4))
      #expect(promise.state == .rejected)
      #expect(promise.value == nil)
    }
    #expect(calls.events == ["rejected 1"])
  }

  @Test("2.1.3.2 the reason of a rejected promise does not change")
  func reasonIsFinal() {
    let promise = Promise<Int>()
    let first = Identity()
    promise.reject(first)
    promise.reject(Identity())
    promise.reject(nil)
    promise.resolve(1)
    promise.discard()
    promise.chain(after: .reject(Identity()))
    #expect(promise.rejectReason as? Identity === first)
    #expect(promise.rejectReason as? Identity === first)
  }
}
