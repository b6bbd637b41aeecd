import Promises
import PromisesTestSupport
import Testing

@Suite("Readings: anyway")
struct AnywayReadings {
  @Test("EA-17: anyway runs on either outcome, with the value or nil, and swallows the rejection")
  func eitherOutcome() {
    let source = Promise<Int>()
    let fulfilled = source.anyway { value in "\(value ?? -1)" }
    #expect(fulfilled.state == .pending)
    source.resolve(1)
    #expect(fulfilled.value == "1")
    #expect(source.anyway { $0 }.value == .some(1))

    let failing = Promise<Int>()
    let rejected = failing.anyway { value in "\(value ?? -1)" }
    failing.reject(TestError())
    #expect(rejected.state == .fulfilled)
    #expect(rejected.value == "-1")
    let discarded = Promise<Int>()
    let after = discarded.anyway { $0 == nil }
    discarded.discard()
    #expect(after.value == true)
  }

  @Test("EA-17: an error thrown in anyway rejects its promise")
  func throwing() {
    let handler: (Int?) throws -> Int = { throw TestError($0 ?? -1) }
    #expect(Promise<Int>.resolve(1).anyway(handler).rejectReason as? TestError == TestError(1))
    #expect(Promise<Int>.reject("other").anyway(handler).rejectReason as? TestError == TestError(-1))
  }

  @Test("EA-17: a value that is nil differs from a rejection")
  func optionalValue() {
    let fulfilled = Promise<Int?>.resolve(nil).anyway { value -> Bool in value == .some(.none) }
    let rejected = Promise<Int?>.reject(1).anyway { value -> Bool in value == nil }
    #expect(fulfilled.value == true)
    #expect(rejected.value == true)
  }

  @Test("EA-18: an asynchronous anyway is chained after the promise that its handler returns")
  func asynchronous() {
    let inner = Promise<String>()
    let fulfilled = Promise<Int>.resolve(1).anyway(async: { _ in inner })
    let rejected = Promise<Int>.reject(1).anyway { _ in inner }
    let throwing = Promise<Int>.reject(1).anyway(async: { _ -> Promise<String> in throw TestError() })
    #expect(fulfilled.state == .pending)
    #expect(rejected.state == .pending)
    #expect(throwing.rejectReason is TestError)
    inner.resolve("inner")
    #expect(fulfilled.value == "inner")
    #expect(rejected.value == "inner")
    let values = [Promise<Int>.resolve(1), Promise<Int>.reject(1)].map { source in
      source.anyway(async: { value in Promise<Int>.resolve(value ?? -1) }).value
    }
    #expect(values == [1, -1])
  }
}
