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
}
