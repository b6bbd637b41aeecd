import Foundation
import Promises
import PromisesTestSupport
import Testing

@Suite("Future: values and errors of other types")
struct ConvertingTests {
  private typealias Subject = Future<Int, TestError>

  @Test("T66, T67: upcast gives the same result with any error")
  func upcast() {
    let results = Endings.settled.map { $0.upcast.result }
    #expect(results.map { $0?.value } == [1, nil, nil, nil])
    #expect(results[1]?.error as? TestError == TestError(2))
    #expect(results[2]?.isCancelled == true && results[3]?.indirectError is OtherError)
    let never: Future<Int, any Error> = Future<Int, NoError>(fulfilled: 1).upcast
    #expect(never.value == 1)
  }

  @Test("PG17: compactMap unwraps the value of an Optional, and is cancelled for nil")
  func compactMap() {
    let some: Future<Int, TestError> = Future<Int?, TestError>(fulfilled: 1).compactMap()
    #expect(some.value == 1)
    let none: Future<Int, TestError> = Future<Int?, TestError>(fulfilled: nil).compactMap()
    #expect(none.result == .cancelled(nil))
    let failed: Future<Int, TestError> = Future<Int?, TestError>(rejected: TestError(2)).compactMap()
    #expect(failed.error == TestError(2))
  }

  @Test("PG18: compactMap(onNil:) fails with its error where there is no value; mapError before it maps the others")
  func compactMapOnNil() {
    let evaluations = Counter()
    func nothing() -> String {
      evaluations.add()
      return "nothing"
    }
    func compacted(_ result: FutureResult<Int?, TestError>) -> FutureResult<Int, String>? {
      Future(with: result).mapError { "\($0.code)" }.compactMap(onNil: nothing()).result
    }
    #expect(compacted(.fulfilled(1)) == .fulfilled(1))
    #expect(compacted(.fulfilled(nil)) == .rejected("nothing"))
    #expect(compacted(.rejected(TestError(2))) == .rejected("2"))
    #expect(compacted(.cancelled(nil)) == .cancelled(nil))
    #expect(evaluations.value == 1, "the error is made only where it is needed")
  }

  @Test("PG26: mapToVoid forgets the value")
  func mapToVoid() {
    #expect(Subject(fulfilled: 1).mapToVoid().state == .fulfilled)
    #expect(Subject(rejected: TestError(2)).mapToVoid().error == TestError(2))
    #expect(Subject(cancelled: OtherError()).mapToVoid().result?.indirectError is OtherError)
  }

  @Test("PG27: mapError makes an NSError of an error")
  func nsError() {
    let error = NSError(domain: "d", code: 7)
    let future = Future<Int, any Error>(rejected: error)
    #expect(future.mapError { $0 as NSError }.error == error)
    let mapped = future.mapError { NSError(domain: "mapped", code: ($0 as NSError).code) }
    #expect(mapped.error == NSError(domain: "mapped", code: 7))
  }

  @Test("PG28: typeErased erases the types; value and error stay unchanged")
  func typeErased() {
    #expect(Future<Int32, TestError>(fulfilled: 1).typeErased().value as? Int32 == 1)
    #expect(Subject(rejected: TestError(2)).typeErased().error as? TestError == TestError(2))
    let cancelled = Endings.settled.map { $0.typeErased().result }
    #expect(cancelled[2]?.isCancelled == true && cancelled[2]?.indirectError == nil)
    #expect(cancelled[3]?.indirectError is OtherError)
    let (future, resolver) = Subject.makeWithResolver()
    let erased = future.typeErased()
    #expect(erased.state == .pending)
    resolver.fulfill(4)
    #expect(erased.value as? Int == 4)
  }

  @Test("PG29: a success-only future calls back with the value, and never for a failure")
  func successOnly() {
    let mappings = Recorder<Void>()
    let (future, resolver) = Subject.makeWithResolver()
    let only = future.successOnly()
    let mapped = only.map { value -> String in
      mappings.record()
      return "\(value)"
    }
    let seen = Recorder<String>()
    only.onSuccess { seen.record("\($0)") }
    mapped.onSuccess { seen.record($0) }
    mapped.onSuccess { seen.record($0) }
    #expect(only.value == nil && mapped.value == nil)
    resolver.fulfill(3)
    #expect(only.value == 3 && mapped.value == "3" && mapped.value == "3")
    #expect(seen.events == ["3", "3", "3"])
    #expect(mappings.count == 1, "mapped once, not for each reader")

    for failed in [Subject(rejected: TestError(2)), Subject(cancelled: nil)] {
      let silent = failed.successOnly()
      silent.onSuccess { _ in Issue.record("called for a failure") }
      #expect(silent.value == nil && silent.map { $0 }.value == nil)
    }
  }

  @Test("RP14, RP15, RP17: on a Promise, a closure that returns a result or a promise is followed")
  func promiseThen() {
    let promise = Promise<Int>.resolve(1)
    #expect(promise.then(result: { .success($0 + 1) as Result<Int, TestError> }).value == 2)
    let failed = promise.then(result: { .failure(TestError($0)) as Result<Int, TestError> })
    #expect(failed.rejectReason as? TestError == TestError(1))
    let passed = Promise<Int>.reject(TestError(2)).then(result: { .success($0) as Result<Int, TestError> })
    #expect(passed.state == .rejected)
    #expect(promise.then { value in Promise<Int>.resolve(value + 2) }.value == 3)
    #expect(promise.then({ value in Promise<Int>.resolve(value + 2) }).value == 3)
    let inner = Promise<Int>()
    let following = promise.then { _ in inner }
    #expect(following.state == .pending)
    inner.resolve(4)
    #expect(following.value == 4)
    let kept: Promise<Result<Int, TestError>> = promise.then { .success($0) as Result<Int, TestError> }
    #expect(kept.value == .success(1))
  }

  @Test("RP1, RP2, RP3, RP4: a promise is settled by a value, an error or a result, and its callbacks run in the call")
  func promiseResolve() {
    let log = Recorder<String>()
    func promise() -> Promise<Int> {
      let promise = Promise<Int>()
      promise.future.whenResolved { log.record("\($0.value ?? ($0.error as! TestError).code)") }
      return promise
    }
    #expect(promise().resolve(result: Result<Int, TestError>.success(1)))
    #expect(promise().resolve(result: Result<Int, TestError>.failure(TestError(2))))
    promise().resolve(3)
    promise().reject(TestError(4))
    #expect(log.events == ["1", "2", "3", "4"])
    let settled = Promise<Int>.resolve(1)
    #expect(!settled.resolve(result: Result<Int, TestError>.success(2)))
    #expect(settled.value == 1)
  }

  @Test("RP16: a failure propagates down a chain; a promise in it settled by hand stays so, and calls back once")
  func settledByHand() {
    let calls = Recorder<Int>()
    let source = Promise<Int>()
    let next = source.then { $0 + 1 }
    next.future.onComplete { calls.record($0.value ?? -1) }
    let failing = source.then { $0 + 1 }.then { $0 + 1 }
    next.resolve(7)
    source.reject(TestError(1))
    #expect(failing.rejectReason as? TestError == TestError(1))
    #expect(next.value == 7)
    #expect(calls.events == [7])
  }
}
