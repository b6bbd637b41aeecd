import Promises
import PromisesTestSupport
import Testing

@Suite("3.2.2 Non-void rescue (EA-13)")
struct Rescue {
  @Test("3.2.2.1 handler is called with a reason that meets its condition after promise1 is rejected")
  func matching() {
    let codes = Recorder<Int>()
    let promise1 = Promise<Int>()
    let promise2 = promise1.rescue { (error: TestError) -> String in
      codes.record(error.code)
      return "rescued"
    }
    #expect(codes.events == [])
    #expect(promise2.state == .pending)
    promise1.reject(TestError(3))
    #expect(codes.events == [3])
    #expect(promise1.state == .rejected)
  }

  @Test("3.2.2.2 handler is called at once if promise1 is rejected already with a reason that meets its condition")
  func alreadyRejected() {
    let codes = Recorder<Int>()
    let promise2 = Promise<Int>.reject(TestError(3)).rescue { (error: TestError) -> String in
      codes.record(error.code)
      return "rescued"
    }
    #expect(codes.events == [3])
    #expect(promise2.value == "rescued")
  }

  @Test("3.2.2.3 promise2 is resolved with the result of handler")
  func returned() {
    let result = Identity()
    let promise1 = Promise<Int>()
    let promise2 = promise1.rescue { (_: TestError) -> Identity in result }
    promise1.reject(TestError())
    #expect(promise2.state == .fulfilled)
    #expect(promise2.value === result)
    #expect(promise2.rejectReason == nil)
  }

  @Test("3.2.2.4 an error thrown in handler rejects promise2 with it")
  func thrown() {
    let handler: (TestError) throws -> String = { throw TestError($0.code + 1) }
    let promise1 = Promise<Int>()
    let promise2 = promise1.rescue(handler)
    promise1.reject(TestError(1))
    #expect(promise2.state == .rejected)
    #expect(promise2.rejectReason as? TestError == TestError(2))
    #expect(promise1.rescue(handler).rejectReason as? TestError == TestError(2))
    #expect(promise1.rejectReason as? TestError == TestError(1))
  }

  @Test("3.2.2.5 a reason that does not meet the condition travels on to the next matching handler")
  func passedThrough() {
    let calls = Recorder<String>()
    let reason = Identity()
    let handler: (TestError) throws -> String = { _ in
      calls.record("TestError")
      return ""
    }
    let promise1 = Promise<Int>()
    let promise2 = promise1.rescue(handler)
    let promise3 = promise2.rescue { (_: OtherError) -> Int in
      calls.record("OtherError")
      return 0
    }
    let promise4 = promise3.rescue { (object: Identity) -> Bool in object === reason }
    promise1.reject(reason)
    #expect(promise2.state == .rejected)
    #expect(promise2.rejectReason as? Identity === reason)
    #expect(promise3.rejectReason as? Identity === reason)
    #expect(promise4.value == true)
    #expect(promise1.rescue(handler).rejectReason as? Identity === reason)
    #expect(calls.events == [])
  }
}
