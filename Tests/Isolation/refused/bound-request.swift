// expect: 'requestCancel()' is unavailable: invalidate the token, or ask `inner`
// rows: T83
// A bound future is asked to cancel by its token alone.
import Promises

func ask(_ future: TokenFuture<Int, Never>) {
  future.requestCancel()
}
