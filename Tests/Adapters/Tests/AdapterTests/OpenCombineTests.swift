import OpenCombine
import Promises
import PromisesOpenCombine
import Synchronization
import Testing

private struct Refused: Error, Equatable {}

extension AdapterTests {
  @Suite("OpenCombine")
  struct OpenCombineTests {
    private typealias Source = Promises.Publisher<Int, Refused>

    /// A subscriber that asks for values when the test says so.
    private final class Probe: OpenCombine.Subscriber {
      var values: [Int] = []
      var completion: Subscribers.Completion<Refused>?
      var subscription: (any Subscription)?
      let first: Subscribers.Demand
      var onValue: (Probe) -> Subscribers.Demand = { _ in .none }

      init(first: Subscribers.Demand) { self.first = first }
      func receive(subscription: any Subscription) {
        self.subscription = subscription
        if first > 0 { subscription.request(first) }
      }
      func receive(_ value: Int) -> Subscribers.Demand {
        #expect(completion == nil)
        values.append(value)
        return onValue(self)
      }
      func receive(completion: Subscribers.Completion<Refused>) {
        #expect(self.completion == nil && subscription != nil)
        self.completion = completion
      }
    }

    @Test("a stream's values, and its end, arrive at a sink and at operators")
    func sink() {
      let source = Source()
      var values: [Int] = []
      var ends: [Subscribers.Completion<Refused>] = []
      let end = source.subscriber().publisher().map { $0 * 2 }.filter { $0 != 4 }
        .sink(receiveCompletion: { ends.append($0) }, receiveValue: { values.append($0) })
      for value in 1...3 { source.publish(value) }
      #expect(values == [2, 6] && ends == [])
      source.cancelAll()
      #expect(ends == [.finished])
      source.publish(4)
      #expect(values == [2, 6])
      withExtendedLifetime(end) {}
    }

    @Test("states wait for demand in the buffer; the end waits for them")
    func demand() {
      let source = Source()
      let probe = Probe(first: .none)
      source.subscriber().publisher(buffer: .newest(2)).subscribe(probe)
      for value in 1...5 { source.publish(value) }
      #expect(probe.values == [])
      probe.subscription?.request(.max(1))
      #expect(probe.values == [1])
      source.publish(6)
      source.cancelAll()
      #expect(probe.completion == nil)
      probe.onValue = { $0.values.count < 3 ? .max(1) : .none }
      probe.subscription?.request(.max(1))
      // The first value was held outside the buffer, which kept the newest two of the rest.
      #expect(probe.values == [1, 4, 5] && probe.completion == nil)
      probe.subscription?.request(.unlimited)
      #expect(probe.values == [1, 4, 5, 6] && probe.completion == .finished)
    }

    @Test("demands add up")
    func demands() {
      let source = Source()
      let probe = Probe(first: .max(1))
      source.subscriber().publisher().subscribe(probe)
      probe.subscription?.request(.max(1))
      probe.subscription?.request(.max(1))
      for value in 1...5 { source.publish(value) }
      #expect(probe.values == [1, 2, 3])
    }

    @Test("an error is a failure, which takes no demand and leaves the stream open")
    func failure() {
      let source = Source()
      let probe = Probe(first: .max(1))
      let other = source.subscriber()
      var errors = 0
      other.onError { _ in errors += 1 }
      source.subscriber().publisher().subscribe(probe)
      source.publish(1)
      source.publish(error: Refused())
      source.publish(2)
      source.publish(error: Refused())
      #expect(probe.values == [1] && probe.completion == .failure(Refused()))
      #expect(errors == 2 && !source.isCancelled)
      withExtendedLifetime(other) {}
    }

    @Test("a stream that has ended finishes; a stateful one gives its latest value first")
    func ended() {
      let source = StatefulPublisher<Int, Refused>()
      source.publish(7)
      source.cancelAll()
      let probe = Probe(first: .unlimited)
      source.subscriber().publisher().subscribe(probe)
      #expect(probe.values == [7] && probe.completion == .finished)
      let empty = Source()
      empty.cancelAll()
      let late = Probe(first: .none)
      empty.subscriber().publisher().subscribe(late)
      #expect(late.completion == .finished)
    }

    @Test("the end of the stream that a callback causes comes after the callback")
    func endedWithin() {
      let source = Source()
      let probe = Probe(first: .none)
      source.subscriber().publisher().subscribe(probe)
      source.publish(1)
      probe.onValue = {
        source.cancelAll()
        #expect($0.completion == nil)
        return .none
      }
      probe.subscription?.request(.max(1))
      #expect(probe.values == [1] && probe.completion == .finished)
    }

    @Test("cancelling ends the subscription at once, also in a callback, and releases everything")
    func cancelling() {
      weak var gone: Promises.Subscriber<Int, Refused>?
      let source = Source()
      do {
        let subscriber = source.subscriber()
        gone = subscriber
        let probe = Probe(first: .unlimited)
        probe.onValue = {
          if $0.values.count == 2 { $0.subscription?.cancel() }
          return .none
        }
        subscriber.publisher().subscribe(probe)
        for value in 1...5 { source.publish(value) }
        #expect(probe.values == [1, 2] && probe.completion == nil)
        probe.subscription?.request(.max(1))
      }
      #expect(gone == nil)
    }

    @Test("requests from one thread and states from another: nothing is lost, doubled or reordered")
    func threads() async {
      let count = 20_000
      let source = Promises.Publisher<Int, Refused>()
      let probe = Crossing(count)
      source.subscriber().publisher().subscribe(probe)
      async let publishing: Void = publish(count, to: source)
      async let requesting: Void = probe.requestAll()
      _ = await (publishing, requesting)
      #expect(probe.log.withLock { $0 } == Array(0..<count))
      #expect(probe.ends.load(ordering: .acquiring) == 1)
    }

    @concurrent private func publish(_ count: Int, to source: Promises.Publisher<Int, Refused>) async {
      for value in 0..<count { source.publish(value) }
      source.cancelAll()
    }

    /// A subscriber for which another thread requests one value at a time.
    private final class Crossing: OpenCombine.Subscriber, @unchecked Sendable {
      let count: Int
      let log = Mutex<[Int]>([])
      let ends = Atomic<Int>(0)
      // Written before the threads start.
      private var subscription: (any Subscription)?

      init(_ count: Int) { self.count = count }
      func receive(subscription: any Subscription) { self.subscription = subscription }
      func receive(_ value: Int) -> Subscribers.Demand {
        #expect(ends.load(ordering: .acquiring) == 0)
        log.withLock { $0.append(value) }
        return .none
      }
      func receive(completion: Subscribers.Completion<Refused>) { ends.add(1, ordering: .acquiringAndReleasing) }
      @concurrent func requestAll() async {
        for _ in 0..<count { subscription?.request(.max(1)) }
      }
    }

    @Test("a publisher's values are published, its failure too; its end leaves the stream open")
    func contents() {
      let source = Source()
      var states: [StreamState<Int, Refused>] = []
      let subscriber = source.subscriber().subscribe { states.append($0) }
      let subject = PassthroughSubject<Int, Refused>()
      let feeding = source.publish(contentsOf: subject)
      subject.send(1)
      subject.send(completion: .failure(Refused()))
      let more = source.publish(contentsOf: [2, 3].publisher.setFailureType(to: Refused.self))
      #expect(states == [.data(1), .error(Refused()), .data(2), .data(3)])
      source.cancelAll()
      #expect(states.last == .cancelled)
      withExtendedLifetime((subscriber, feeding, more)) {}
    }

    @Test("no value is asked for while a subscriber is full; a cancelled stream cancels the subscription")
    func backPressure() {
      let source = Source()
      var values: [Int] = []
      var asked = 0
      var isCancelled = false
      let subscriber = source.subscriber()
      let slow = subscriber.subscribe(demand: 0, buffer: .bounded(3)) {
        if case .data(let value) = $0 { values.append(value) }
      }
      let elements = (1...100).publisher.setFailureType(to: Refused.self)
        .handleEvents(receiveOutput: { asked = $0 }, receiveCancel: { isCancelled = true })
      let feeding = source.publish(contentsOf: elements)
      #expect(asked == 3)
      slow.request(2)
      #expect(values == [1, 2] && asked == 5)
      source.cancelAll()
      slow.requestAll()
      #expect(values == [1, 2, 3, 4, 5] && asked == 5 && isCancelled)
      withExtendedLifetime(feeding) {}
    }

    @Test("releasing the subscription stops the publishing, and lets the stream end")
    func released() {
      var source: Source? = Source()
      let subscriber = source!.subscriber()
      let subject = PassthroughSubject<Int, Refused>()
      var feeding: AnyCancellable? = source!.publish(contentsOf: subject)
      source = nil
      #expect(!subscriber.isCancelled && feeding != nil, "the subscription keeps the publisher")
      feeding = nil
      #expect(subscriber.isCancelled)
    }

    @Test("the end of the elements releases the publisher, though the subscription is kept", arguments: [false, true])
    func endedElements(fails: Bool) {
      var source: Source? = Source()
      let subscriber = source!.subscriber()
      let subject = PassthroughSubject<Int, Refused>()
      let feeding = source!.publish(contentsOf: subject)
      source = nil
      #expect(!subscriber.isCancelled)
      subject.send(completion: fails ? .failure(Refused()) : .finished)
      #expect(subscriber.isCancelled)
      withExtendedLifetime(feeding) {}
    }

    @Test("cancelling releases a value that waits for demand, though the subscription is kept")
    func releasedValue() {
      final class Value {}
      final class Idle: OpenCombine.Subscriber {
        var subscription: (any Subscription)?
        func receive(subscription: any Subscription) { self.subscription = subscription }
        func receive(_ value: Value) -> Subscribers.Demand { .none }
        func receive(completion: Subscribers.Completion<Refused>) {}
      }
      let source = Promises.Publisher<Value, Refused>()
      let idle = Idle()
      source.subscriber().publisher().subscribe(idle)
      weak var gone: Value?
      do {
        let value = Value()
        gone = value
        source.publish(value)
      }
      #expect(gone != nil)
      idle.subscription?.cancel()
      #expect(gone == nil && idle.subscription != nil)
    }

    @Test("a value for a stream that has ended cancels the subscription")
    func endedStream() {
      let source = Source()
      var isCancelled = false
      let subject = PassthroughSubject<Int, Refused>()
      let feeding = source.publish(contentsOf: subject.handleEvents(receiveCancel: { isCancelled = true }))
      source.cancelAll()
      #expect(!isCancelled)
      subject.send(1)
      #expect(isCancelled)
      withExtendedLifetime(feeding) {}
    }

    private final class Asked: Subscription {
      var demand = Subscribers.Demand.none
      var isCancelled = false
      func request(_ demand: Subscribers.Demand) { self.demand += demand }
      func cancel() { isCancelled = true }
    }

    /// A publisher that breaks the rules: it passes two subscriptions to a subscriber.
    private struct Twice: OpenCombine.Publisher {
      typealias Output = Int
      typealias Failure = Refused
      let first = Asked()
      let second = Asked()

      func receive<Downstream: OpenCombine.Subscriber>(subscriber: Downstream)
      where Downstream.Input == Int, Downstream.Failure == Refused {
        subscriber.receive(subscription: first)
        subscriber.receive(subscription: second)
      }
    }

    @Test("a second subscription is cancelled, and one that comes after the end")
    func secondSubscription() {
      let source = Source()
      let twice = Twice()
      let feeding = source.publish(contentsOf: twice)
      #expect(twice.first.demand == .max(1) && !twice.first.isCancelled)
      #expect(twice.second.demand == .none && twice.second.isCancelled)
      feeding.cancel()
      #expect(twice.first.isCancelled)
    }
  }
}
