import Promises
import PromisesTestSupport
import Testing

/// An actor that returns and accepts futures. Half of the test is that it compiles in Swift 6 mode without a warning.
private actor Store {
  private var values: [String: Int] = [:]
  private var pending: [String: Resolver<Int, TestError>] = [:]

  func value(of name: String) -> Future<Int, TestError> {
    if let value = values[name] { return Future(fulfilled: value) }
    let (future, resolver) = Future<Int, TestError>.makeWithResolver()
    pending[name] = resolver
    return future
  }

  func set(_ name: String, to value: Int) {
    values[name] = value
    pending.removeValue(forKey: name)?.fulfill(value)
  }

  func copy(_ future: Future<Int, TestError>, to name: String) -> Future<Void, TestError> {
    let (done, resolver) = Future<Void, TestError>.makeWithResolver()
    future.whenFulfilled { value in
      Task {
        self.set(name, to: value)
        resolver.fulfill()
      }
    }
    return done
  }
}

@Suite("Future: a client that is an actor")
struct ActorClient {
  @Test("T10, T22: futures and resolvers cross actors")
  func crossing() async {
    let store = Store()
    let first = await store.value(of: "a")
    let doubled = first.map { $0 * 2 }
    let done = await store.copy(doubled, to: "b")
    await store.set("a", to: 21)
    #expect(doubled.value == 42)
    await withCheckedContinuation { continuation in done.whenResolved { _ in continuation.resume() } }
    #expect(await store.value(of: "b").value == 42)
  }

  @MainActor @Test("T10: a callback on the main context may use state of the main actor")
  func mainActor() async {
    var seen: [Int] = []
    let future = Future<Int, Never>(fulfilled: 1).onSuccess(on: .main) { value in
      MainActor.assumeIsolated { seen.append(value) }
    }
    await withCheckedContinuation { continuation in
      future.whenResolved(on: .main) { _ in continuation.resume() }
    }
    #expect(seen == [1])
  }
}
