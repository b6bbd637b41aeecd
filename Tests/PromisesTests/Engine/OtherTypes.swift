import Promises
import PromisesTestSupport
import Testing

@Suite("Futures over cells with values of another type")
struct OtherTypes {
  @Test("PG12: a promise that was fulfilled with a value of another type cancels, and calls no closure")
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
  @Test("PG12: ... also if the value would be one of the new future's type")
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
