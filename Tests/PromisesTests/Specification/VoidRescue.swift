import Promises
import PromisesTestSupport
import Testing

@Suite("3.2.1 Void rescue (EA-12)")
struct VoidRescue {
  @Test("3.2.1.1 a void rescue waits for the rejection, and does not run on fulfilment")
  func waits() {
    let calls = Recorder<Void>()
    let promise = Promise<Int>()
    promise.rescue { (_: Any?) in calls.record() }
    #expect(calls.count == 0)
    promise.resolve(1)
    promise.rescue { (_: Any?) in calls.record() }
    promise.rescue { (_: Int) in calls.record() }
    #expect(calls.count == 0)
  }

  @Test("3.2.1.1.1 onError is called with a reason that meets its condition after the rejection")
  func matching() {
    let codes = Recorder<Int>()
    let promise = Promise<Int>()
    promise.rescue { (error: TestError) in codes.record(error.code) }
    #expect(codes.events == [])
    promise.reject(TestError(3))
    #expect(codes.events == [3])
    promise.reject(TestError(4))
    #expect(codes.events == [3])
  }

  @Test("3.2.1.1.2 onError is not called after a rejection that does not meet its condition")
  func other() {
    let calls = Recorder<String>()
    let promise = Promise<Int>()
    promise.rescue { (_: TestError) in calls.record("TestError") }
    promise.rescue { (_: OtherError) in calls.record("OtherError") }
    promise.reject(OtherError())
    #expect(calls.events == ["OtherError"])
  }

  @Test("3.2.1.2 a void rescue of a rejected promise judges its reason at once")
  func alreadyRejected() {
    let calls = Recorder<String>()
    let promise = Promise<Int>.reject(TestError(1))
    promise.rescue { (_: OtherError) in calls.record("OtherError") }
    promise.rescue { (_: TestError) in calls.record("TestError") }
    #expect(calls.events == ["TestError"])
    #expect(promise.state == .rejected)
  }

  @Test("3.2.1.2.1 onError is called at once with the reason of a rejected promise that meets its condition")
  func alreadyMatching() {
    let codes = Recorder<Int>()
    let promise = Promise<Int>.reject(TestError(5))
    promise.rescue { (error: TestError) in codes.record(error.code) }
    #expect(codes.events == [5])
    promise.rescue { (error: any Error) in codes.record((error as? TestError)?.code ?? -1) }
    #expect(codes.events == [5, 5])
  }

  @Test("3.2.1.2.2 onError is not called if the reason of a rejected promise does not meet its condition")
  func alreadyOther() {
    let calls = Recorder<Void>()
    let promise = Promise<Int>.reject(TestError(5))
    promise.rescue { (_: OtherError) in calls.record() }
    promise.rescue { (_: Int) in calls.record() }
    Promise<Int>.reject(nil).rescue { (_: String) in calls.record() }
    #expect(calls.count == 0)
  }
}
