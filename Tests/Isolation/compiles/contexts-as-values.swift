// A context that is a value, `.main` included, takes Sendable closures.
import Promises

func everywhere(_ future: Future<Int, Never>, _ callback: @escaping @Sendable (Int) -> Void) {
  let contexts: [PromiseContext] = [.main, .immediate, .utility, .nowOr(.main), .auto]
  for context in contexts { future.onSuccess(on: context, callback) }
  let (_, resolver) = Future<Int, Never>.makeWithResolver()
  resolver.onCancelRequest(on: contexts[0]) { $0.cancel() }
}
