// Callbacks with `.main` are isolated to the main actor, and use its state without a hop.
import Promises

@MainActor
final class Model {
  var count = 0
  var name = ""

  func load(_ future: Future<Int, any Error>, _ promise: Promise<Int>) {
    future.onSuccess(on: .main) { self.count += $0 }
      .map(on: .main) { "\($0 + self.count)" }
      .tryMap(on: .main) { self.name + $0 }
      .recover(on: .main) { _ in self.name }
      .onEither(on: .main) { self.name = (try? $0.get()) ?? "" }
      .mapEither(on: .main) { $0.map { $0 + self.name } }
      .flatMapEither(on: .main) { Future(with: $0.map { $0 + self.name }) }
      .onCancel(on: .main) { self.name = "" }
      .whenFulfilled(on: .main) { self.name = $0 }
    promise.then(on: .main) { $0 + self.count }.then(on: .main, { self.count = $0 }, { _ in self.count = 0 })
    promise.rescue(on: .main) { (_: any Error) in self.count = -1 }
    _ = Future<Int, Never>(on: .main) { $0.fulfill(self.count) }
    _ = promise.anyway(on: .main) { $0 ?? self.count }
  }
}

/// Attaches from code without isolation.
func attach(_ model: Model, to future: Future<Int, Never>) {
  future.onSuccess(on: .main) { model.count += $0 }
}
