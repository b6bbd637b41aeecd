import Promises
import Testing

/// Uses of futures that Swift 5 mode allows and Swift 6 mode would refuse.
@Suite("A client of futures in Swift 5 mode")
struct Swift5FutureClient {
  private final class Model {
    var log: [String] = []
  }

  @Test("T10: values and errors that are not Sendable cross threads, and callbacks change shared state")
  func crossing() async {
    let model = Model()
    let (future, resolver) = Future<Model, Never>.makeWithResolver()
    let derived = future.map { model -> Int in
      model.log.append("mapped")
      return model.log.count
    }
    _ = await Task.detached { resolver.fulfill(model) }.value
    #expect(derived.value == 1)
    #expect(model.log == ["mapped"])
  }
}
