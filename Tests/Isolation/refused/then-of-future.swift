// expect: 'then(on:_:)' is unavailable: use map for a new value, flatMap for a new future, onSuccess to look on
// rows: T117
// Three libraries give then three meanings: the message has the name of each here.
import Promises

func look(_ future: Future<Int, Never>) -> Future<Int, Never> {
  future.then { $0 + 1 }
}
