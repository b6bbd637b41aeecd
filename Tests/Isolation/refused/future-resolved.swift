// expect: value of type 'Future<Int, Never>' has no member 'resolve'
// A future is the read side: nothing but its resolver makes it follow another.
import Promises

func settle(_ future: Future<Int, Never>, as other: Future<Int, Never>) {
  future.resolve(other)
}
