import Promises
import PromisesTestSupport
import Testing

@Suite("Future: propagatingCancellation")
struct SharedFutureTests {
  private typealias Subject = Future<Int, TestError>

  @Test("T64: a request on all children reaches it although it is held, then its source, then its handlers")
  func order() {
    let log = Recorder<String>()
    let (source, resolver) = Subject.makeWithResolver()
    resolver.onCancelRequest {
      log.record("source")
      $0.cancel()
    }
    let shared = source.propagatingCancellation { [weak source] shared in
      log.record("callback, pending: \(!shared.isSettled) \(source == nil)")
    }
    let children = (0..<2).map { _ in shared.makeChild() }
    for (index, child) in children.enumerated() { child.whenCancelled { _ in log.record("child \(index)") } }
    _ = consume source
    children[0].requestCancel()
    #expect(log.events == [])
    children[1].requestCancel()
    #expect(log.events == ["callback, pending: true true", "source", "child 0", "child 1"])
    #expect(shared.state == .cancelled)
    let late = shared.makeChild()
    #expect(late.state == .cancelled)
  }

  @Test("T64: the callback gets the future itself, and can distinguish it from another")
  func same() {
    let source = Watched()
    var seen: Subject?
    let shared = source.future!.propagatingCancellation { seen = $0 }
    shared.requestCancel()
    #expect(seen == shared)
    #expect(!source.isRequested, "the source is held")
    source.future = nil
    #expect(source.isRequested)
  }

  @Test("T64: without children it is never asked to cancel; tap() does not count as a child")
  func noChildren() {
    let source = Watched()
    let calls = Recorder<Void>()
    let shared = source.future!.propagatingCancellation { _ in calls.record() }
    source.future = nil
    shared.tap().requestCancel()
    #expect(calls.count == 0 && !source.isRequested)
    shared.makeChild().requestCancel()
    #expect(calls.count == 1 && source.isRequested)
    shared.makeChild().requestCancel()
    #expect(calls.count == 1, "once")
  }

  @Test("T64: other interest in the source, or a hold on it, keeps the request back there", arguments: [false, true])
  func siblings(inContext: Bool) {
    let source = Watched()
    let calls = Recorder<Void>()
    let context = QueueContext()
    let shared =
      inContext
      ? source.future!.propagatingCancellation(on: context.here) { _ in calls.record() }
      : source.future!.propagatingCancellation { _ in calls.record() }
    let sibling = source.future!.map { $0 }
    source.future = nil
    shared.makeChild().requestCancel()
    context.run()
    #expect(calls.count == 1 && !source.isRequested)
    sibling.requestCancel()
    #expect(source.isRequested)
  }

  @Test(
    "T64: in a context, the callback and then the request run there; a settled future skips the callback")
  func context() {
    let log = Recorder<String>()
    let context = QueueContext()
    let source = Watched()
    let shared = source.future!.propagatingCancellation(on: context.here) { [requests = source.requests] _ in
      log.record("there: \(QueueContext.isCurrent), asked: \(requests.count > 0)")
    }
    source.future = nil
    shared.makeChild().requestCancel()
    #expect(log.events == [] && !source.isRequested)
    context.run()
    #expect(log.events == ["there: true, asked: false"])
    #expect(source.isRequested)

    let settled = QueueContext()
    let other = Watched()
    let done = other.future!.propagatingCancellation(on: settled.here) { _ in log.record("settled") }
    other.future = nil
    done.makeChild().requestCancel()
    other.resolver.fulfill(1)
    settled.run()
    #expect(log.events.count == 1)
    #expect(done.value == 1)
  }

  @Test("T64: in contexts that run inline, each callback runs in its own, before its source is asked")
  func inlineContexts() {
    final class Inline: PromiseExecutor {
      let log: Recorder<String>
      let name: String
      init(_ log: Recorder<String>, _ name: String) { (self.log, self.name) = (log, name) }
      func submit(_ job: PromiseJob) {
        log.record("\(name) begins")
        job.run()
        log.record("\(name) ends")
      }
    }
    let log = Recorder<String>()
    let source = Watched()
    source.resolver.onCancelRequest { _ in log.record("source") }
    func share(_ future: Subject, _ name: String) -> Subject {
      future.propagatingCancellation(on: .executor(Inline(log, name))) { log.record("\(name): \(!$0.isSettled)") }
    }
    let last = share(share(source.future!, "first"), "second")
    source.future = nil
    last.makeChild().requestCancel()
    #expect(
      log.events == [
        "second begins", "second: true", "second ends", "first begins", "first: true", "source", "first ends",
      ])
  }

  @Test("T64: it lives until it is settled, also without a reference, and then releases its callback")
  func lifetime() {
    withLifetimeTracking { tracker in
      let source = Watched()
      let child = share(source.future!, tracker)
      source.future = nil
      #expect(tracker.live == 1)
      source.resolver.fulfill(1)
      #expect(child.value == 1)
      #expect(tracker.live == 0)
    }
  }

  private func share(_ source: Subject, _ tracker: LifetimeTracker) -> Subject {
    let held = tracker.track()
    return source.propagatingCancellation { _ in held.touch() }.makeChild()
  }

  @Test("T64: children propagate their requests although the future itself was dropped")
  func unheld() {
    let source = Watched()
    let calls = Recorder<Void>()
    let child = source.future!.propagatingCancellation { _ in calls.record() }.makeChild()
    source.future = nil
    child.requestCancel()
    #expect(calls.count == 1 && source.isRequested)
  }
}
