// expect: 'requestCancel()' is unavailable: invalidate the token, or ask `inner`
// rows: T83
// A bound future is asked by its token.
import Promises

func ask(_ future: TokenFuture<Int, Never>) {
  future.requestCancel()
}
