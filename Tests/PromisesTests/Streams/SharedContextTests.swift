import Dispatch
import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: callbacks of one subscriber in one context")
struct SharedContextTests {
  @Test("PG46: callbacks on one queue get the states in order, of all kinds", arguments: 0..<4)
  func order(form: Int) {
    Numbers.with(form == 1 ? StatefulPublisher() : Publisher()) { numbers in
      let queue = DispatchQueue(label: "test")
      let log = Recorder<String>()
      let subscriber = form == 2 ? numbers.subscriber().mapValues { $0 } : numbers.subscriber()
      subscriber.onNewData(on: .queue(queue)) { log.record("d\($0)") }
        .onError(on: .queue(queue)) { log.record("e\($0.code)") }
        .onCancelled(on: .queue(queue)) { log.record("end") }
      if form == 3 { queue.suspend() }
      numbers.publish(.data(1), .data(2), .error(TestError(3)), .data(4), .cancelled)
      if form == 3 { queue.resume() }
      queue.drain()
      #expect(log.events == ["d1", "d2", "e3", "d4", "end"])
      withExtendedLifetime(subscriber) {}
    }
  }

  @Test("PG46: callbacks on the main context get each state before any gets the next")
  @MainActor
  func main() async {
    let numbers = Numbers()
    let log = Recorder<String>()
    let subscriber = numbers.subscriber()
    subscriber.subscribe(on: .main) { log.record("a\($0)") }.onNewData(on: .main) { log.record("b\($0)") }
      .onError(on: PromiseContext.main) { log.record("c\($0.code)") }
    numbers.publish(.data(1), .error(TestError(2)), .data(3), .cancelled)
    for _ in 0..<8 { await mainQueueDrained() }
    #expect(log.events == ["a1", "b1", "a\(TestError(2))", "c2", "a3", "b3", "aCancelled."])
    withExtendedLifetime((numbers, subscriber)) {}
  }

  @Test(
    "PG42: a callback added to a busy queue gets the states from then on, after the older callbacks",
    arguments: [("plain", []), ("stateful", ["b3"]), ("replay", ["b2", "b3"])] as [(String, [String])])
  func late(kind: String, replayed: [String]) {
    Numbers.with(kind == "stateful" ? StatefulPublisher() : Publisher()) { numbers in
      let executor = ManualExecutor()
      let log = Recorder<String>()
      let subscriber = kind == "replay" ? numbers.subscriber().replay(2) : numbers.subscriber()
      subscriber.onNewData(on: executor.here) { log.record("a\($0)") }
      numbers.publish(.data(1), .data(2), .data(3))
      subscriber.subscribe(on: executor.here) { log.record("b\($0)") }
      numbers.publish(.data(4), .data(5))
      executor.runAll()
      #expect(log.events == ["a1", "a2", "a3"] + replayed + ["a4", "b4", "a5", "b5"])
      withExtendedLifetime(subscriber) {}
    }
  }

  @Test("PG45: a callback added after the end gets the latest state and the end, after the older states")
  func afterTheEnd() {
    Numbers.with(StatefulPublisher()) { numbers in
      let executor = ManualExecutor()
      let log = Recorder<String>()
      let subscriber = numbers.subscriber()
      subscriber.subscribe(on: executor.here) { log.record("a\($0)") }
      numbers.publish(.data(1), .data(2), .cancelled)
      subscriber.subscribe(on: executor.here) { log.record("b\($0)") }
      executor.runAll()
      #expect(log.events == ["a1", "a2", "b2", "aCancelled.", "bCancelled."])
      subscriber.subscribe(on: executor.here) { log.record("c\($0)") }
      executor.runAll()
      #expect(log.events.suffix(2) == ["c2", "cCancelled."])
    }
  }

  @Test("PG43: a callback that releases the subscriber silences those behind it")
  func release() {
    Numbers.with { numbers in
      let executor = ManualExecutor()
      let log = Recorder<String>()
      nonisolated(unsafe) var subscriber: Subscriber? = numbers.subscriber()
      subscriber?.onNewData(on: executor.here) {
        log.record("a\($0)")
        subscriber = nil
      }
      .subscribe(on: executor.here) { log.record("b\($0)") }
      numbers.publish(.data(1), .data(2), .cancelled)
      executor.runAll()
      #expect(log.events == ["a1"])
    }
  }

  @Test("PG42: a callback may add one with its own context, which gets the later states")
  func addedInside() {
    Numbers.with { numbers in
      let executor = ManualExecutor()
      let log = Recorder<String>()
      let subscriber = numbers.subscriber()
      subscriber.onNewData(on: executor.here) { [unowned subscriber] value in
        log.record("a\(value)")
        if value == 1 { subscriber.onNewData(on: executor.here) { log.record("b\($0)") } }
      }
      numbers.publish(.data(1), .data(2))
      executor.runNext()
      numbers.publish(.data(3))
      executor.runAll()
      #expect(log.events == ["a1", "a2", "a3", "b3"])
      withExtendedLifetime(subscriber) {}
    }
  }

  @Test("PG48, PG49: a state that no callback handles takes no turn of the context")
  func unwanted() {
    Numbers.with { numbers in
      let executor = ManualExecutor()
      let log = Recorder<String>()
      let subscriber = numbers.subscriber()
      subscriber.onCancelled(on: executor.here) { log.record("end") }
        .onError(on: executor.here) { log.record("e\($0.code)") }
      numbers.publish(.data(1))
      #expect(executor.count == 0)
      subscriber.onNewData(on: executor.here) { log.record("d\($0)") }
      numbers.publish(.data(2), .error(TestError(3)), .cancelled)
      executor.runAll()
      #expect(log.events == ["d2", "e3", "end"])
      withExtendedLifetime(subscriber) {}
    }
  }

  private final class Examined: PromiseExecutor {
    private let examine: @Sendable () -> Void

    init(_ examine: @escaping @Sendable () -> Void) { self.examine = examine }

    var identity: AnyObject {
      examine()
      return self
    }

    func submit(_ job: PromiseJob) { job.run() }
  }

  @Test("the identity of an executor is read with no lock held")
  func identity() {
    Numbers.with { numbers in
      let subscriber = numbers.subscriber()
      let log = Recorder<Bool>()
      let queue = DispatchQueue(label: "test")
      let executor = Examined {
        let isFree = DispatchSemaphore(value: 0)
        queue.async {
          withExtendedLifetime(subscriber.subscribe(demand: 1) { _ in }) {}
          isFree.signal()
        }
        log.record(isFree.wait(timeout: .now() + 300) == .success)
      }
      let values = Recorder<Int>()
      for _ in 0..<2 { subscriber.onNewData(on: .executor(executor)) { values.record($0) } }
      numbers.publish(.data(7))
      queue.drain()
      #expect(log.count > 0 && log.events.allSatisfy { $0 })
      #expect(values.events == [7, 7])
    }
  }

  @Test("PG50: callbacks in one context get the states that wait there at cancel(), then the end, and are released")
  func releases() {
    Numbers.with { numbers in
      withLifetimeTracking { tracker in
        let executor = ManualExecutor()
        let log = Recorder<String>()
        let subscriber = numbers.subscriber()
        subscriber.onNewData(on: executor.here) { [tracked = tracker.track(log)] in tracked.payload.record("\($0)") }
          .onCancelled(on: executor.here) { [tracked = tracker.track(log)] in tracked.payload.record("end") }
        numbers.publish(.data(1), .data(2))
        subscriber.cancel()
        executor.runAll()
        #expect(log.events == ["1", "2", "end"])
        #expect(tracker.live == 0)
        withExtendedLifetime(subscriber) {}
      }
    }
  }
}
