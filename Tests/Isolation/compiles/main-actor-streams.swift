// Callbacks of streams with `.main` are isolated to the main actor, as those of futures are.
import Promises

@MainActor
final class List {
  var rows: [Int] = []
  var kept: [Any] = []

  func show(_ subscriber: Subscriber<Int, any Error>) {
    kept.append(
      subscriber.subscribe(on: .main) { self.rows.append($0.value ?? 0) }
        .onNewData(on: .main) { self.rows.append($0) }
        .onError(on: .main) { _ in self.rows = [] }
        .onCancelled(on: .main) { self.rows = [] })
    kept.append(subscriber.subscribe(on: .main, demand: 1) { self.rows.append($0.value ?? 0) })
  }
}

/// A context that is a value takes Sendable closures.
func log(_ subscriber: Subscriber<Int, Never>, _ context: PromiseContext) -> Subscriber<Int, Never> {
  subscriber.onNewData(on: context) { print($0) }
}
