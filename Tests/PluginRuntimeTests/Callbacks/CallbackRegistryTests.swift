import Testing

@testable import PluginRuntime

@Suite("The live callbacks of a plugin")
struct CallbackRegistryTests {
  @Test("a callback that ends before it is added, by a late call at a reused address, is not live")
  func early() throws {
    let registry = CallbackRegistry()
    let number = registry.reserve()
    let pool = ThunkPool(ThunkInterface([ThunkInterface.int32], ThunkInterface.int32))
    let thunk = pool.take(freed: { registry.remove(number) }) { _, _ in }
    let callback = try #require(Callback(thunk.reference))
    #expect(registry.count == 1)
    thunk.end()
    registry.add(callback, number)
    #expect(registry.count == 0)
  }
}
