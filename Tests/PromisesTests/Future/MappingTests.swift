import Promises
import PromisesTestSupport
import Testing

@Suite("Future: callbacks that make a result")
struct MappingTests {
  private typealias Subject = Future<Int, TestError>

  /// Returns the results of the futures that `derive` returns for each outcome, with the source settled before and
  /// after.
  private func results<Value, Failure>(
    _ derive: (Subject) -> Future<Value, Failure>
  ) -> [FutureResult<Value, Failure>?] {
    let late = Endings.settled.map { derive($0).result }
    let early = Endings.all.map { outcome in
      let (future, resolver) = Subject.makeWithResolver()
      let derived = derive(future)
      #expect(!derived.isSettled)
      resolver.resolve(outcome)
      return derived.result
    }
    #expect(late.map { "\($0!)" } == early.map { "\($0!)" })
    return early
  }

  @Test("T40, PG13: map makes another value; the rest passes")
  func map() {
    let results = results { $0.map { "\($0)" } }
    #expect(results == [.fulfilled("1"), .rejected(TestError(2)), .cancelled(nil), .cancelled(OtherError())])
    let captured = Identity()
    #expect(Subject(fulfilled: 1).map { _ in captured }.value === captured)
  }

  @Test("T41, PG20: flatMap follows the returned future; other outcomes pass")
  func flatMap() {
    #expect(
      results { $0.flatMap { .init(fulfilled: "\($0)") } }
        == [.fulfilled("1"), .rejected(TestError(2)), .cancelled(nil), .cancelled(OtherError())])
    for outcome in Endings.all {
      let (inner, resolver) = Subject.makeWithResolver()
      let outer = Subject(fulfilled: 0).flatMap { _ in inner }
      #expect(outer.state == .pending)
      resolver.resolve(outcome)
      #expect(outer.result == outcome)
    }
  }

  @Test("T44, PG14: mapError makes another error; the rest passes")
  func mapError() {
    #expect(
      results { $0.mapError { "\($0.code)" } }
        == [.fulfilled(1), .rejected("2"), .cancelled(nil), .cancelled(OtherError())])
  }

  @Test("T45, PG21: flatMapError follows the future that its callback returns; the rest passes")
  func flatMapError() {
    #expect(
      results { $0.flatMapError { Future<Int, String>(rejected: "\($0.code)") } }
        == [.fulfilled(1), .rejected("2"), .cancelled(nil), .cancelled(OtherError())])
    #expect(Subject(rejected: TestError(2)).flatMapError { Future<Int, Never>(fulfilled: $0.code) }.value == 2)
    for outcome in Endings.all {
      let (inner, resolver) = Subject.makeWithResolver()
      let outer = Subject(rejected: TestError(0)).flatMapError { _ in inner }
      #expect(outer.state == .pending)
      resolver.resolve(outcome)
      #expect(outer.result == outcome)
    }
    let inner = Watched()
    let outer = Subject(rejected: TestError(0)).flatMapError { [weak inner] _ in inner!.future! }
    inner.future = nil
    outer.requestCancel()
    #expect(inner.isRequested)
  }

  @Test("T43: replaceError makes a value of an error; the result cannot fail")
  func replaceError() {
    let results: [FutureResult<Int, Never>?] = results { $0.replaceError { $0.code } }
    #expect(results == [.fulfilled(1), .fulfilled(2), .cancelled(nil), .cancelled(OtherError())])
  }

  @Test("T49, PG12, PG15, PG16: mapResult makes any result from any other")
  func mapResult() {
    #expect(
      results { future in
        future.mapResult { result -> FutureResult<String, String> in
          switch result {
          case .fulfilled(let value): .rejected("value \(value)")
          case .rejected(let error): .fulfilled("error \(error.code)")
          case .cancelled(nil): .fulfilled("cancelled")
          case .cancelled(let error?): .cancelled(error)
          }
        }
      } == [.rejected("value 1"), .fulfilled("error 2"), .fulfilled("cancelled"), .cancelled(OtherError())])
  }

  @Test("T50, T52, PG19: flatMapResult follows the future that its callback returns, for each kind of result")
  func flatMapResult() {
    #expect(
      results { $0.flatMapResult { .init(fulfilled: "\($0)") as Future<String, Never> } }
        == Endings.all.map { .fulfilled("\($0)") })
    for outcome in Endings.all {
      let (inner, resolver) = Subject.makeWithResolver()
      let outer = Subject(rejected: TestError(0)).flatMapResult { _ in inner }
      let tried = Subject(cancelled: nil).tryFlatMapResult { _ in inner }
      #expect(outer.state == .pending && tried.state == .pending)
      resolver.resolve(outcome)
      #expect(outer.result == outcome && "\(tried.result!)" == "\(outcome)")
    }
  }

  @Test("T46: tryMapError rejects with the returned or thrown error")
  func tryMapError() {
    let returned = results { $0.tryMapError { _ in OtherError() } }
    #expect(returned[0]?.value == 1 && returned[1]?.error is OtherError && returned[2]?.isCancelled == true)
    let thrown = results { $0.tryMapError { error -> OtherError in throw TestError(error.code + 1) } }
    #expect(thrown[1]?.error as? TestError == TestError(3))
  }

  @Test("T47: tryFlatMapError follows the returned future, or rejects with the thrown error")
  func tryFlatMapError() {
    let adopted = results { $0.tryFlatMapError { Future<Int, OtherError>(fulfilled: $0.code) } }
    #expect(adopted.map { $0?.value } == [1, 2, nil, nil])
    let rejected = results { $0.tryFlatMapError { _ in Future<Int, OtherError>(rejected: OtherError()) } }
    #expect(rejected[1]?.error is OtherError)
    let thrown = results { $0.tryFlatMapError { _ -> Future<Int, OtherError> in throw TestError(3) } }
    #expect(thrown[1]?.error as? TestError == TestError(3) && thrown[3]?.indirectError is OtherError)
  }

  @Test("T51: tryMapResult gives the returned result, or rejects with the thrown error")
  func tryMapResult() {
    let returned = results { $0.tryMapResult { .fulfilled("\($0)") as FutureResult<String, TestError> } }
    #expect(returned.map { $0?.value } == Endings.all.map { "\($0)" })
    let thrown = results { $0.tryMapResult { _ -> FutureResult<Int, OtherError> in throw TestError(3) } }
    #expect(thrown.map { $0?.error as? TestError } == Array(repeating: TestError(3), count: 4))
  }

  @Test("T52: tryFlatMapResult follows the returned future, or rejects with the thrown error")
  func tryFlatMapResult() {
    let adopted = results { $0.tryFlatMapResult { Future<String, TestError>(fulfilled: "\($0)") } }
    #expect(adopted.map { $0?.value } == Endings.all.map { "\($0)" })
    let thrown = results { $0.tryFlatMapResult { _ -> Future<Int, OtherError> in throw TestError(3) } }
    #expect(thrown.map { $0?.error as? TestError } == Array(repeating: TestError(3), count: 4))
  }

  @Test("T53: tryOnSuccess passes the result on, or rejects with the thrown error")
  func tryOnSuccess() {
    let seen = Recorder<Int>()
    let passed = results { $0.tryOnSuccess { seen.record($0) } }
    #expect(passed.map { $0?.value } == [1, nil, nil, nil])
    #expect(passed[1]?.error as? TestError == TestError(2) && passed[3]?.indirectError is OtherError)
    #expect(seen.events == [1, 1])
    let thrown = results { $0.tryOnSuccess { throw TestError($0 + 2) } }
    #expect(thrown[0]?.error as? TestError == TestError(3))
  }

  @Test("T54, RP13, D41: tryMap makes a value, or rejects with the thrown error")
  func tryMap() {
    #expect(results { $0.tryMap { "\($0)" } }.map { $0?.value } == ["1", nil, nil, nil])
    let thrown = results { $0.tryMap { value -> Int in throw TestError(value + 2) } }
    #expect(thrown[0]?.error as? TestError == TestError(3) && thrown[1]?.error as? TestError == TestError(2))
  }

  @Test("T55, D42: tryFlatMap follows the returned future, also from a single expression, or rejects")
  func tryFlatMap() {
    func work(_ value: Int) throws -> Future<String, OtherError> { Future(fulfilled: "\(value)") }
    #expect(results { $0.tryFlatMap { try work($0) } }.map { $0?.value } == ["1", nil, nil, nil])
    #expect(results { $0.tryFlatMap { value in try work(value) } }[1]?.error as? TestError == TestError(2))
    let thrown = results { $0.tryFlatMap { _ -> Future<Int, OtherError> in throw TestError(3) } }
    #expect(thrown[0]?.error as? TestError == TestError(3))
    let same = Future<Int, any Error>(fulfilled: 1).tryFlatMap { Future<Int, any Error>(fulfilled: $0) }
    #expect(same.value == 1)
    let inferred: Future<Int, any Error> = same.flatMap { _ in return .any([same, same]) }
    #expect(inferred.value == 1)
  }

  @Test("D42: a future that follows the one of a closure has its state, the cause of a cancellation too")
  func innerStates() {
    for outcome in Endings.all {
      let (inner, resolver) = Subject.makeWithResolver()
      let tried = Subject(fulfilled: 0).tryFlatMap { _ in inner }
      let cancelling = Subject(fulfilled: 0).flatMapOrCancel { _ in inner }
      #expect(tried.state == .pending && cancelling.state == .pending)
      resolver.resolve(outcome)
      #expect("\(tried.result!)" == "\(outcome)" && "\(cancelling.result!)" == "\(outcome)")
    }
  }

  @Test("T56: tryReplaceError makes a value of an error, or rejects with the thrown error")
  func tryReplaceError() {
    #expect(results { $0.tryReplaceError { $0.code } }.map { $0?.value } == [1, 2, nil, nil])
    #expect(
      results { $0.tryReplaceError { throw TestError($0.code + 1) } }[1]?.error as? TestError == TestError(3))
  }

  @Test("D39, D41, D42: mapOrCancel and flatMapOrCancel turn an error into an indirect error")
  func orCancel() {
    let mapped = results { $0.mapOrCancel { "\($0)" } }
    #expect(mapped.map { $0?.value } == ["1", nil, nil, nil])
    #expect(mapped[1]?.indirectError as? TestError == TestError(2))
    #expect(mapped[2]?.isCancelled == true && mapped[2]?.indirectError == nil)
    #expect(mapped[3]?.indirectError is OtherError)
    let adopted = results { $0.flatMapOrCancel { Future<String, OtherError>(fulfilled: "\($0)") } }
    #expect(adopted.map { $0?.value } == ["1", nil, nil, nil])
    #expect(adopted[1]?.indirectError as? TestError == TestError(2))
    let own = Subject(fulfilled: 1)
    #expect(own.mapOrCancel { _ -> Int in throw OtherError() }.error is OtherError)
    #expect(own.flatMapOrCancel { _ in Future<Int, OtherError>(rejected: OtherError()) }.error is OtherError)
    #expect(own.flatMapOrCancel { _ in Future<Int, OtherError>(cancelled: nil) }.state == .cancelled)
    let chain = Subject(rejected: TestError(2)).mapOrCancel { $0 }.mapOrCancel { $0 }.mapOrCancel { $0 }
    #expect(chain.result?.indirectError as? TestError == TestError(2))
  }

  @Test("D44, D45, D46: additionally pairs the value with that of another future; errors pass")
  func additionally() {
    let calls = Counter()
    let pair = Subject(fulfilled: 1).additionally {
      calls.add()
      return "\($0)"
    }.value
    #expect(pair?.0 == 1 && pair?.1 == "1" && calls.value == 1)
    let (inner, resolver) = Future<String, OtherError>.makeWithResolver()
    let paired = Subject(fulfilled: 2).additionally(async: { _ in inner })
    #expect(paired.state == .pending)
    resolver.fulfill("b")
    #expect(paired.value?.0 == 2 && paired.value?.1 == "b")
    let results = results { $0.additionally { "\($0)" } }
    #expect(results[1]?.error as? TestError == TestError(2))
    #expect(results[2]?.isCancelled == true && results[3]?.indirectError is OtherError)
    #expect(Subject(fulfilled: 1).additionally { _ -> Int in throw OtherError() }.error is OtherError)
    let rejected = Subject(fulfilled: 1).additionally(async: { _ in Future<Int, OtherError>(rejected: OtherError()) })
    #expect(rejected.error is OtherError)
    let cancelled = Subject(fulfilled: 1).additionally(async: { _ in Subject(cancelled: TestError(3)) })
    #expect(cancelled.result?.indirectError as? TestError == TestError(3))
  }

  @Test("D50: recover makes a value of an error or an indirect one; where it declines, the result stays")
  func recover() {
    #expect(
      results { $0.recover { _ in 9 } }
        == [.fulfilled(1), .fulfilled(9), .cancelled(nil), .fulfilled(9)])
    #expect(results { $0.recover { _ in nil } } == Endings.all)
    #expect(
      results { $0.recover(includingIndirectErrors: false) { _ in 9 } }
        == [.fulfilled(1), .fulfilled(9), .cancelled(nil), .cancelled(OtherError())])
    var seen: [any Error] = []
    _ = results {
      $0.recover {
        seen.append($0)
        return nil
      }
    }
    #expect(seen.map { $0 is TestError } == [true, false, true, false])
  }

  @Test("D51: recover(with:) evaluates its expression only if it is needed")
  func recoverWith() {
    let evaluations = Recorder<Void>()
    func value() -> Int {
      evaluations.record()
      return 9
    }
    #expect(results { $0.recover(with: value()) } == [.fulfilled(1), .fulfilled(9), .cancelled(nil), .fulfilled(9)])
    #expect(evaluations.count == 4)
    #expect(results { $0.recover(includingIndirectErrors: false, with: value()) }[3] == .cancelled(OtherError()))
    let executor = ManualExecutor()
    let there = Future<Int, TestError>(cancelled: OtherError())
      .recover(on: executor.here, includingIndirectErrors: false, with: 1)
    executor.runAll()
    #expect(there.result == .cancelled(OtherError()))
    let optional = Future<Int?, TestError>(rejected: TestError(1)).recover(with: nil)
    #expect(optional.value == .some(nil))
  }

  @Test("D52: always runs its callback for any result, and is fulfilled after")
  func always() {
    let calls = Recorder<Void>()
    let results: [FutureResult<Void, Never>?] = results { $0.always { calls.record() } }
    #expect(results.allSatisfy { $0?.value != nil })
    #expect(calls.count == 8)
  }
}
