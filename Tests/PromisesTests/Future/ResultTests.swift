import Foundation
import Promises
import PromisesTestSupport
import Testing

@Suite("Future: results")
struct ResultTests {
  private typealias Outcome = FutureResult<Int, TestError>
  private let all: [Outcome] = [.fulfilled(1), .rejected(TestError(2)), .cancelled(nil), .cancelled(OtherError())]

  @Test("T85, D1: a result is a value, an error or a cancellation, which may have an indirect error")
  func parts() {
    #expect(all.map(\.value) == [1, nil, nil, nil])
    #expect(all.map(\.error) == [nil, TestError(2), nil, nil])
    #expect(all.map(\.isCancelled) == [false, false, true, true])
    #expect(all.map { $0.indirectError as? OtherError } == [nil, nil, nil, OtherError()])
  }

  @Test("T16, T85: .cancelled is the cancellation without an indirect error; as a pattern it is any")
  func cancelled() {
    #expect(all.map { $0 == .cancelled } == [false, false, true, false])
    #expect(all.firstIndex(of: .cancelled) == 2)
    let none: Outcome? = nil
    #expect(none != .cancelled)
    let matches = all.map { result in
      switch result {
      case .cancelled: true
      case .fulfilled, .rejected: false
      }
    }
    #expect(matches == all.map(\.isCancelled))
    let future = Future<Int, TestError>(with: .cancelled)
    #expect(future.result == .cancelled && future.result?.indirectError == nil)
    #expect(future.mapResult { $0 == .cancelled ? .fulfilled(3) : $0 }.value == 3)
    let (resolved, resolver) = Future<Int, TestError>.makeWithResolver()
    resolver.resolve(.cancelled)
    #expect(resolved.result == .cancelled(nil))
  }

  @Test("T86: map and flatMap change the value, mapError and flatMapError the error; a cancellation passes")
  func transforms() throws {
    #expect(all.map { $0.map { "\($0)" } }.map(\.value) == ["1", nil, nil, nil])
    #expect(all.map { $0.map { "\($0)" } }.map(\.error) == [nil, TestError(2), nil, nil])
    #expect(all.map { $0.mapError { "\($0.code)" } }.map(\.error) == [nil, "2", nil, nil])
    #expect(all.map { $0.mapError { "\($0.code)" } }.map(\.value) == [1, nil, nil, nil])
    #expect(all.map { $0.flatMap { .rejected(TestError($0)) as Outcome } }.map(\.error?.code) == [1, 2, nil, nil])
    #expect(all.map { $0.flatMapError { .fulfilled($0.code) as Outcome } }.map(\.value) == [1, 2, nil, nil])
    for cancelled in all[2...] {
      #expect(cancelled.map { "\($0)" }.isCancelled && cancelled.mapError { $0.code }.isCancelled)
    }
    #expect(all[3].flatMapError { .fulfilled($0.code) as Outcome }.indirectError is OtherError)
    #expect(all[3].flatMap { .fulfilled($0) as Outcome }.indirectError is OtherError)
    #expect(all[3].map { "\($0)" }.indirectError is OtherError)
    #expect(throws: OtherError.self) { try Outcome.fulfilled(1).map { _ -> Int in throw OtherError() } }
    #expect(throws: OtherError.self) {
      try Outcome.rejected(TestError()).mapError { _ -> TestError in throw OtherError() }
    }
  }

  @Test("T87: a Swift.Result is a result; get() gives the value or throws")
  func swiftResult() throws {
    #expect(Outcome(.success(1)) == .fulfilled(1))
    #expect(Outcome(.failure(TestError(2))) == .rejected(TestError(2)))
    #expect(try Outcome.fulfilled(1).get() == 1)
    #expect(throws: TestError(2)) { try Outcome.rejected(TestError(2)).get() }
    #expect(throws: OtherError()) { try Outcome.cancelled(OtherError()).get() }
    #expect(throws: CancellationError.self) { try Outcome.cancelled(nil).get() }
  }

  @Test("T88: results are equal if they are of the same kind with equal contents, and hash so")
  func equality() {
    for (i, one) in all.enumerated() {
      for (j, other) in all.enumerated() { #expect((one == other) == (i == j), "\(one) and \(other)") }
    }
    #expect(Outcome.fulfilled(1) != .fulfilled(2))
    #expect(Outcome.rejected(TestError(1)) != .rejected(TestError(2)))
    #expect(Outcome.cancelled(TestError(1)) == .cancelled(TestError(1)))
    #expect(Outcome.cancelled(TestError(1)) != .cancelled(TestError(2)))
    #expect(Outcome.cancelled(TestError(1)) != .cancelled(OtherError()))
    #expect(Outcome.cancelled(Incomparable()) == .cancelled(Incomparable()))
    struct Different: Error {}
    #expect(Outcome.cancelled(Incomparable()) != .cancelled(Different()))
    #expect(Outcome.cancelled(Incomparable()) != .cancelled(TestError(1)))
    // Symmetric for subclasses, whose == is that of the class.
    #expect(Outcome.cancelled(Base()) != .cancelled(Derived()) && Outcome.cancelled(Derived()) != .cancelled(Base()))
    #expect(Outcome.cancelled(Derived()) == .cancelled(Derived()))
    typealias Hashed = FutureResult<Int, String>
    let set: Set<Hashed> = [.fulfilled(1), .fulfilled(1), .rejected("1"), .cancelled(nil), .cancelled(OtherError())]
    #expect(set.count == 4)
    #expect(set.contains(.cancelled(OtherError())))
    // Compare hashes too: equal results with different hashes may share a bucket of a small set by chance.
    let makers: [() -> Hashed] = [
      { .fulfilled(1) }, { .rejected("1") }, { .cancelled(nil) }, { .cancelled(OtherError()) },
    ]
    for make in makers { #expect(make().hashValue == make().hashValue) }
  }

  @Test("T88: JSON has both keys, null for the one that does not apply")
  func encoding() throws {
    typealias Coded = FutureResult<Int, String>
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    func json(_ result: Coded) throws -> String { String(decoding: try encoder.encode(result), as: UTF8.self) }
    #expect(try json(.fulfilled(42)) == #"{"error":null,"value":42}"#)
    #expect(try json(.rejected("w")) == #"{"error":"w","value":null}"#)
    #expect(try json(.cancelled(OtherError())) == #"{"error":null,"value":null}"#)
    for result in [Coded.fulfilled(42), .rejected("w"), .cancelled(nil)] {
      #expect(try JSONDecoder().decode(Coded.self, from: encoder.encode(result)) == result)
    }
  }

  @Test("T88: the key value is required and wins; beside null the key error is required")
  func decoding() throws {
    func decode(_ json: String) throws -> FutureResult<Int, String> {
      try JSONDecoder().decode(FutureResult<Int, String>.self, from: Data(json.utf8))
    }
    #expect(try decode(#"{"value":1}"#) == .fulfilled(1))
    #expect(try decode(#"{"value":1,"error":"w"}"#) == .fulfilled(1))
    #expect(throws: DecodingError.self) { try decode(#"{"error":"w"}"#) }
    #expect(throws: DecodingError.self) { try decode(#"{"value":null}"#) }
  }

  @Test("T89: NoError has no values: it decodes as none, and a given one is corrupted data")
  func noError() throws {
    typealias Coded = FutureResult<Int, NoError>
    func decode(_ json: String) throws -> Coded { try JSONDecoder().decode(Coded.self, from: Data(json.utf8)) }
    #expect(try decode(#"{"value":1,"error":null}"#) == .fulfilled(1))
    #expect(try decode(#"{"value":null,"error":null}"#) == .cancelled(nil))
    #expect {
      try decode(#"{"value":null,"error":"w"}"#)
    } throws: { error in
      if case DecodingError.dataCorrupted = error { true } else { false }
    }
    #expect(Set<Coded>([.fulfilled(1), .fulfilled(1)]).count == 1)
  }

  @Test("PG32: a Swift.Result gives its parts, and calls back with them at once")
  func sugar() {
    let good = Result<Int, TestError>.success(1)
    let bad = Result<Int, TestError>.failure(TestError(2))
    #expect(good.value == 1 && good.error == nil)
    #expect(bad.value == nil && bad.error == TestError(2))
    var log: [String] = []
    good.onSuccess { log.append("value \($0)") }.onError { log.append("error \($0.code)") }
    bad.onSuccess { log.append("value \($0)") }.onError { log.append("error \($0.code)") }
    #expect(log == ["value 1", "error 2"])
  }

  @Test("RP21: get() and a map that may throw behave as ResultPromises documents resolve() and map")
  func documentedHelpers() throws {
    let good = Result<Int, any Error>.success(1)
    #expect(try good.get() == 1)
    #expect(throws: TestError(2)) { try Result<Int, any Error>.failure(TestError(2)).get() }
    #expect(good.tryMap { "\($0)" }.value == "1")
    #expect(good.tryMap { _ -> Int in throw TestError(3) }.error as? TestError == TestError(3))
    #expect(Result<Int, TestError>.failure(TestError(4)).tryMap { $0 }.error as? TestError == TestError(4))
    #expect(good.flatMap { .success($0 + 1) }.value == 2)
  }
}

private struct Incomparable: Error {}

private class Base: Error, Equatable, @unchecked Sendable {
  static func == (one: Base, other: Base) -> Bool { true }
}

private final class Derived: Base, @unchecked Sendable {}
