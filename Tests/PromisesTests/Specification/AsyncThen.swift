import Promises
import PromisesTestSupport
import Testing

@Suite("3.1.3 Typed asynchronous then (EA-10)")
struct AsyncThen {
  @Test("3.1.3.1 success is called with the value after promise1 is fulfilled")
  func success() {
    let values = Recorder<Int>()
    let promise1 = Promise<Int>()
    let promise2 = promise1.then(async: { value -> Promise<String> in
      values.record(value)
      return .resolve("\(value)")
    })
    #expect(values.events == [])
    #expect(promise2.state == .pending)
    promise1.resolve(4)
    #expect(values.events == [4])
  }

  @Test("3.1.3.2 success is called at once if promise1 is fulfilled already")
  func alreadyFulfilled() {
    let values = Recorder<Int>()
    let inner = Promise<String>()
    let promise2 = Promise<Int>.resolve(4).then(async: { value in
      values.record(value)
      return inner
    })
    #expect(values.events == [4])
    #expect(promise2.state == .pending)
  }

  @Test("3.1.3.3 promise2 is chained after the promise that success returns")
  func chained() {
    let value = Identity()
    let reason = Identity()
    let promise1 = Promise<Int>()
    let later = Promise<Identity>()
    let failing = Promise<Identity>()
    let fulfilled = promise1.then(async: { _ in later })
    let rejected = promise1.then(async: { _ in failing })
    let atOnce = promise1.then(async: { _ in Promise<Identity>.resolve(value) })
    let rejectedAtOnce = promise1.then(async: { _ in Promise<Identity>.reject(reason) })
    promise1.resolve(1)
    #expect(fulfilled.state == .pending)
    #expect(rejected.state == .pending)
    #expect(atOnce.value === value)
    #expect(rejectedAtOnce.rejectReason as? Identity === reason)

    later.resolve(value)
    #expect(fulfilled.state == .fulfilled)
    #expect(fulfilled.value === value)
    #expect(rejected.state == .pending)

    failing.reject(reason)
    #expect(rejected.state == .rejected)
    #expect(rejected.rejectReason as? Identity === reason)
  }

  @Test("3.1.3.4 an error thrown in success rejects promise2 with it")
  func thrown() {
    let success: (Int) throws -> Promise<String> = { throw TestError($0) }
    let promise1 = Promise<Int>()
    let promise2 = promise1.then(async: success)
    promise1.resolve(6)
    #expect(promise2.state == .rejected)
    #expect(promise2.rejectReason as? TestError == TestError(6))
    #expect(promise1.state == .fulfilled)

    let promise3 = promise1.then(async: success)
    #expect(promise3.rejectReason as? TestError == TestError(6))
  }

  @Test("3.1.3.5 the reason of promise1 rejects promise2, and success is not called")
  func passedThrough() {
    let calls = Recorder<Void>()
    let reason = Identity()
    let success: (Int) throws -> Promise<String> = { _ in
      calls.record()
      return .resolve("")
    }
    let promise1 = Promise<Int>()
    let promise2 = promise1.then(async: success)
    promise1.reject(reason)
    #expect(promise2.state == .rejected)
    #expect(promise2.rejectReason as? Identity === reason)

    let promise3 = promise1.then(async: success)
    #expect(promise3.state == .rejected)
    #expect(promise3.rejectReason as? Identity === reason)
    #expect(calls.count == 0)
  }
}
