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

    #expect((Promise<Int>.reject("left") &&& Promise<Int>()).rejectReason as? String == "left")

    let halfPending = Promise<Int>.reject("left") &&& Promise<Int>()
    #expect(halfPending.rejectReason as? String == "left")
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

  @Test("EA-27, EA-28: a request to cancel an and, or an or, propagates to both promises", arguments: [true, false])
  func request(isAnd: Bool) throws {
    let (left, right) = (Watched(), Watched())
    let combined: AnyPromise =
      isAnd
      ? try #require(left.future).promise &&& #require(right.future).promise
      : try #require(left.future).promise ||| #require(right.future).promise
    (left.future, right.future) = (nil, nil)
    (combined as? Promise<(Int, Int)>)?.future.requestCancel()
    (combined as? Promise<Any>)?.future.requestCancel()
    #expect(left.isRequested && right.isRequested)
  }

  @Test("EA-27, EA-28: a chain of ands, and one of ors, takes no stack", arguments: [true, false])
  func depth(isAnd: Bool) {
    let value = onThread(stackSize: 32 << 10) {
      let first = Promise<Int>()
      var last: Promise<Any> = first.then { $0 as Any }
      for _ in 0..<2_000 { last = isAnd ? (last &&& Promise<Int>.resolve(0)).then { $0.0 } : last ||| Promise<Int>() }
      first.resolve(7)
      return last.value as? Int
    }
    #expect(value == 7)
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
    let rejected = ["a", "b", "c"].map { Promise<Int>.reject($0) }
    let or = rejected[0] ||| rejected[1] ||| rejected[2]
    let reasons = or.rejectReason as? (Any?, Any?)
    #expect((reasons?.0 as? (Any?, Any?))?.1 as? String == "b" && reasons?.1 as? String == "c")
  }

  @Test("EA-29: and binds as multiplication does, or as addition does")
  func amongOthers() {
    let one = Promise<Int>.resolve(1)
    let product: Promise<(Int, Int)> = 2 * 3 &&& one
    let left: Promise<((Int, Int), Int)> = one &&& 2 * 3
    let sum: String = one &&& 2 + 3
    let either: String = one ||| one + 3
    let both: String = 1 + 2 ||| one
    #expect(product.value?.0 == 6 && left.value?.0.1 == 2 && left.value?.1 == 3)
    #expect([sum, either, both] == ["and + 3", "or + 3", "3 or"])
  }

  @Test("EA-29: the operators of futures bind alike")
  func futures() {
    let one = Future<Int, TestError>(fulfilled: 1)
    let two = Future<Int, TestError>(fulfilled: 2)
    let three: Future<((Int, Int), Int), TestError> = one &&& two &&& two
    let pairs: Future<(Int, Int), TestError> = one &&& two ||| two &&& one
    #expect(three.value?.0.1 == 2 && pairs.value?.0 == 1 && pairs.value?.1 == 2)
  }
}

// With these, each grouping of an expression compiles, and gives another value.
private func * <One, Two, Factor>(both: Promise<(One, Two)>, factor: Factor) -> Promise<((One, Two), Factor)> {
  both.then { ($0, factor) }
}
private func + (both: Promise<(Int, Int)>, number: Int) -> String { "and + \(number)" }
private func + (either: Promise<Any>, number: Int) -> String { "or + \(number)" }
private func + (number: Int, one: Promise<Int>) -> String { "\(number) + one" }
private func + (one: Promise<Int>, number: Int) -> Promise<Int> { one.then { $0 + number } }
private func ||| (number: Int, one: Promise<Int>) -> String { "\(number) or" }
