import Promises
import PromisesTestSupport
import Testing

@Suite("Future: operators")
struct FutureOperatorTests {
  private typealias Subject = Future<Int, TestError>

  @Test(
    "EA27: &&& has both values, in the order of the operands, whichever is settled first", arguments: [true, false])
  func and(isLeftFirst: Bool) {
    let (left, leftResolver) = Subject.makeWithResolver()
    let (right, rightResolver) = Future<String, TestError>.makeWithResolver()
    let both = left &&& right
    if isLeftFirst { leftResolver.fulfill(1) } else { rightResolver.fulfill("b") }
    #expect(both.state == .pending)
    leftResolver.fulfill(1)
    rightResolver.fulfill("b")
    #expect(both.value?.0 == 1 && both.value?.1 == "b")
  }

  @Test("EA27: &&& fails as the operand that fails first, without waiting for the other", arguments: [true, false])
  func andFails(isLeft: Bool) {
    let (left, leftResolver) = Subject.makeWithResolver()
    let (right, rightResolver) = Subject.makeWithResolver()
    let both = left &&& right
    (isLeft ? leftResolver : rightResolver).reject(TestError(1))
    #expect(both.error == TestError(1))
    (isLeft ? rightResolver : leftResolver).reject(TestError(2))
    #expect(both.error == TestError(1))
    #expect((Subject(fulfilled: 1) &&& Subject(cancelled: OtherError())).result?.indirectError is OtherError)
  }

  @Test("EA28: ||| has the first value; if there is none, the last outcome")
  func or() {
    let (left, leftResolver) = Subject.makeWithResolver()
    let (right, rightResolver) = Subject.makeWithResolver()
    let either = left ||| right
    rightResolver.reject(TestError(1))
    #expect(either.state == .pending)
    leftResolver.fulfill(2)
    #expect(either.value == 2)
    #expect((Subject(rejected: TestError(1)) ||| Subject(rejected: TestError(2))).error == TestError(2))
    #expect((Subject(rejected: TestError(1)) ||| Subject(cancelled: nil)).state == .cancelled)
  }

  @Test("T58: a request to cancel the result of an operator asks both operands")
  func request() {
    for combine in [{ $0 ||| $1 }, { ($0 &&& $1).map(\.0) }] as [(Subject, Subject) -> Subject] {
      let (left, right) = (Watched(), Watched())
      let result = combine(left.future!, right.future!)
      left.future = nil
      result.requestCancel()
      #expect(left.isRequested && !right.isRequested, "the right one is held")
      right.future = nil
      #expect(right.isRequested)
    }
  }
}
