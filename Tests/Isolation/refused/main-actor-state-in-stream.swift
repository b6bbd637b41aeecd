// expect: main actor-isolated property 'count' can not be mutated from a nonisolated context
// A stream's callback in a context runs on a thread of the pool: it cannot change state of the main actor.
import Promises

@MainActor
final class Counter {
  var count = 0

  func follow(_ subscriber: Subscriber<Int, Never>) -> Subscriber<Int, Never> {
    subscriber.onNewData(on: .utility) { self.count += $0 }
  }
}
