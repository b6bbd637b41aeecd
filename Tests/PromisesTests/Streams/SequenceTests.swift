import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: asynchronous sequences")
struct SequenceTests {
  @Test("states are a sequence from the call on, and end with the stream")
  func states() async {
    let numbers = Numbers()
    numbers.publish(.data(0))
    let states = numbers.subscriber().states()
    numbers.publish(.data(1), .error(TestError(2)))
    let publishing = Task { [publisher = numbers.publisher] in
      publisher.publish(3)
      publisher.cancelAll()
    }
    var received: [NumberState] = []
    for await state in states { received.append(state) }
    #expect(received == [.data(1), .error(TestError(2)), .data(3)])
    await publishing.value
    withExtendedLifetime(numbers) {}
  }

  @Test("values are a sequence that throws the first error")
  func values() async {
    let numbers = Numbers()
    let values = numbers.subscriber().values()
    numbers.publish(.data(1), .data(2), .error(TestError(3)), .data(4))
    var received: [Int] = []
    do {
      for try await value in values { received.append(value) }
      Issue.record("no error was thrown")
    } catch {
      #expect(error == TestError(3))
    }
    #expect(received == [1, 2])
    withExtendedLifetime(numbers) {}
  }

  @Test("values of a stream without errors need no try")
  func valuesWithoutErrors() async {
    let numbers = Stream<Int, Never>()
    let values = numbers.subscriber().values(buffer: .newest(1))
    numbers.publish(.data(1), .data(2), .cancelled)
    var received: [Int] = []
    for await value in values { received.append(value) }
    #expect(received == [2])
    withExtendedLifetime(numbers) {}
  }

  @Test("a cancelled task ends its sequence")
  func cancelled() async {
    let numbers = Numbers()
    let states = numbers.subscriber().states()
    let task = Task {
      var count = 0
      for await _ in states { count += 1 }
      return count
    }
    numbers.publish(.data(1))
    task.cancel()
    #expect(await task.value <= 1)
    withExtendedLifetime(numbers) {}
  }

  @Test("a sequence keeps its stream's operators, and frees them with itself")
  func lifetime() async {
    let numbers = Numbers()
    let tracker = LifetimeTracker()
    do {
      let states = numbers.subscriber().mapValues { [tracked = tracker.track()] value in
        tracked.touch()
        return value
      }.states()
      numbers.publish(.data(1), .cancelled)
      for await _ in states {}
    }
    #expect(tracker.live == 0)
    withExtendedLifetime(numbers) {}
  }

  @Test("a publisher publishes a sequence, and waits while a subscriber is full")
  func contents() async {
    let numbers = Stream<Int, Never>()
    let source = AsyncStream<Int> { continuation in
      for number in 0..<100 { continuation.yield(number) }
      continuation.finish()
    }
    let pending = Recorder<Int>()
    let states = numbers.subscriber().values(buffer: .bounded(4))
    let publishing = Task { [publisher = numbers.publisher] in
      await publisher.publish(
        contentsOf: source.map {
          pending.record($0)
          return $0
        })
      publisher.cancelAll()
    }
    var received: [Int] = []
    var isSlow = true
    for await value in states {
      isSlow = isSlow && pending.count <= received.count + 8
      received.append(value)
    }
    await publishing.value
    #expect(received == Array(0..<100) && isSlow)
    withExtendedLifetime(numbers) {}
  }

  @Test("a publisher of errors publishes a sequence that does not throw")
  func contentsWithoutErrors() async {
    let numbers = Stream<Int, any Error>()
    let recorder = Recorder<String>()
    let subscriber = numbers.subscriber().subscribe { recorder.record("\($0)") }
    await numbers.publisher.publish(
      contentsOf: AsyncStream { continuation in
        continuation.yield(1)
        continuation.yield(2)
        continuation.finish()
      })
    #expect(recorder.events == ["1", "2"])
    withExtendedLifetime((numbers, subscriber)) {}
  }

  @Test("a publisher publishes the error of a sequence, and stops when the stream is cancelled")
  func failingContents() async {
    let errors = Stream<Int, any Error>()
    let recorder = Recorder<String>()
    let subscriber = errors.subscriber().subscribe { recorder.record("\($0)") }
    await errors.publisher.publish(
      contentsOf: AsyncThrowingStream { continuation in
        continuation.yield(1)
        continuation.finish(throwing: TestError(2))
      })
    #expect(recorder.events == ["1", "\(TestError(2))"])
    errors.publish(.cancelled)
    let endless = AsyncThrowingStream<Int, any Error> { 3 }
    await errors.publisher.publish(contentsOf: endless)
    #expect(recorder.count == 3)
    // An idle sequence: the call ends with the next element, which is lost, or with the task.
    let (elements, feed) = AsyncStream<Int>.makeStream()
    let publishing = Task { [publisher = Publisher<Int, Never>()] in
      publisher.cancelAll()
      await publisher.publish(contentsOf: elements)
      for await element in elements { return element }
      return 0
    }
    feed.yield(1)
    feed.yield(2)
    #expect(await publishing.value == 2)
    withExtendedLifetime((errors, subscriber)) {}
  }

  @Test("a sequence of values ends with the error that it throws")
  func afterAnError() async throws {
    let numbers = Numbers()
    let values = numbers.subscriber().values()
    numbers.publish(.error(TestError(1)), .data(2))
    var iterator = values.makeAsyncIterator()
    await #expect(throws: TestError(1)) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
    withExtendedLifetime(numbers) {}
  }

  @Test("a sequence of values that has thrown leaves its stream: it holds up no publisher")
  func leavesAfterAnError() async {
    let numbers = Numbers()
    let values = numbers.subscriber().values(buffer: .bounded(1))
    #expect(numbers.publisher.publish(error: TestError(1)) == .full)
    var iterator = values.makeAsyncIterator()
    await #expect(throws: TestError(1)) { try await iterator.next() }
    #expect(numbers.publisher.publish(2) == .published && numbers.publisher.publish(3) == .published)
    withExtendedLifetime((numbers, values)) {}
  }

  @Test("a sequence of states has the buffer that it is given")
  func buffered() async {
    let numbers = Numbers()
    let states = numbers.subscriber().states(buffer: .newest(2))
    numbers.publish(.data(1), .data(2), .data(3), .cancelled)
    var received: [NumberState] = []
    for await state in states { received.append(state) }
    #expect(received == [.data(2), .data(3)])
    withExtendedLifetime(numbers) {}
  }

  @Test("a sequence that waits takes one state; later states stay in the buffer")
  func oneForEachPull() async {
    let numbers = Numbers()
    let states = numbers.subscriber().states(buffer: .newest(1))
    let first = Task {
      var iterator = states.makeAsyncIterator()
      return await iterator.next()
    }
    numbers.publish(.data(1))
    let one = await first.value
    numbers.publish(.data(2), .data(3), .cancelled)
    var rest: [NumberState] = []
    for await state in states { rest.append(state) }
    #expect(one == .data(1) && rest == [.data(3)])
    withExtendedLifetime(numbers) {}
  }

  @Test("a sequence takes the states of a bounded buffer in groups of half the limit, and reports room after each")
  func groups() async {
    let numbers = Stream<Int, Never>()
    var iterator = numbers.subscriber().values(buffer: .bounded(8)).makeAsyncIterator()
    numbers.publish(.data(1), .data(2), .data(3), .data(4), .data(5), .data(6), .data(7))
    #expect(numbers.publisher.publish(8) == .full)
    let ready = numbers.publisher.ready()
    for number in 1...3 { #expect(await iterator.next() == number) }
    #expect(ready.state == .pending)
    var results = [numbers.publisher.publish(9)]
    #expect(await iterator.next() == 4)
    // The states from 5 to 9 wait.
    #expect(ready.state == .fulfilled)
    for number in 10...12 { results.append(numbers.publisher.publish(number)) }
    #expect(results == [.full, .published, .published, .full])
    for number in 5...12 { #expect(await iterator.next() == number) }
    #expect(numbers.publisher.publish(13) == .published)
    withExtendedLifetime(numbers) {}
  }

  @Test("a sequence with a small limit reports room after each state", arguments: 1...3)
  func smallLimit(limit: Int) async {
    let numbers = Stream<Int, Never>()
    var iterator = numbers.subscriber().values(buffer: .bounded(limit)).makeAsyncIterator()
    for number in 1...limit { numbers.publish(.data(number)) }
    for number in 1...8 {
      let ready = numbers.publisher.ready()
      #expect(ready.state == .pending)
      #expect(await iterator.next() == number)
      #expect(ready.state == .fulfilled)
      #expect(numbers.publisher.publish(limit + number) == .full)
    }
    withExtendedLifetime(numbers) {}
  }

  @Test("an iterator continues where another one stopped, and the end comes after the states that were taken")
  func iterators() async {
    let numbers = Numbers()
    let states = numbers.subscriber().states()
    numbers.publish(.data(1), .error(TestError(2)), .data(3), .cancelled)
    var first = states.makeAsyncIterator()
    #expect(await first.next() == .data(1))
    var second = states.makeAsyncIterator()
    #expect(await second.next() == .error(TestError(2)))
    #expect(await first.next() == .data(3))
    #expect(await second.next() == nil)
    #expect(await first.next() == nil)
    withExtendedLifetime(numbers) {}
  }

  @Test("a sequence takes no states ahead from a buffer that may drop them")
  func newest() async {
    let numbers = Stream<Int, Never>()
    var iterator = numbers.subscriber().values(buffer: .newest(2)).makeAsyncIterator()
    numbers.publish(.data(1), .data(2), .data(3))
    #expect(await iterator.next() == 2)
    numbers.publish(.data(4), .data(5))
    #expect(await iterator.next() == 4)
    #expect(await iterator.next() == 5)
    withExtendedLifetime(numbers) {}
  }

  @Test("a cancelled task drops the states that its sequence has taken, and releases them")
  func cancelledWithinAGroup() async {
    let tracker = LifetimeTracker()
    let publisher = Publisher<Tracked<Void>, Never>()
    let values = publisher.subscriber().values()
    for _ in 0..<8 { publisher.publish(tracker.track()) }
    let rest = await Task {
      var iterator = values.makeAsyncIterator()
      _ = await iterator.next()
      let waiting = tracker.live
      withUnsafeCurrentTask { $0?.cancel() }
      let next = await iterator.next()
      return (waiting, next == nil, tracker.live)
    }.value
    #expect(rest == (7, true, 0))
    withExtendedLifetime((publisher, values)) {}
  }

  /// A sequence that does not check whether its task is cancelled.
  private struct Stubborn: AsyncSequence, AsyncIteratorProtocol {
    func makeAsyncIterator() -> Stubborn { self }
    func next() async -> Int? { await next(isolation: nil) }
    func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Int? { 1 }
  }

  @Test("a cancelled task publishes no more of a sequence, and does not wait for room", arguments: [false, true])
  func cancelledContents(isFull: Bool) async {
    let numbers = Stream<Int, Never>()
    let count = Counter()
    let subscriber = numbers.subscriber()
    let slow = subscriber.subscribe(demand: isFull ? 0 : .max, buffer: .bounded(1)) { _ in count.add() }
    let publishing = Task { [publisher = numbers.publisher] in await publisher.publish(contentsOf: Stubborn()) }
    while isFull ? numbers.publisher.ready().state == .fulfilled : count.value == 0 { await Task.yield() }
    publishing.cancel()
    await publishing.value
    withExtendedLifetime((numbers, subscriber, slow)) {}
  }
}
