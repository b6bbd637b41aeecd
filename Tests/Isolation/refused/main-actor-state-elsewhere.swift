// expect: main actor-isolated property 'count' can not be mutated from a nonisolated context
// The callback runs on a thread of the pool: it cannot change state of the main actor.
import Promises

@MainActor
final class Counter {
  var count = 0

  func load(_ future: Future<Int, Never>) {
    future.onSuccess(on: .utility) { self.count += $0 }
  }
}
