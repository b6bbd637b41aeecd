import Promises
import PromisesTestSupport
import Testing

@Suite("Future: callbacks with a Result")
struct EitherTests {
  private typealias Subject = Future<Int, TestError>

  @Test(
    "PG7, RP9: onEither is called with the value or the typed error, and not for a cancellation; the result passes on")
  func onEither() {
    let log = Endings.record { future, log in
      future.onEither { (result: Result<Int, TestError>) in
        switch result {
        case .success(let value): log.record("value \(value)")
        case .failure(let error): log.record("error \(error.code)")
        }
      }
    }
    #expect(log == [["value 1"], ["error 2"], [], []])
    #expect(Endings.settled.map { $0.onEither { _ in }.result } == Endings.all)
  }

  @Test("PG12, PG15, PG16: mapEither settles with the Result that is returned; a cancellation passes, with its cause")
  func mapEither() {
    let results = Endings.settled.map { future in
      future.mapEither { result -> Result<String, OtherError> in
        switch result {
        case .success: .failure(OtherError())
        case .failure(let error): .success("error \(error.code)")
        }
      }.result
    }
    #expect(results == [.rejected(OtherError()), .fulfilled("error 2"), .cancelled, .cancelled(OtherError())])
    let split = Subject(fulfilled: 1).mapEither { $0.flatMap { .failure(TestError($0 + 1)) as Result<Int, TestError> } }
    #expect(split.result == .rejected(TestError(2)))
    let context = QueueContext()
    let there = Subject(fulfilled: 1).mapEither(on: context.here) { _ -> Result<Bool, Never> in
      .success(QueueContext.isCurrent)
    }
    #expect(there.state == .pending)
    context.run()
    #expect(there.value == true)
  }

  @Test("PG19: flatMapEither follows the future that is returned for a value or an error; a cancellation passes")
  func flatMapEither() {
    let (inner, resolver) = Future<String, OtherError>.makeWithResolver()
    let outer = Endings.settled.map { $0.flatMapEither { _ in inner } }
    #expect(outer.map(\.result) == [nil, nil, .cancelled, .cancelled(OtherError())])
    resolver.reject(OtherError())
    #expect(outer[0].error == OtherError() && outer[1].error == OtherError())
  }

  @Test("PG8: with a context the closures run there, in order with the callbacks of other kinds")
  func inContext() {
    let context = QueueContext()
    let log = Recorder<String>()
    let (future, resolver) = Subject.makeWithResolver()
    future.onSuccess(on: context.here) { _ in log.record("value") }
    future.onEither(on: context.here) { _ in log.record(QueueContext.isCurrent ? "either" : "elsewhere") }
    let mapped = future.mapEither(on: context.here) { $0.map { $0 + 1 } }
    let followed = future.flatMapEither(on: context.here) { Subject(with: $0) }
    resolver.fulfill(1)
    #expect(log.events == [] && mapped.result == nil)
    context.run()
    #expect(log.events == ["value", "either"])
    #expect(mapped.value == 2 && followed.value == 1)
  }

  @Test("PG12: Result(_:ifCancelled:) has the typed error; Result(_:) has any error, CancellationError among them")
  func conversion() throws {
    let typed = Endings.all.map { Result($0, ifCancelled: { $0 == nil ? TestError(3) : TestError(4) }) }
    #expect(typed == [.success(1), .failure(TestError(2)), .failure(TestError(3)), .failure(TestError(4))])
    let untyped: [Result<Int, any Error>] = Endings.all.map { Result($0) }
    #expect(try untyped[0].get() == 1)
    #expect(untyped[1].error as? TestError == TestError(2))
    #expect(untyped[2].error is CancellationError && untyped[3].error is OtherError)
  }

  @Test("RP14, RP17: a closure's Result is flattened: .failure rejects", arguments: [true, false])
  func flattened(fails: Bool) {
    func check(_ value: Int) -> Result<String, TestError> { fails ? .failure(TestError(value)) : .success("\(value)") }
    let promise = Promise(fulfilled: 1)
    let derived = [
      promise.then { check($0) }.flattened(), promise.then({ check($0) }).flattened(),
      promise.then(result: { check($0) }),
    ]
    let inferred: Promise<String> = promise.then { check($0) }
    for next in derived + [inferred] {
      #expect(next.state == (fails ? .rejected : .fulfilled))
      #expect(next.rejectReason as? TestError == (fails ? TestError(1) : nil))
      #expect(next.value == (fails ? nil : "1"))
    }
    let typed = Subject(fulfilled: 1).map { check($0) }.flattened()
    #expect(typed.result == (fails ? .rejected(TestError(1)) : .fulfilled("1")))
    let passed = Subject(cancelled: OtherError()).map { check($0) }.flattened()
    #expect(passed.result == .cancelled(OtherError()))
    #expect(Promise<Int>.reject("no").then { check($0) }.flattened().rejectReason as? String == "no")
  }
}
