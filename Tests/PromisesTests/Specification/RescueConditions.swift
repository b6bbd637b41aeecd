import Promises
import PromisesTestSupport
import Testing

@Suite("2.3 Rescue conditions")
struct RescueConditions {
  @Test("2.3.1 a rescue handler is a closure that takes one argument of any type")
  func handlers() {
    let calls = Recorder<String>()
    let rejected = Promise<Int>.reject(TestError(1))
    rejected.rescue { (error: TestError) in calls.record("struct \(error.code)") }
    rejected.rescue { (error: any Error) in calls.record("existential \(error is TestError)") }
    rejected.rescue { (reason: Any) in calls.record("any \(reason is TestError)") }
    rejected.rescue { (reason: Any?) in calls.record("optional \(reason != nil)") }
    rejected.rescue { (reason: TestError?) in calls.record("wrapped \(reason?.code ?? -1)") }
    Promise<Int>.reject("text").rescue { (reason: String) in calls.record("string \(reason)") }
    Promise<Int>.reject(1).rescue { (reason: Int) in calls.record("integer \(reason)") }
    Promise<Int>.reject((1, "one")).rescue { (reason: (Int, String)) in calls.record("tuple \(reason.1)") }
    Promise<Int>.reject(()).rescue { (_: Void) in calls.record("void") }
    #expect(
      calls.events == [
        "struct 1", "existential true", "any true", "optional true", "wrapped 1",
        "string text", "integer 1", "tuple one", "void",
      ])
  }

  @Test("2.3.2 a reason x meets the condition of a handler of R exactly if x is R (EA-15)")
  func condition() {
    class Base {}
    final class Derived: Base {}

    expectSame(Derived(), as: Base.self)
    expectSame(Base(), as: Derived.self)
    expectSame(TestError(), as: (any Error).self)
    expectSame(TestError(), as: OtherError.self)
    expectSame("a", as: String?.self)
    expectSame("a", as: (any Error).self)
    expectSame("a", as: AnyObject.self)
    expectSame(1, as: Double.self)
    expectSame(1, as: (any Comparable).self)
    expectSame([1], as: [Any].self)
    expectSame([1, "a"] as [Any], as: [Int].self)
    expectSame((1, 2), as: (Any?, Any?).self)
    expectSame((), as: Void.self)
    expectSame(1, as: Never.self)
    expectSame(nil, as: String?.self)
    expectSame(nil, as: Any?.self)
    expectSame(nil, as: Any.self)
    expectSame(nil, as: Int??.self)
    expectSame(nil, as: (any Error)?.self)
    expectSame(nil, as: (any Error).self)
    expectSame(nil, as: String.self)
    expectSame(nil, as: Void.self)
    expectSame(Int?.none as Any, as: String?.self)
    expectSame(Int?.none as Any, as: String.self)
  }

  /// Checks that all three kinds of `rescue` run their handler exactly if `reason is R`.
  private func expectSame<R>(_ reason: Any?, as type: R.Type, sourceLocation: SourceLocation = #_sourceLocation) {
    let meets = reason is R
    let promise = Promise<Int>.reject(reason)
    let calls = Recorder<String>()
    promise.rescue { (_: R) in calls.record("void") }
    _ = promise.rescue { (_: R) -> Int in
      calls.record("value")
      return 1
    }
    _ = promise.rescue { (_: R) -> Promise<Int> in
      calls.record("promise")
      return .resolve(1)
    }
    #expect(
      calls.events == (meets ? ["void", "value", "promise"] : []),
      "\(String(describing: reason)) is \(type): \(meets)", sourceLocation: sourceLocation)
  }
}
