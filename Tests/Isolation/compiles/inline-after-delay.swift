// A limit of the check: an inline callback has the isolation of the code around it, also after an operator on time,
// which runs it on a thread of the library. This compiles, and races; with `on: .main` it does not race.
import Promises

@MainActor
final class Counter {
  var count = 0

  func races(_ future: Future<Int, Never>, _ numbers: Subscriber<Int, Never>) -> Subscriber<Int, Never> {
    future.delay(0.1).onSuccess { self.count += $0 }
    future.timeout(after: 0.1).onSuccess { self.count += $0 }
    return numbers.debounce(for: .seconds(1)).throttle(for: .seconds(1)).onNewData { self.count += $0 }
  }

  func hops(_ future: Future<Int, Never>) {
    future.delay(0.1).onSuccess(on: .main) { self.count += $0 }
  }
}
