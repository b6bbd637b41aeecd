import Promises
import PromisesTestSupport
import Testing

@Suite("3.1.2 Typed then (EA-9)")
struct TypedThen {
  @Test("3.1.2.1 success is called with the value after promise1 is fulfilled")
  func success() {
    let values = Recorder<Int>()
    let promise1 = Promise<Int>()
    let promise2 = promise1.then { value -> String in
      values.record(value)
      return "\(value)"
    }
    #expect(values.events == [])
    #expect(promise2.state == .pending)
    promise1.resolve(4)
    #expect(values.events == [4])
  }

  @Test("3.1.2.2 success is called at once if promise1 is fulfilled already")
  func alreadyFulfilled() {
    let values = Recorder<Int>()
    let promise2 = Promise<Int>.resolve(4).then { value -> String in
      values.record(value)
      return "\(value)"
    }
    #expect(values.events == [4])
    #expect(promise2.value == "4")
  }

  @Test("3.1.2.3 promise2 is fulfilled with the result of success")
  func returned() {
    let result = Identity()
    let promise1 = Promise<Int>()
    let promise2 = promise1.then { _ in result }
    let promise3 = promise2.then { $0 === result }
    #expect(promise3.state == .pending)
    promise1.resolve(1)
    #expect(promise2.state == .fulfilled)
    #expect(promise2.value === result)
    #expect(promise3.value == true)
  }

  @Test("3.1.2.4 an error thrown in success rejects promise2 with it")
  func thrown() {
    let promise1 = Promise<Int>()
    let success: (Int) throws -> String = { throw TestError($0) }
    let promise2 = promise1.then(success)
    promise1.resolve(6)
    #expect(promise2.state == .rejected)
    #expect(promise2.rejectReason as? TestError == TestError(6))
    #expect(promise1.state == .fulfilled)

    let promise3 = promise1.then(success)
    #expect(promise3.rejectReason as? TestError == TestError(6))
  }

  @Test("3.1.2.5 the reason of promise1 rejects promise2, and success is not called")
  func passedThrough() {
    let calls = Recorder<Void>()
    let reason = Identity()
    let success: (Int) throws -> String = { _ in
      calls.record()
      return ""
    }
    let promise1 = Promise<Int>()
    let promise2 = promise1.then(success)
    promise1.reject(reason)
    #expect(promise2.state == .rejected)
    #expect(promise2.rejectReason as? Identity === reason)

    let promise3 = promise1.then(success)
    #expect(promise3.state == .rejected)
    #expect(promise3.rejectReason as? Identity === reason)
    let withoutReason = Promise<Int>.reject(nil).then(success)
    #expect(withoutReason.state == .rejected)
    #expect(withoutReason.rejectReason == nil)
    #expect(calls.count == 0)
  }
}
