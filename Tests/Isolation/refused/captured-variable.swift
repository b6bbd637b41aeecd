// expect: mutation of captured var 'total' in concurrently-executing code
// The callback runs while the function goes on: a variable of the function cannot be shared.
import Promises

func sum(_ future: Future<Int, Never>) -> Int {
  var total = 0
  future.onSuccess(on: .utility) { total += $0 }
  return total
}
