// expect: 'then(on:_:)' is unavailable: use map for a new value, flatMap for a new future, onSuccess to look on
// rows: T117
// `then` has three meanings in three libraries: the message names the operator for each of them.
import Promises

func look(_ future: Future<Int, Never>) -> Future<Int, Never> {
  future.then { $0 + 1 }
}
