// A callback in a context hops to its actor by a task; or the actor awaits the value.
import Promises

actor Cache {
  private var hits = 0
  private let ready: Resolver<Int, Never>

  init(_ ready: sending Resolver<Int, Never>) { self.ready = ready }

  func add(_ number: Int) { hits += number }

  func follow(_ future: Future<Int, Never>) {
    future.onSuccess(on: .utility) { number in
      Task { await self.add(number) }
    }
  }

  func total(with future: Future<Int, any Error>) async throws -> Int {
    hits += try await future.get()
    return hits
  }

  func finish() {
    ready.future.onSuccess { self.hits += $0 }
    ready.fulfill(hits)
  }
}
