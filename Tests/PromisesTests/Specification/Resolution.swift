import Promises
import PromisesTestSupport
import Testing

@Suite("3.4.1 resolve (EA-5)")
struct Resolve {
  @Test("3.4.1.1 resolve fulfils a pending promise with the value")
  func resolve() {
    let value = Identity()
    let promise = Promise<Identity>()
    promise.resolve(value)
    #expect(promise.state == .fulfilled)
    #expect(promise.value === value)
  }

  @Test("3.4.1.2 resolve does nothing to a settled promise")
  func resolveAgain() {
    let calls = Recorder<Void>()
    let fulfilled = Promise<Int>()
    fulfilled.then({ _ in calls.record() }, { _ in calls.record() })
    fulfilled.resolve(1)
    fulfilled.resolve(2)
    #expect(fulfilled.value == 1)

    let rejected = Promise<Int>()
    rejected.then({ _ in calls.record() }, { _ in calls.record() })
    rejected.reject(3)
    rejected.resolve(4)
    #expect(rejected.state == .rejected)
    #expect(rejected.value == nil)
    #expect(rejected.rejectReason as? Int == 3)

    let discarded = Promise<Int>()
    discarded.discard()
    discarded.resolve(5)
    #expect(discarded.state == .rejected)
    #expect(discarded.value == nil)
    #expect(calls.count == 2)
  }
}

@Suite("3.4.2 reject (EA-6)")
struct Reject {
  @Test("3.4.2.1 reject rejects a pending promise with the reason")
  func reject() {
    let reason = Identity()
    let promise = Promise<Int>()
    promise.reject(reason)
    #expect(promise.state == .rejected)
    #expect(promise.rejectReason as? Identity === reason)

    let withoutReason = Promise<Int>()
    withoutReason.reject(nil)
    #expect(withoutReason.state == .rejected)
  }

  @Test("3.4.2.2 reject does nothing to a settled promise")
  func rejectAgain() {
    let calls = Recorder<Void>()
    let fulfilled = Promise<Int>()
    fulfilled.then({ _ in calls.record() }, { _ in calls.record() })
    fulfilled.resolve(1)
    fulfilled.reject(2)
    #expect(fulfilled.state == .fulfilled)
    #expect(fulfilled.value == 1)
    #expect(fulfilled.rejectReason == nil)

    let rejected = Promise<Int>()
    rejected.then({ _ in calls.record() }, { _ in calls.record() })
    rejected.reject(3)
    rejected.reject(4)
    #expect(rejected.rejectReason as? Int == 3)

    let withoutReason = Promise<Int>.reject(nil)
    withoutReason.reject(5)
    #expect(withoutReason.rejectReason == nil)
    #expect(calls.count == 2)
  }
}
