import PromisesTestSupport
import Testing

@testable import Promises

/// The numbers of publishers, of subscribers, and of cells without a kind of their own, such as entries of queues.
private struct Census: Equatable {
  let publishers: UInt64
  let subscribers: UInt64
  let internals: UInt64

  init() {
    let now = Statistics.now
    (publishers, subscribers, internals) = (now.publishers, now.subscribers, now.internals)
  }
}

private typealias Source = Publisher<Int, TestError>

/// A use of a stream, which must free each cell that it makes.
private struct Use: Sendable {
  let name: String
  let body: @Sendable () -> Void

  static let all = [
    Use(name: "cancelling a subscriber of a line") {
      let publisher = Source()
      let subscriber = publisher.subscriber().mapValues { $0 + 1 }.onNewData { _ in }
      publisher.publish(1)
      subscriber.cancel()
    },
    Use(name: "callbacks that share a context") {
      let (publisher, executor) = (StatefulPublisher<Int, TestError>(), ManualExecutor())
      publisher.publish(1)
      let subscriber = publisher.subscriber().onNewData(on: executor.here) { _ in }
      publisher.publish(2)
      subscriber.onError(on: executor.here) { _ in }.onNewData(on: executor.here) { _ in }
      executor.runAll()
    },
    Use(name: "a callback in a context whose stream has ended") {
      let (publisher, executor) = (Source(), ManualExecutor())
      let subscriber = publisher.subscriber().onNewData(on: executor.here) { _ in }
      publisher.cancelAll()
      executor.runAll()
      for _ in 0..<2 { subscriber.onCancelled(on: executor.here) {} }
      executor.runAll()
    },
    Use(name: "two consumers, of which the first is released first") {
      let publisher = Source()
      let source = publisher.subscriber()
      var first: Subscriber? = source.mapValues { $0 + 1 }
      let second = source.mapValues { $0 + 2 }.onNewData { _ in }
      publisher.publish(1)
      withExtendedLifetime(first) {}
      first = nil
      publisher.publish(2)
      withExtendedLifetime((source, second)) {}
    },
    Use(name: "two consumers, of which the first is released last, with the source") {
      let publisher = Source()
      var source: Subscriber? = publisher.subscriber()
      let first = source?.mapValues { $0 + 1 }
      var second = source?.mapValues { $0 + 2 }.onNewData { _ in }
      publisher.publish(1)
      withExtendedLifetime((source, second)) {}
      (source, second) = (nil, nil)
      publisher.publish(2)
      withExtendedLifetime(first) {}
    },
    Use(name: "a long chain that is released at its end") {
      let publisher = Source()
      var last = publisher.subscriber()
      for _ in 0..<200 { last = last.mapValues { $0 + 1 } }
      publisher.publish(1)
      withExtendedLifetime(last) {}
    },
  ]
}

@Suite("Engine: the cells of streams are freed")
struct StreamCells {
  // In a process of its own: the census counts the cells of the whole process.
  @Test("each use of a stream frees its publishers, subscribers and entries")
  func census() async {
    await #expect(processExitsWith: .success) {
      for use in Use.all {
        // Makes the cells that are made once.
        use.body()
        let before = Census()
        for _ in 0..<3 { use.body() }
        precondition(Census() == before, use.name)
      }
    }
  }

  @Test("a callback for a stream that has ended leaves no subscriber, while its subscriber is kept")
  func ended() async {
    await #expect(processExitsWith: .success) {
      let publisher = Source()
      let subscriber = Subscriber.merge(publisher.subscriber(), publisher.subscriber())
      subscriber.cancel()
      let before = Census()
      let log = Recorder<Void>()
      for _ in 0..<3 { subscriber.onCancelled { log.record(()) } }
      precondition(Census() == before && log.count == 3)
      withExtendedLifetime(subscriber) {}
    }
  }

  @Test("the end is delivered when the last events before it are taken, and needs no demand")
  func takenToTheEnd() throws {
    let publisher = try #require(CellPublisher.make(isStateful: false))
    let log = Recorder<Void>()
    var subscription = Subscription(Receiver(.all) { if case .end = $0 { log.record(()) } })
    subscription.demand = 0
    let subscriber = try #require(publisher.subscribe(subscription))
    for _ in 0..<2 { _ = publisher.publish(StreamEvent(.void, .fulfilled)) }
    _ = publisher.end(.cancelled)
    var group = EventQueue()
    subscriber.take(1, &group).run()
    #expect(group.count == 1 && log.count == 0)
    subscriber.take(4, &group).run()
    #expect(group.count == 2 && log.count == 1)
    group.release()
    subscriber.releaseHandle()
    publisher.releaseHandle()
  }

  @Test("an event that was requested is not taken")
  func requested() throws {
    let (executor, log) = (ManualExecutor(), Recorder<Void>())
    let place = executor.here
    let publisher = try #require(CellPublisher.make(isStateful: false))
    var subscription = Subscription(Receiver(.all) { if case .value = $0 { log.record(()) } })
    subscription.demand = 1
    subscription.executor = place.executor
    let subscriber = try #require(publisher.subscribe(subscription))
    for _ in 0..<2 { _ = publisher.publish(StreamEvent(.void, .fulfilled)) }
    var group = EventQueue()
    subscriber.take(4, &group).run()
    #expect(group.isEmpty)
    executor.runAll()
    subscriber.take(4, &group).run()
    #expect(group.count == 1 && log.count == 1)
    group.release()
    subscriber.releaseHandle()
    publisher.releaseHandle()
    withExtendedLifetime(place) {}
  }

  @Test("a callback that is admitted after its subscriber was silenced gets no remembered state")
  func silencedNewcomer() throws {
    let (executor, log) = (ManualExecutor(), Recorder<Void>())
    let place = executor.here
    let publisher = try #require(CellPublisher.make(isStateful: true))
    _ = publisher.publish(StreamEvent(.void, .fulfilled))
    let callbacks = StreamCallbacks()
    var subscription = Subscription(Receiver(.all) { callbacks.receive($0) })
    subscription.executor = place.executor
    let subscriber = try #require(publisher.prepare(subscription))
    #expect(callbacks.add(.data, { _ in log.record(()) }, to: subscriber, of: publisher))
    callbacks.silence()
    executor.runAll()
    #expect(log.count == 0)
    subscriber.releaseHandle()
    publisher.releaseHandle()
    withExtendedLifetime(place) {}
  }
}
