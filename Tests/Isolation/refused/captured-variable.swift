// expect: sending value of non-Sendable type '(Int) -> ()' risks causing data races
// The callback runs while the function goes on: a variable of the function cannot be shared.
import Promises

func sum(_ future: Future<Int, Never>) -> Int {
  var total = 0
  future.onSuccess(on: .utility) { total += $0 }
  return total
}
