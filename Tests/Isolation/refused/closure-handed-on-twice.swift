// expect: sending 'callback' risks causing data races
// A closure that was sent to one context belongs to that context: two contexts need a `@Sendable` closure.
import Promises

func observe(_ future: Future<Int, Never>, _ callback: sending @escaping (Int) -> Void) {
  future.onSuccess(on: .utility, callback)
  future.onSuccess(on: .background, callback)
}
