// expect: value of type 'Future<Int, Never>' has no member 'resolve'
// A future is the read side: only its resolver makes it follow another future.
import Promises

func settle(_ future: Future<Int, Never>, as other: Future<Int, Never>) {
  future.resolve(other)
}
