import Promises
import PromisesTestSupport
import Testing

@Suite("Futures combined from many")
struct WhenTests {
  private typealias Subject = Future<Int, TestError>
  private let made = (0..<3).map { _ in Subject.makeWithResolver() }
  private var futures: [Subject] { made.map(\.future) }
  private var resolvers: [Resolver<Int, TestError>] { made.map(\.resolver) }

  @Test(
    "T97, D47, PG22: the result has the values in the order of the array, not of settlement; none for an empty array")
  func values() {
    let all = when(fulfilled: futures)
    for index in [2, 0, 1] {
      #expect(!all.isSettled)
      resolvers[index].fulfill(index)
    }
    #expect(all.value == [0, 1, 2])
    #expect(when(fulfilled: [Subject]()).value == [])
    #expect(when(fulfilled: [futures[0], futures[0]]).value == [0, 0])
  }

  @Test("T97, D47, PG22: the first input to fail rejects the result at once; the other inputs are left alone")
  func failure() {
    let all = when(fulfilled: futures)
    var asked = 0
    for resolver in resolvers { resolver.onCancelRequest { _ in asked += 1 } }
    resolvers[2].reject(TestError(2))
    #expect(all.error == TestError(2))
    resolvers[1].reject(TestError(1))
    #expect(all.error == TestError(2))
    #expect(asked == 0)
    #expect(!futures[0].isSettled)
  }

  @Test("T97, D47: a cancelled input cancels the result, with the same indirect error")
  func cancelled() {
    let all = when(fulfilled: futures)
    var asked = 0
    for resolver in resolvers { resolver.onCancelRequest { _ in asked += 1 } }
    resolvers[0].cancel(because: OtherError())
    #expect(all.result?.isCancelled == true && all.result?.indirectError is OtherError)
    #expect(asked == 0 && !futures[1].isSettled && !futures[2].isSettled)
  }

  @Test("T97: a result that the settled inputs decide is available when the call returns")
  func atOnce() {
    resolvers[1].reject(TestError(1))
    #expect(when(fulfilled: futures).error == TestError(1))
    let fulfilled = [Subject(fulfilled: 1), Subject(fulfilled: 2)]
    #expect(when(fulfilled: fulfilled).value == [1, 2])
  }

  @Test("T98, D48, PG24: any number of inputs of different types make a tuple; a failure is the input's own")
  func tuples() {
    let (name, named) = Future<String, TestError>.makeWithResolver()
    let both = when(fulfilled: futures[0], name)
    resolvers[0].fulfill(1)
    named.fulfill("one")
    #expect(both.value.map { $0 == (1, "one") } == true)
    let six = when(
      fulfilled: Subject(fulfilled: 1), name, Future<Bool, TestError>(fulfilled: true),
      Future<Double, TestError>(fulfilled: 0.5), Future<Int?, TestError>(fulfilled: nil),
      Future<[Int], TestError>(fulfilled: [7]))
    #expect(six.value.map { $0.0 == 1 && $0.1 == "one" && $0.2 && $0.3 == 0.5 && $0.4 == nil && $0.5 == [7] } == true)
    let eight = when(
      fulfilled: name, name, name, name, name, name, name, Subject(fulfilled: 8))
    #expect(eight.value?.7 == 8)
    let failing = when(fulfilled: name, futures[1])
    resolvers[1].reject(TestError(3))
    #expect(failing.error == TestError(3))
    let (other, otherResolver) = Future<String, TestError>.makeWithResolver()
    let failed = when(fulfilled: other, futures[1], cancelOnFailure: true)
    #expect(failed.error == TestError(3) && otherResolver.isCancelRequested)
  }

  @Test("D48: a tuple has the state of the first input in time that is rejected or cancelled, with its indirect error")
  func tupleEnds() {
    let (name, named) = Future<String, TestError>.makeWithResolver()
    let cancelled = when(fulfilled: futures[0], name, futures[1])
    let rejected = when(fulfilled: futures[0], futures[1])
    named.cancel(because: OtherError())
    #expect(cancelled.result?.isCancelled == true && cancelled.result?.indirectError is OtherError)
    resolvers[1].reject(TestError(1))
    resolvers[0].reject(TestError(0))
    #expect(rejected.error == TestError(1), "rejected, not cancelled because of it")
    #expect(cancelled.result?.indirectError is OtherError, "later ends change nothing")
  }

  @Test("PG25: combine(with:) on a future combines it with several others")
  func combine() {
    let combined = Subject(fulfilled: 1).combine(with: Future<String, TestError>(fulfilled: "a"))
    #expect(combined.value.map { $0 == (1, "a") } == true)
    let rejected = Subject(fulfilled: 1).combine(with: Subject(rejected: TestError(2)), Subject(fulfilled: 3))
    #expect(rejected.error == TestError(2))
    let cancelled = Subject(fulfilled: 1).combine(with: Subject(cancelled: OtherError()))
    #expect(cancelled.result?.indirectError is OtherError)
    let failing = futures[0].combine(with: futures[1])
    #expect(!failing.isSettled)
    resolvers[0].reject(TestError(3))
    #expect(failing.error == TestError(3) && !resolvers[1].isCancelRequested)
  }

  @Test(
    "T99: an input that fails or is cancelled asks each other input to cancel once, a shared one too",
    arguments: [true, false])
  func cancelOnFailure(cancelled: Bool) {
    var asked = [0, 0, 0]
    for index in 0..<3 { resolvers[index].onCancelRequest { _ in asked[index] += 1 } }
    let all = when(fulfilled: futures, cancelOnFailure: true)
    var seen: [Int] = []
    all.onComplete { _ in seen = asked }
    if cancelled { resolvers[1].cancel() } else { resolvers[1].reject(TestError(1)) }
    #expect(asked == [1, 0, 1])
    #expect(seen == asked, "they were asked before the callbacks of the result")
    #expect(all.result?.isCancelled == cancelled)
    resolvers[0].cancel()
    #expect(all.result?.isCancelled == cancelled)
  }

  @Test("T99, defect 1: the result has the error of the failed input, though it cancels the others, from any thread")
  func errorBeatsCancellation() {
    for _ in 0..<2000 {
      let (failing, failure) = Subject.makeWithResolver()
      let (other, resolver) = Subject.makeWithResolver()
      resolver.onCancelRequest { $0.cancel() }
      let all = when(fulfilled: [other, failing], cancelOnFailure: true)
      onThreads(1) { _ in failure.reject(TestError(7)) }
      #expect(all.error == TestError(7))
    }
  }

  @Test("T98, defect 2: a cancelled input requests cancellation of the others only if that is wanted")
  func noRequestWithoutAsking() {
    let (name, _) = Future<String, TestError>.makeWithResolver()
    var asked = 0
    resolvers[1].onCancelRequest { _ in asked += 1 }
    resolvers[0].cancel()
    let both = when(fulfilled: futures[0], futures[1], name)
    #expect(both.result?.isCancelled == true)
    #expect(asked == 0)
  }

  @Test("T100: a request on the result asks each input without another consumer; the result follows its inputs")
  func request() {
    let inputs = (0..<3).map { _ in Resolver<Int, TestError>() }
    let asked = Recorder<Int>()
    for (index, input) in inputs.enumerated() { input.onCancelRequest { _ in asked.record(index) } }
    let consumer = inputs[1].future.map { $0 }
    let all = when(fulfilled: inputs.map(\.future))
    #expect(asked.events == [])
    all.requestCancel()
    #expect(asked.events == [0, 2], "the second input has another consumer")
    #expect(!all.isSettled, "a request is advice")
    consumer.requestCancel()
    #expect(asked.events == [0, 2, 1])
    inputs[0].cancel(because: OtherError())
    #expect(all.result == .cancelled(OtherError()))
    withExtendedLifetime(inputs) {}
  }

  @Test("T100: a request on the result withdraws its interest in each occurrence of an input")
  func requestOfOneTwice() {
    let input = Watched()
    let all = when(fulfilled: [input.future!, input.future!])
    input.future = nil
    all.requestCancel()
    #expect(input.requests.count == 1)
    input.resolver.fulfill(3)
    #expect(all.value == [3, 3])
  }

  @Test(
    "T100: a request on the result asks all inputs, also if the first one is cancelled by it",
    arguments: [false, true])
  func requestAcceptedAtOnce(isFirst: Bool) {
    let inputs = (0..<3).map { _ in Resolver<Int, TestError>() }
    let asked = Recorder<Int>()
    for (index, input) in inputs.enumerated() {
      input.onCancelRequest {
        asked.record(index)
        $0.cancel()
      }
    }
    let source = inputs[2].future.map { $0 }
    if isFirst {
      when(first: [inputs[0].future, inputs[1].future, source]).requestCancel()
    } else {
      let all = when(fulfilled: inputs[0].future, inputs[1].future, source)
      all.requestCancel()
      #expect(all.result?.isCancelled == true)
    }
    #expect(asked.events == [0, 1], "the third input has another consumer")
    #expect(inputs[1].future.result?.isCancelled == true)
    source.requestCancel()
    #expect(asked.events == [0, 1, 2])
  }

  @Test(
    "T101: the first fulfilled or rejected input wins; cancelled ones do not count; of settled ones, the first in order"
  )
  func first() {
    let first = when(first: futures)
    resolvers[0].cancel()
    #expect(!first.isSettled)
    resolvers[2].reject(TestError(2))
    #expect(first.error == TestError(2))
    #expect(!resolvers[1].isCancelRequested, "the others are left alone")
    resolvers[1].cancel()
    #expect(when(first: [futures[0], futures[1]]).result?.isCancelled == true)
    #expect(when(first: [Subject]()).result?.isCancelled == true)
    #expect(when(first: (1...3).map { Subject(fulfilled: $0) }).value == 1)
  }

  @Test("T102: the winner has all other inputs asked to cancel")
  func cancelRemaining() {
    var asked = [0, 0, 0]
    for index in 0..<3 { resolvers[index].onCancelRequest { _ in asked[index] += 1 } }
    let first = when(first: futures, cancelRemaining: true)
    resolvers[1].fulfill(5)
    #expect(first.value == 5)
    #expect(asked == [1, 0, 1])
  }

  @Test("T101, T102: a request on the result asks each input without another consumer", arguments: [false, true])
  func requestOfFirst(cancelsRemaining: Bool) {
    let inputs = (0..<3).map { _ in Resolver<Int, TestError>() }
    let asked = Recorder<Int>()
    for (index, input) in inputs.enumerated() { input.onCancelRequest { _ in asked.record(index) } }
    let consumer = inputs[1].future.map { $0 }
    let first = when(first: inputs.map(\.future), cancelRemaining: cancelsRemaining)
    first.requestCancel()
    #expect(asked.events == [0, 2], "the second input has another consumer")
    #expect(!first.isSettled, "a request is advice")
    consumer.requestCancel()
    #expect(asked.events == [0, 2, 1])
    inputs[0].cancel()
    inputs[1].fulfill(7)
    #expect(first.value == 7)
    withExtendedLifetime(inputs) {}
  }

  @Test("PG23: the first success wins, and if all fail the last error; the first to end wins a race")
  func anyAndRace() {
    let any = Subject.any(futures)
    let race = Subject.race(futures)
    resolvers[1].reject(TestError(1))
    #expect(race.error == TestError(1) && !any.isSettled)
    #expect(!resolvers[0].isCancelRequested, "the others are left alone")
    resolvers[2].reject(TestError(2))
    resolvers[0].reject(TestError(0))
    #expect(any.error == TestError(0))
    #expect(Subject.any([Subject(rejected: TestError(1)), Subject(fulfilled: 4)]).value == 4)
    #expect(Subject.any([]).result == .cancelled && Subject.race([]).result == .cancelled)
    #expect(ThrowingFuture<Int>.any([]).state == .cancelled && Promise<Int>.race([]).rejectReason is Discarded)
  }

  @Test("allSettled has the outcome of each input, in order")
  func allSettled() {
    let all = Subject.allSettled(futures)
    resolvers[2].fulfill(2)
    resolvers[0].reject(TestError(0))
    #expect(!all.isSettled)
    resolvers[1].cancel()
    let results = all.value ?? []
    #expect(results.map(\.value) == [nil, nil, 2])
    #expect(results.first?.error == TestError(0))
    #expect(results.dropFirst().first?.isCancelled == true)
  }

  @Test("&&& pairs the values of two futures, and ||| gives the first value")
  func operators() {
    #expect((Subject(fulfilled: 1) &&& Future<String, TestError>(fulfilled: "b")).value.map { $0 == (1, "b") } == true)
    #expect((Subject(rejected: TestError(1)) ||| Subject(fulfilled: 2)).value == 2)
  }

  @Test(
    "PG23, T102: the losers are asked to cancel if the caller wants it, and else left alone", arguments: [false, true])
  func rest(cancels: Bool) {
    let combinations: [([Subject]) -> Subject] = [
      { Subject.any($0, cancelRemaining: cancels) }, { Subject.race($0, cancelRemaining: cancels) },
      { when(first: $0, cancelRemaining: cancels) },
    ]
    for combine in combinations {
      let inputs = (0..<3).map { _ in Resolver<Int, TestError>() }
      let result = combine(inputs.map(\.future))
      inputs[1].fulfill(5)
      #expect(result.value == 5)
      #expect(inputs.map(\.isCancelRequested) == [cancels, false, cancels])
    }
  }

  @Test("&&& and ||| leave the other operand alone; of two that are settled, ||| gives the left one")
  func operandsAlone() {
    let both = futures[0] &&& futures[1]
    let either = futures[1] ||| futures[2]
    resolvers[0].reject(TestError(0))
    resolvers[2].fulfill(3)
    #expect(both.error == TestError(0) && either.value == 3)
    #expect(!resolvers[1].isCancelRequested)
    #expect((Subject(fulfilled: 1) ||| Subject(fulfilled: 2)).value == 1)
  }

  @Test("a combination of promises does not cancel the inputs that are still pending")
  func promisesAlone() {
    let (future, resolver) = Future<Int, any Error>.makeWithResolver()
    let rest = future.promise
    let failed = Promise<Int>.reject("no")
    let all = when(fulfilled: [failed, rest])
    let pair = when(fulfilled: failed, rest)
    let any = Promise<Int>.any([.resolve(1), rest])
    let race = Promise<Int>.race([.resolve(2), rest])
    #expect(all.state == .rejected && pair.state == .rejected && any.value == 1 && race.value == 2)
    #expect(!resolver.isCancelRequested && rest.state == .pending)
    resolver.fulfill(3)
  }

  @Test("allSettled does not keep an input that is never settled")
  func lostInput() {
    withLifetimeTracking { tracker in
      do {
        let (one, two) = (Promise<Int>(), Promise<Int>())
        Promise<Int>.allSettled([one, two]).then({ [held = tracker.track()] _ in held.touch() }, nil)
        one.resolve(1)
      }
      #expect(tracker.live == 0)
    }
  }

  @Test("S-34: allSettled has the inputs, and the outcome of one that was released meanwhile")
  func releasedInput() async {
    await #expect(processExitsWith: .success) {
      let unhandled = Recorder<UInt64>()
      PromiseHooks.install(PromiseHooks(unhandledRejection: { id, _ in unhandled.record(id) }))
      let last = Promise<Int>()
      func begin() -> Promise<[Promise<Int>]> {
        let (one, two) = (Promise<Int>(), Promise<Int>())
        let all = Promise<Int>.allSettled([one, two, last])
        one.resolve(1)
        two.reject(TestError(2))
        return all
      }
      let all = begin()
      last.resolve(3)
      precondition(all.value?.map(\.value) == [1, nil, 3])
      precondition(all.value?[1].rejectReason as? TestError == TestError(2))
      precondition(all.value?[2].id == last.id)
      do {
        let ignored = Promise<Int>()
        let kept = Promise<Int>.allSettled([ignored, .reject(TestError(3))])
        ignored.resolve(4)
        withExtendedLifetime(kept) {}
      }
      precondition(unhandled.count == 0)
    }
  }

  @Test("promises are combined as futures are")
  func promises() {
    let (one, two) = (Promise<Int>(), Promise<Int>())
    let all = when(fulfilled: [one, two])
    let pair = when(fulfilled: one, Promise<String>.resolve("x"))
    let any = Promise<Int>.any([one, two])
    let race = Promise<Int>.race([one, two])
    let settled = Promise<Int>.allSettled([one, two])
    two.reject("no")
    #expect(all.rejectReason as? String == "no" && race.rejectReason as? String == "no")
    one.resolve(1)
    #expect(any.value == 1 && settled.value?.map(\.state) == [.fulfilled, .rejected])
    #expect(pair.value.map { $0 == (1, "x") } == true)
  }
}
