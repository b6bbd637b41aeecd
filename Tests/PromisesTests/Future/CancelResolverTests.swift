import Promises
import PromisesTestSupport
import Testing

@Suite("Future: callbacks for a request to cancel, whose resolver was released")
struct CancelResolverTests {
  private typealias Subject = Future<Int, TestError>
  private typealias Owner = Resolver<Int, TestError>
  private let log = Recorder<Int>()

  @Test("T21, T29: releasing the last resolver requests cancellation; without a settlement the future is cancelled")
  func asksFirst() {
    let future = Subject { resolver in
      resolver.onCancelRequest { _ in self.log.record(0) }
      resolver.onCancelRequest { resolver in self.log.record(resolver.isCancelRequested ? 1 : 9) }
      #expect(self.log.events == [])
    }
    #expect(log.events == [0, 1])
    #expect(future.result == .cancelled(nil))
  }

  @Test("T29: a callback settles the future with the resolver that it is given")
  func settles() {
    let future = Subject { resolver in
      resolver.onCancelRequest { $0.reject(TestError(3)) }
    }
    #expect(future.error == TestError(3))
  }

  @Test("T29: all callbacks are given one resolver; a callback that keeps it keeps the future pending")
  func keeps() throws {
    var kept: [Owner] = []
    let future = Subject { resolver in
      for _ in 0..<2 { resolver.onCancelRequest { kept.append($0) } }
    }
    try #require(kept.count == 2)
    #expect(kept[0] === kept[1])
    #expect(future.state == .pending)
    kept.removeLast()
    #expect(future.state == .pending)
    kept = []
    #expect(future.state == .cancelled)
  }

  @Test("T29: callbacks in a context run there, in order, before the future is given up")
  func inContext() {
    let context = QueueContext()
    let future = Subject { resolver in
      for index in 0..<3 {
        resolver.onCancelRequest(on: context.here) { resolver in
          #expect(QueueContext.isCurrent)
          log.record(index)
          resolver.cancel(because: OtherError())
        }
      }
    }
    #expect(future.state == .pending)
    context.run()
    #expect(log.events == [0, 1, 2])
    #expect(future.result?.indirectError is OtherError)
  }

  @Test("T29: releasing the last resolver does not ask a future again that was asked before")
  func onlyOnce() {
    var owner: Owner?
    let future = Subject { owner = $0 }
    owner?.onCancelRequest { _ in log.record(0) }
    future.requestCancel()
    #expect(future.state == .pending)
    owner = nil
    #expect(log.events == [0])
    #expect(future.state == .cancelled)
  }

  @Test("T28, T29: releasing the resolver of a following future requests nothing, but a request reaches it")
  func followingFuture() {
    let source = Watched()
    let future = Subject { resolver in
      resolver.onCancelRequest { _ in log.record(0) }
      resolver.resolve(with: source.future!)
    }
    #expect(log.events == [])
    future.requestCancel()
    #expect(log.events == [0])
    #expect(future.state == .pending, "it ends as the other does")
    source.resolver.fulfill(1)
    #expect(future.value == 1)
  }
}
