// Inline callbacks have the isolation of the code around them, since they run where the future is settled or where
// they are attached.
import Promises

@MainActor
final class Counter {
  var count = 0

  func run() {
    let (future, resolver) = Future<Int, Never>.makeWithResolver()
    future.onSuccess { self.count += $0 }
    future.map { $0 + self.count }.whenFulfilled { self.count = $0 }
    resolver.fulfill(1)
  }
}
