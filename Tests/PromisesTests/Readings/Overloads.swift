import Promises
import PromisesTestSupport
import Testing

/// Returns the static type of an expression, which shows the overload that the compiler chose.
private func staticType<T>(_: T) -> T.Type { T.self }

@Suite("Readings: which overload a call means")
struct Overloads {
  @Test("S-9, EA-8: the untyped then returns nothing")
  func untyped() {
    let promise = Promise<Int>.resolve(1)
    #expect(staticType(promise.then({ _ in }, { _ in })) == Void.self)
    #expect(staticType(promise.then(nil, nil)) == Void.self)
  }

  @Test("S-10: onFailure may be left out; a single closure then means the typed then")
  func defaultFailure() {
    let log = Recorder<Int>()
    let promise = Promise<Int>.resolve(1)
    let onSuccess: ((Int) throws -> Void)? = { log.record($0) }
    #expect(staticType(promise.then(onSuccess)) == Void.self)
    #expect(staticType(promise.then({ log.record($0 + 1) })) == Promise<Void>.self)
    #expect(log.events == [1, 2])
  }

  @Test("EA-11: a trailing closure that returns a promise is followed, in parentheses it is a value")
  func thenReturningPromise() {
    let source = Promise<Int>.resolve(1)
    let success: (Int) throws -> Promise<String> = { .resolve("\($0)") }
    let trailing = source.then { value in Promise<String>.resolve("\(value)") }
    #expect(staticType(trailing) == Promise<String>.self)
    #expect(trailing.value == "1")
    let labelled = source.then(async: success)
    #expect(labelled.value == "1")
    let parenthesised = source.then(success)
    #expect(staticType(parenthesised) == Promise<Promise<String>>.self)
    #expect(parenthesised.value?.value == "1")
  }

  @Test("S-11: then in parentheses follows the promise where the context asks for it (3.1.3)")
  func annotated() {
    let success: (Int) throws -> Promise<String> = { .resolve("\($0)") }
    let promise2: Promise<String> = Promise<Int>.resolve(1).then(success)
    #expect(promise2.value == "1")
  }

  @Test("S-11, EA-14: rescue follows the promise with the label and without, trailing and in parentheses")
  func rescueReturningPromise() {
    let source = Promise<Int>.reject(TestError(1))
    let handler: (TestError) throws -> Promise<String> = { .resolve("\($0.code)") }
    let trailing = source.rescue { (error: TestError) in Promise<String>.resolve("\(error.code)") }
    let parenthesised = source.rescue(handler)
    let labelled = source.rescue(async: handler)
    #expect(staticType(trailing) == Promise<String>.self)
    #expect(staticType(parenthesised) == Promise<String>.self)
    #expect(staticType(labelled) == Promise<String>.self)
    #expect([trailing.value, parenthesised.value, labelled.value] == ["1", "1", "1"])
  }

  @Test("S-12, EA-13: a rescue handler takes the reason, for any type of the value")
  func handlerTakesReason() {
    let rescued = Promise<[String]>.reject(404).rescue { (status: Int) -> Bool in status == 404 }
    #expect(rescued.value == true)
  }

  @Test("S-14, EA-12: a closure that returns nothing and does not throw means the void rescue")
  func voidRescue() throws {
    let source = Promise<Int>.reject(TestError(1))
    let calls = Recorder<Int>()
    #expect(staticType(source.rescue { (error: TestError) in calls.record(error.code) }) == Void.self)
    #expect(calls.events == [1])
    let throwing = source.rescue { (error: TestError) in throw OtherError() }
    #expect(staticType(throwing) == Promise<Void>.self)
    #expect(throwing.rejectReason is OtherError)
    let annotated: Promise<Void> = source.rescue { (_: TestError) in }
    #expect(annotated.state == .fulfilled)
  }

  @Test("EA-23, EA-24: resolve and reject of the type make settled promises, those of an instance settle it")
  func factories() {
    let fulfilled: Promise<Int> = .resolve(1)
    let rejected: Promise<Int> = .reject("no")
    #expect(fulfilled.value == 1)
    #expect(rejected.rejectReason as? String == "no")
    let promise = Promise<Int>()
    #expect(staticType(promise.resolve(2)) == Void.self)
    #expect(promise.value == 2)
  }
}
