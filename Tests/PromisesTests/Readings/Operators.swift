import Promises
import PromisesTestSupport
import Testing

@Suite("Readings: operators")
struct Operators {
  @Test("EA-25, EA-26: a promise and a value make a tuple, or the same reason")
  func promiseAndValue() throws {
    let source = Promise<Int>()
    let right = source &&& "right"
    let left = "left" &&& source
    #expect(right.state == .pending)
    source.resolve(1)
    #expect(try #require(right.value) == (1, "right"))
    #expect(try #require(left.value) == ("left", 1))

    let rejected = Promise<Int>.reject(TestError(2))
    #expect((rejected &&& 0).rejectReason as? TestError == TestError(2))
    #expect((0 &&& rejected).rejectReason as? TestError == TestError(2))
  }

  @Test("EA-27: the and of two promises is fulfilled when both are, in either order")
  func and() throws {
    for firstLeft in [true, false] {
      let left = Promise<Int>()
      let right = Promise<String>()
      let both = left &&& right
      if firstLeft { left.resolve(1) } else { right.resolve("a") }
      #expect(both.state == .pending)
      if firstLeft { right.resolve("a") } else { left.resolve(1) }
      #expect(try #require(both.value) == (1, "a"))
    }
    let promise = Promise<Int>()
    let twice = promise &&& promise
    promise.resolve(2)
    #expect(try #require(twice.value) == (2, 2))
  }

  @Test("EA-27: the and of two promises is rejected with the first reason in time, nil included")
  func andRejected() {
    let left = Promise<Int>()
    let right = Promise<Int>()
    let both = left &&& right
    right.reject("right")
    #expect(both.rejectReason as? String == "right")
    left.reject("left")
    #expect(both.rejectReason as? String == "right")

    let withoutReason = Promise<Int>.resolve(1) &&& Promise<Int>.reject(nil)
    #expect(withoutReason.state == .rejected)
    #expect(withoutReason.rejectReason == nil)
  }

  @Test("EA-28: the or of two promises is fulfilled with the first value in time")
  func or() {
    let left = Promise<Int>()
    let right = Promise<String>()
    let either = left ||| right
    right.resolve("right")
    #expect(either.value as? String == "right")
    left.resolve(1)
    #expect(either.value as? String == "right")

    let rescued = Promise<Int>.reject(1) ||| Promise<Int>.resolve(2)
    #expect(rescued.value as? Int == 2)
  }

  @Test("EA-28: the or of two promises is rejected when both are, with both reasons in the operands' order")
  func orRejected() throws {
    let left = Promise<Int>()
    let right = Promise<Int>()
    let either = left ||| right
    right.reject("right")
    #expect(either.state == .pending)
    left.reject(nil)
    let reasons = try #require(either.rejectReason as? (Any?, Any?))
    #expect(reasons.0 == nil)
    #expect(reasons.1 as? String == "right")
  }

  @Test("EA-29: and binds tighter than or, and both are left associative")
  func precedence() {
    let one = Promise<Int>.resolve(1)
    let text = Promise<String>.resolve("a")
    let flag = Promise<Bool>.resolve(true)
    let left: Promise<((Int, String), Bool)> = one &&& text &&& flag
    #expect(left.value?.0.1 == "a")
    let pending = Promise<Int>()
    let grouped: Promise<Any> = pending ||| one &&& text
    #expect((grouped.value as? (Int, String))?.0 == 1)
  }
}
