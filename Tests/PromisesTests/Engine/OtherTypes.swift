import Promises
import PromisesTestSupport
import Testing

@Suite("Futures over cells with values of another type")
struct OtherTypes {
  @Test("PG12: a value of another type cancels the derived future, and its closure is not called")
  func mapEither() {
    let promise = Promise<String>()
    #expect(promise.cell.retain())
    let future = Future<Int, TestError>(cell: promise.cell)
    let mapped = future.mapEither { result in
      Issue.record("called")
      return result
    }
    promise.resolve("text")
    #expect(mapped.result?.indirectError is PromiseError)
  }
  @Test("PG12: a value of another type cancels the derived future, even if that one has this type")
  func mapEitherToThatType() {
    let promise = Promise<String>()
    #expect(promise.cell.retain())
    let mapped = Future<Int, TestError>(cell: promise.cell).mapEither { _ -> Result<String, TestError> in
      Issue.record("called")
      return .success("")
    }
    promise.resolve("text")
    #expect(mapped.result?.indirectError is PromiseError)
  }
}
