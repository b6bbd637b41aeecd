import Promises
import PromisesTestSupport
import Testing

@Suite("Future: requests up deep chains, on a stack of 512 KiB")
struct DeepRequests {
  private typealias Subject = Future<Int, any Error>
  private typealias Link = @Sendable (Subject) -> Subject
  private static let depth = Scale.million / 10

  private static let links: [Link] = [
    { $0.cancellingImmediatelyUponRequest() },
    { $0.propagatingCancellation { _ in } },
    { $0.timeout(on: .immediate, after: 3600) },
    { $0.delay(on: .utility, 3600) },
    { $0.makeChild().cancellingImmediatelyUponRequest().timeout(on: .immediate, after: 3600) },
    { source in Subject { $0.resolve(with: source) } },
    { when(fulfilled: [$0]).map { $0[0] } },
    { $0.flatMapResult { _ in Subject(on: .utility, fulfilled: 0, after: 3600) } },
    { $0.propagatingCancellation(on: InlineExecutor().here) { _ in } },
    { $0.timeout(on: inline, after: 3600) },
  ]

  private static let inline = InlineExecutor().here

  private func chain(_ source: consuming Subject, _ kind: Int) -> Subject {
    var last = consume source
    for _ in 0..<Self.depth { last = Self.links[kind](last) }
    return last
  }

  @Test("T58: a request reaches the source of a chain, and its cancellation the end", arguments: 0..<10)
  func requested(kind: Int) {
    let requests = Recorder<Void>()
    let state = onThread {
      var (source, resolver): (Subject?, _) = Subject.makeWithResolver()
      resolver.onCancelRequest {
        requests.record()
        $0.cancel()
      }
      let last = chain(source.take()!, kind)
      last.requestCancel()
      return last.state
    }
    #expect(requests.count == 1)
    #expect(state == .cancelled)
  }

  @Test("#28: a request cancels a chain at once, also if its source stays pending")
  func cancelledAtOnce() {
    let requests = Recorder<Void>()
    onThread {
      var (source, resolver): (Subject?, _) = Subject.makeWithResolver()
      resolver.onCancelRequest { _ in requests.record() }
      let last = chain(source.take()!, 0)
      last.requestCancel()
      #expect(last.state == .cancelled)
      #expect(resolver.future.state == .pending)
    }
    #expect(requests.count == 1)
  }

  @Test("EA-32: a chain settles", arguments: [0, 1, 2, 4, 5, 6, 8, 9])
  func settled(kind: Int) {
    onThread {
      let (source, resolver) = Subject.makeWithResolver()
      let last = chain(source, kind)
      resolver.fulfill(7)
      #expect(last.value == 7)
    }
  }

  @Test("EA-32: a pending chain is released", arguments: 0..<10)
  func released(kind: Int) {
    onThread { _ = chain(Promise<Int>().future.upcast, kind) }
  }
}
