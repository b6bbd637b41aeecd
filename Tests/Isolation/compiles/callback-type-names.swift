// The names of callback types are aliases of function types: each is accepted where the other is expected.
// rows: PG11
import Promises

struct NamedError: Error {}

func named() {
  typealias Named = Future<Int, NamedError>
  let success: (Named.SuccessCallback.Type, ((Int) -> Void).Type) = (((Int) -> Void).self, Named.SuccessCallback.self)
  let failure: (Named.ErrorCallback.Type, ((NamedError) -> Void).Type) = (
    ((NamedError) -> Void).self, Named.ErrorCallback.self
  )
  let result: (Named.ResultCallback.Type, ((FutureResult<Int, NamedError>) -> Void).Type) = (
    ((FutureResult<Int, NamedError>) -> Void).self, Named.ResultCallback.self
  )
  _ = (success, failure, result)
}

func attached(
  _ success: @escaping Future<Int, NamedError>.SuccessCallback,
  _ failure: @escaping Future<Int, NamedError>.ErrorCallback,
  _ result: @escaping Future<Int, NamedError>.ResultCallback
) {
  let (future, _) = Future<Int, NamedError>.makeWithResolver()
  future.onSuccess(success).onError(failure).onComplete(result)
}
