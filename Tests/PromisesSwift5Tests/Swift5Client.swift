import Promises
import Testing

// Client code that Swift 5 mode allows and Swift 6 mode would refuse: shared mutable state, and promises of values that
// are not Sendable passed between isolation domains.

private var shared = 0

private final class Model {
  var count = 0
  let changed = Promise<Model>()
  lazy var doubled: Promise<Int> = changed.then { $0.count * 2 }
}

@Suite("A client in Swift 5 mode")
struct Swift5Client {
  @Test("uses Promise with its own types")
  func client() {
    let model = Model()
    model.changed.then({ model in shared += model.count }, { _ in shared = -1 })
    let doubled = model.doubled
    model.count = 4
    model.changed.resolve(model)
    #expect(shared == 4)
    #expect(doubled.value == 8)
  }

  @Test("crosses threads with values that are not Sendable")
  func crossing() async {
    let model = Model()
    let promise = model.changed
    await Task.detached { promise.resolve(model) }.value
    #expect(promise.value === model)
  }
}
