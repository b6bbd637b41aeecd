import Promises
import PromisesTestSupport
import Testing

@Suite("Readings: values, reasons and types")
struct Outcomes {
  @Test("S-18, EA-3: the value is stored once; every read gives the same one")
  func identity() {
    final class Counted {}
    let value = Counted()
    let promise = Promise<[Counted]>.resolve([value])
    #expect(promise.value?.first === value)
    #expect(promise.value?.first === promise.value?.first)
    let derived = promise.then { $0[0] }
    #expect(derived.value === value)
  }

  @Test("S-19, EA-3, EA-6: nil is a reason; the state is rejected")
  func nilReason() {
    let calls = Recorder<Bool>()
    let promise = Promise<Int>()
    promise.then(nil, { calls.record($0 == nil) })
    promise.reject(nil)
    #expect(promise.state == .rejected)
    #expect(promise.rejectReason == nil)
    #expect(calls.events == [true])
    let derived = promise.then { $0 }
    #expect(derived.state == .rejected)
    #expect(derived.rejectReason == nil)
    promise.reject("later")
    #expect(promise.rejectReason == nil)
  }

  @Test("S-20, EA-5: resolving with a promise stores it, and does not follow it")
  func notFlattened() {
    let inner = Promise<Int>()
    let outer = Promise<Promise<Int>>()
    outer.resolve(inner)
    #expect(outer.state == .fulfilled)
    #expect(outer.value === inner)
    let any = Promise<Any>()
    any.resolve(inner)
    #expect(any.value as? Promise<Int> === inner)
    let rejected: Promise<Int> = .reject(inner)
    #expect(rejected.rejectReason as? Promise<Int> === inner)
    #expect(inner.state == .pending)
  }

  @Test("S-36, EA-2, EA-3: state, value and reason can be read at any time, and agree")
  func readable() {
    let promise = Promise<Int>()
    #expect((promise.state, promise.value) == (.pending, nil))
    promise.resolve(1)
    #expect((promise.state, promise.value) == (.fulfilled, 1))
    #expect(promise.rejectReason == nil)
    let rejected = Promise<Int>.reject("no")
    #expect((rejected.state, rejected.value, rejected.rejectReason as? String) == (.rejected, nil, "no"))
    let derived = promise.then { "\($0)" }
    #expect((derived.state, derived.value) == (.fulfilled, "1"))
    let discarded = Promise<Int>()
    discarded.discard()
    #expect((discarded.state, discarded.value) == (.rejected, nil))
    switch promise.state {
    case .fulfilled: break
    case .pending, .rejected: Issue.record("unexpected state \(promise.state)")
    }
  }

  @Test("EA-1: the type of the value is unconstrained")
  func unconstrained() {
    final class NotSendable { var count = 0 }
    struct NotCopiedYet { let closure: () -> Int }

    let object = NotSendable()
    let promise = Promise<NotSendable>()
    promise.then({ $0.count += 1 }, nil)
    promise.resolve(object)
    #expect(object.count == 1)
    let closure = Promise<NotCopiedYet>.resolve(NotCopiedYet { 3 })
    #expect(closure.then { $0.closure() }.value == 3)
    let any = Promise<Any>.resolve([1, "a"] as [Any])
    #expect((any.value as? [Any])?.count == 2)
    let nested = Promise<Int??>.resolve(.some(.none))
    #expect(nested.value == .some(.some(.none)))
    #expect(Promise<TestError>.resolve(TestError(4)).value == TestError(4), "an error may be a value")
  }

  @Test("EA-4: the initializer is public, and makes promises that are independent of each other")
  func independent() {
    let first = Promise<Int>()
    let second = Promise<Int>()
    #expect(first !== second)
    first.resolve(1)
    #expect(second.state == .pending)
  }

  @Test("EA-5, EA-6: a settling call returns whether it settled the promise")
  func winner() {
    let promise = Promise<Int>()
    let first: Bool = promise.resolve(1)
    let second: Bool = promise.resolve(2)
    let third: Bool = promise.reject(3)
    #expect((first, second, third) == (true, false, false))
    let rejected = Promise<Int>()
    let fourth: Bool = rejected.reject(nil)
    let fifth: Bool = rejected.resolve(1)
    #expect((fourth, fifth) == (true, false))
  }
}
