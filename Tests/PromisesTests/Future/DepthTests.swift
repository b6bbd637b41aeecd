import Promises
import PromisesTestSupport
import Testing

@Suite("Future: deep chains, in a thread of 32 KiB")
struct DepthTests {
  private static let depth = 2_000

  @Test("T37: links without a callback, implicit conversions and immediate callbacks take no stack", arguments: 0..<8)
  func chain(kind: Int) {
    let result = onThread(stackSize: 32 << 10) {
      let (source, resolver) = Future<Int, any Error>.makeWithResolver()
      var last = source
      for _ in 0..<Self.depth { last = Self.links[kind](last) }
      resolver.fulfill(7)
      return last.value
    }
    #expect(result == 7)
  }

  private static let links: [@Sendable (Future<Int, any Error>) -> Future<Int, any Error>] = [
    { $0.tap() }, { $0.makeChild() }, { $0.ignoringCancel() }, { $0.upcast }, { $0.map { $0 } },
    { source in Future(fulfilled: 0).flatMap { _ in source } },
    { source in Future { $0.resolve(with: source) } },
    { $0.propagatingCancellation { _ in } },
  ]

  @Test("T37, T58: a request propagates up a chain, and the cancellation down again, without taking stack")
  func request() {
    let isCancelled = onThread(stackSize: 32 << 10) {
      let source = Watched(cancels: true)
      var last = source.future!
      for index in 0..<Self.depth { last = index % 2 == 0 ? last.map { $0 } : last.makeChild() }
      source.future = nil
      last.requestCancel()
      return last.state == .cancelled
    }
    #expect(isCancelled)
  }
}
