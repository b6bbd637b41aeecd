import Promises
import PromisesTestSupport
import Testing

@Suite("Readings: rescue")
struct RescueReadings {
  @Test("S-13: rescuing a fulfilled promise forwards the value where it is of the derived promise's type")
  func fulfilledForwarded() {
    let pending = Promise<Int>()
    let same = pending.rescue { (_: TestError) -> Int in -1 }
    let wider = pending.rescue { (_: TestError) -> Any in -1 }
    let optional = pending.rescue { (_: TestError) -> Int? in nil }
    let followed = pending.rescue { (_: TestError) -> Promise<Int> in .resolve(-1) }
    pending.resolve(1)
    #expect(same.value == 1)
    #expect(wider.value as? Int == 1)
    #expect(optional.value == .some(1))
    #expect(followed.value == 1)
    #expect(pending.rescue { (_: TestError) -> Int in -1 }.value == 1)

    #expect(Promise<Int8>.resolve(-1).rescue { (_: TestError) -> Int8 in 0 }.value == -1)
    #expect(Promise<Int64>.resolve(.min).rescue { (_: TestError) -> Int64 in 0 }.value == .min)
    #expect(Promise<UInt16>.resolve(2).rescue { (_: TestError) -> UInt16 in 0 }.value == 2)
    #expect(Promise<UInt64>.resolve(.max).rescue { (_: TestError) -> Promise<UInt64> in .resolve(0) }.value == .max)
    #expect(Promise<Float>.resolve(0.5).rescue { (_: TestError) -> Float in 0 }.value == 0.5)
    #expect(Promise<Int32>.resolve(3).rescue { (_: TestError) -> Any in 0 }.value as? Int32 == 3)
    let dynamic = Promise<Any>.resolve("text").rescue { (_: TestError) -> String in "" }
    #expect(dynamic.value == "text")
  }

  @Test("S-13, T35: the value is forwarded without a hop if it is of the derived promise's type")
  func forwardedInPlace() {
    let executor = ManualExecutor()
    let source = Promise<Int>()
    let rescued = [
      source.rescue(on: executor.here) { (_: TestError) in -1 },
      source.rescue(on: executor.here) { (_: TestError) in Promise<Int>.resolve(-1) },
      source.rescue(on: executor.here, async: { (_: TestError) in .resolve(-1) }),
      source.rescue(on: .main) { (_: TestError) in -1 },
    ]
    let wider = source.rescue(on: executor.here) { (_: TestError) -> Any in -1 }
    source.resolve(1)
    #expect(rescued.map(\.value) == [1, 1, 1, 1])
    #expect(wider.state == .pending && executor.count == 1)
    executor.runAll()
    #expect(wider.value as? Int == 1)
    let failed = Promise<Int>.reject(TestError(1)).rescue(on: executor.here) { (_: TestError) in 2 }
    executor.runAll()
    #expect(failed.value == 2)
  }

  @Test("S-13: otherwise the derived promise stays pending, and the handler is released")
  func fulfilledOtherwise() {
    withLifetimeTracking { tracker in
      let source = Promise<Int>()
      let held = tracker.track()
      let value = source.rescue { [held] (_: TestError) -> String in
        held.touch()
        return ""
      }
      let followed = source.rescue { [held] (_: TestError) -> Promise<String> in
        held.touch()
        return .resolve("")
      }
      source.resolve(1)
      #expect(value.state == .pending)
      #expect(followed.state == .pending)
      value.resolve("by hand")
      #expect(value.value == "by hand")
      #expect(Promise<Any>.resolve(1).rescue { (_: TestError) -> String in "" }.state == .pending)
    }
  }

  @Test("S-15, EA-15: a boxed nil meets the condition of any optional type")
  func boxedNil() {
    let boxed: Any? = Optional<Any>.some(Int?.none as Any)
    let calls = Recorder<String>()
    let promise = Promise<Int>.reject(boxed)
    promise.rescue { (_: String?) in calls.record("String?") }
    promise.rescue { (_: String) in calls.record("String") }
    promise.rescue { (_: Any) in calls.record("Any") }
    #expect(calls.events == ["String?", "Any"])
  }

  @Test("S-16: a rescue does not consume the rejection; every handler judges by itself")
  func notConsumed() {
    let calls = Recorder<String>()
    let promise = Promise<Int>()
    let rescued = promise.rescue { (_: TestError) -> Int in 5 }
    promise.rescue { (_: TestError) in calls.record("first") }
    promise.rescue { (_: any Error) in calls.record("second") }
    promise.then(nil, { _ in calls.record("then") })
    promise.reject(TestError(1))
    #expect(calls.events == ["first", "second", "then"])
    #expect(rescued.value == 5)
    #expect(promise.state == .rejected)
    #expect(promise.rejectReason as? TestError == TestError(1))
  }

  @Test("S-17: an unhandled rejection is silent")
  func unhandled() {
    do {
      let promise = Promise<Int>()
      promise.reject(TestError())
      _ = promise.then { $0 }
      _ = promise.rescue { (_: OtherError) -> Int in 0 }
    }
    _ = Promise<Int>.reject(TestError())
    let observed = Promise<Int>.reject(TestError(2))
    observed.then({ _ in Issue.record("not fulfilled") }, nil)
    #expect(observed.rejectReason as? TestError == TestError(2))
  }
}
