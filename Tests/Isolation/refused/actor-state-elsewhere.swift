// expect: actor-isolated property 'hits' can not be mutated from a nonisolated context
// The callback runs on a thread of the pool: it cannot change state of the actor that attaches it.
import Promises

actor Cache {
  var hits = 0

  func count(_ future: Future<Int, Never>) {
    future.onSuccess(on: .utility) { self.hits += $0 }
  }
}
