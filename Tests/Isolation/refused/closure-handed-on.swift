// expect: sending 'callback' risks causing data races
// A closure of unknown isolation cannot be passed to another context.
import Promises

func observe(_ future: Future<Int, Never>, _ callback: @escaping (Int) -> Void) {
  future.onSuccess(on: .utility, callback)
}
