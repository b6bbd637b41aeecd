// Types that a call does not name are inferred, in Swift 6 mode too.
import Promises

func inferred() -> Promise<Int> {
  let promise = Promise(fulfilled: 2)
  let future = Future<Int, Never>(fulfilled: 2)
  _ = future.mapEither { $0.map { $0 + 1 } }.onCancel {}.onCancel { _ in }
  return promise.then { $0 + 1 }
}
