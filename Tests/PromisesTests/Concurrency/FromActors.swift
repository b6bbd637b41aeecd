import Promises
import PromisesTestSupport
import Testing

// Promises used by actors compile without a warning: this target is in Swift 6 mode.

@Suite("Concurrency: actors")
struct FromActors {
  /// Starts one download for each name, however many callers ask for it.
  private actor Cache {
    private var downloads: [String: Future<Int, any Error>] = [:]
    private var log: [String] = []

    func size(of name: String) async throws -> Int {
      let download = downloads[name] ?? start(name)
      let size = try await download.get()
      log.append("\(name): \(size)")
      return size
    }

    private func start(_ name: String) -> Future<Int, any Error> {
      let download = Future { try await length(of: name) }
      downloads[name] = download
      return download
    }

    func entries() -> [String] { log }

    /// Returns a promise that is fulfilled with the actor's own state.
    func promise() -> Promise<[String]> { .resolve(log) }
  }

  @Test("Concurrency: an actor starts futures, awaits them, and returns promises")
  func cache() async throws {
    let cache = Cache()
    async let first = cache.size(of: "one")
    async let second = cache.size(of: "one")
    #expect(try await first + second == 6)
    #expect(await cache.entries() == ["one: 3", "one: 3"])
    #expect(try await cache.promise().get().count == 2)
  }

  @MainActor @Test("Concurrency: the main actor awaits a promise that a callback in the background settles")
  func mainActor() async throws {
    let promise = Promise<Int>()
    Promise<Int>.resolve(20).then(on: .default, { promise.resolve($0 + 1) }, nil)
    var total = 0
    total += try await promise.get()
    MainActor.assertIsolated()
    #expect(total == 21)
  }

  @Test("Concurrency: promises are passed to child tasks")
  func tasks() async throws {
    let promises = (0..<10).map { _ in Promise<Int>() }
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for promise in promises { group.addTask { try await promise.get() } }
      for (index, promise) in promises.enumerated() { promise.resolve(index) }
      var sum = 0
      for try await value in group { sum += value }
      return sum
    }
    #expect(sum == 45)
  }
}

private func length(of name: String) async throws -> Int {
  await Task.yield()
  return name.count
}
