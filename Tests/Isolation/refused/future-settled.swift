// expect: value of type 'Future<Int, Never>' has no member 'fulfill'
// A future is the read side: only its resolver settles it.
import Promises

func settle(_ future: Future<Int, Never>) {
  future.fulfill(1)
}
