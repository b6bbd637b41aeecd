// expect: 'requestCancelOnInvalidate' is unavailable: derived futures are registered with the token already
// rows: T83
// A bound future is registered with its token already.
import Promises

func register(_ future: TokenFuture<Int, Never>, _ token: InvalidationToken) {
  _ = future.requestCancelOnInvalidate(token)
}
