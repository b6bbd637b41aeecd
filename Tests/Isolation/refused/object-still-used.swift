// expect: sending value of non-Sendable type '(Int) -> ()' risks causing data races
// Two callbacks in contexts cannot share an object that is not Sendable.
import Promises

final class Counter {
  var count = 0
}

func observe(_ future: Future<Int, Never>) {
  let counter = Counter()
  future.onSuccess(on: .utility) { counter.count += $0 }
  future.onSuccess(on: .utility) { counter.count -= $0 }
}
