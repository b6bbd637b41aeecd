import Promises
import PromisesTestSupport
import Testing

@Suite("3.2.3 Non-void asynchronous rescue (EA-14)")
struct AsyncRescue {
  @Test("3.2.3.1 handler is called with a reason that meets its condition after promise1 is rejected")
  func matching() {
    let codes = Recorder<Int>()
    let promise1 = Promise<Int>()
    let promise2 = promise1.rescue { (error: TestError) -> Promise<String> in
      codes.record(error.code)
      return .resolve("rescued")
    }
    #expect(codes.events == [])
    #expect(promise2.state == .pending)
    promise1.reject(TestError(3))
    #expect(codes.events == [3])
    #expect(promise1.state == .rejected)
  }

  @Test("3.2.3.2 handler is called at once if promise1 is rejected already with a reason that meets its condition")
  func alreadyRejected() {
    let codes = Recorder<Int>()
    let inner = Promise<String>()
    let promise2 = Promise<Int>.reject(TestError(3)).rescue { (error: TestError) -> Promise<String> in
      codes.record(error.code)
      return inner
    }
    #expect(codes.events == [3])
    #expect(promise2.state == .pending)
  }

  @Test("3.2.3.3 promise2 is chained after the promise that handler returns")
  func chained() {
    let value = Identity()
    let reason = Identity()
    let promise1 = Promise<Int>()
    let later = Promise<Identity>()
    let failing = Promise<Identity>()
    let fulfilled = promise1.rescue { (_: TestError) in later }
    let rejected = promise1.rescue(async: { (_: TestError) in failing })
    let atOnce = promise1.rescue { (_: TestError) in Promise<Identity>.resolve(value) }
    promise1.reject(TestError())
    #expect(fulfilled.state == .pending)
    #expect(rejected.state == .pending)
    #expect(atOnce.value === value)

    later.resolve(value)
    #expect(fulfilled.state == .fulfilled)
    #expect(fulfilled.value === value)
    #expect(rejected.state == .pending)

    failing.reject(reason)
    #expect(rejected.state == .rejected)
    #expect(rejected.rejectReason as? Identity === reason)
  }

  @Test("3.2.3.4 an error thrown in handler rejects promise2 with it")
  func thrown() {
    let handler: (TestError) throws -> Promise<String> = { throw TestError($0.code + 1) }
    let promise1 = Promise<Int>()
    let promise2 = promise1.rescue(handler)
    promise1.reject(TestError(1))
    #expect(promise2.state == .rejected)
    #expect(promise2.rejectReason as? TestError == TestError(2))
    #expect(promise1.rescue(async: handler).rejectReason as? TestError == TestError(2))
    #expect(promise1.rejectReason as? TestError == TestError(1))
  }

  @Test("3.2.3.5 a reason that does not meet the condition rejects promise2, and handler is not called")
  func passedThrough() {
    let calls = Recorder<Void>()
    let reason = Identity()
    let handler: (TestError) throws -> Promise<String> = { _ in
      calls.record()
      return .resolve("")
    }
    let promise1 = Promise<Int>()
    let promise2 = promise1.rescue(handler)
    promise1.reject(reason)
    #expect(promise2.state == .rejected)
    #expect(promise2.rejectReason as? Identity === reason)
    #expect(promise1.rescue(async: handler).rejectReason as? Identity === reason)
    #expect(calls.count == 0)
  }
}
