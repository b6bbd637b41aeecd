// expect: sending value of non-Sendable type '(Int) -> ()' risks causing data races
// The callback may run at the same time as the function, so they cannot share a variable.
import Promises

func sum(_ future: Future<Int, Never>) -> Int {
  var total = 0
  future.onSuccess(on: .utility) { total += $0 }
  return total
}
