import Promises
import PromisesTestSupport
import Testing

@Suite("3.1.1 Untyped then (EA-8)")
struct UntypedThen {
  @Test("3.1.1.1 an onSuccess that is nil is ignored")
  func noSuccess() {
    let reasons = Recorder<Int>()
    let onFailure: (Any?) -> Void = { reasons.record($0 as? Int ?? -1) }

    let pending = Promise<Int>()
    pending.then(nil, onFailure)
    pending.then(nil, nil)
    pending.resolve(1)
    #expect(pending.value == 1)

    let fulfilled = Promise<Int>.resolve(2)
    fulfilled.then(nil, onFailure)
    fulfilled.then(nil, nil)
    #expect(fulfilled.value == 2)
    #expect(reasons.events == [])

    let rejected = Promise<Int>.reject(3)
    rejected.then(nil, onFailure)
    #expect(reasons.events == [3])
  }

  @Test("3.1.1.2 onSuccess is called with the value after the promise is fulfilled")
  func success() {
    let log = Recorder<String>()
    let promise = Promise<Int>()
    promise.then({ log.record("value \($0), state \(promise.state)") }, { _ in log.record("failure") })
    #expect(log.events == [])
    promise.resolve(5)
    #expect(log.events == ["value 5, state fulfilled"])
    promise.resolve(6)
    #expect(log.count == 1)
  }

  @Test("3.1.1.3 onFailure is called with the reason after the promise is rejected")
  func failure() {
    let log = Recorder<String>()
    let promise = Promise<Int>()
    promise.then({ _ in log.record("success") }, { log.record("reason \($0 ?? "nil"), state \(promise.state)") })
    #expect(log.events == [])
    promise.reject("no")
    #expect(log.events == ["reason no, state rejected"])
    promise.reject("again")
    #expect(log.count == 1)

    let withoutReason = Promise<Int>()
    withoutReason.then(nil, { log.record("no reason: \($0 == nil)") })
    withoutReason.reject(nil)
    #expect(log.events.last == "no reason: true")
  }

  @Test("3.1.1.4 onSuccess is called at once if the promise is fulfilled already")
  func alreadyFulfilled() {
    let log = Recorder<Int>()
    let promise = Promise<Int>.resolve(5)
    promise.then({ log.record($0) }, { _ in log.record(-1) })
    #expect(log.events == [5])
    promise.then({ log.record($0 + 1) }, nil)
    #expect(log.events == [5, 6])
  }

  @Test("3.1.1.5 onFailure is called at once if the promise is rejected already")
  func alreadyRejected() {
    let log = Recorder<Int>()
    let promise = Promise<Int>.reject(5)
    promise.then({ _ in log.record(-1) }, { log.record($0 as? Int ?? -2) })
    #expect(log.events == [5])
    promise.then({ _ in log.record(-1) }, nil)
    #expect(log.events == [5])
  }

  @Test("3.1.1.6 an onSuccess that throws changes neither the promise nor its other callbacks")
  func throwing() {
    let log = Recorder<String>()
    let promise = Promise<Int>()
    promise.then({ _ in throw TestError() }, nil)
    promise.then({ log.record("second \($0)") }, { _ in log.record("not mine") })
    promise.resolve(1)
    #expect(promise.state == .fulfilled)
    #expect(promise.value == 1)
    #expect(log.events == ["second 1"])
  }

  @Test("3.1.1.6.1 onFailure is called with the error that onSuccess throws")
  func caught() {
    let log = Recorder<Int>()
    let onFailure: (Any?) -> Void = { log.record(($0 as? TestError)?.code ?? -1) }
    let promise = Promise<Int>()
    promise.then({ throw TestError($0) }, onFailure)
    promise.resolve(8)
    #expect(log.events == [8])
    promise.then({ throw TestError($0 + 1) }, onFailure)
    #expect(log.events == [8, 9])
    #expect(promise.state == .fulfilled)
  }

  @Test("3.1.1.6.2 an error that onSuccess throws is ignored if onFailure is nil")
  func ignored() {
    let calls = Recorder<Void>()
    let onSuccess: (Int) throws -> Void = { _ in
      calls.record()
      throw TestError()
    }
    let promise = Promise<Int>()
    promise.then(onSuccess, nil)
    promise.resolve(1)
    promise.then(onSuccess, nil)
    #expect(calls.count == 2)
    #expect(promise.state == .fulfilled)
    #expect(promise.value == 1)
    #expect(promise.rejectReason == nil)
  }
}
