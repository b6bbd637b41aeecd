import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: operators together")
struct OperatorMixTests {
  @Test("a retried stream is shared: one attempt for all callbacks, and cancelling one branch leaves the others")
  func retryShared() {
    let made = Counter()
    let streams = [Numbers(), Numbers(), Numbers()]
    let retried = Subscriber<Int, TestError>.retry(2) {
      made.add()
      return streams[made.value - 1].subscriber()
    }
    let (first, second) = (Received(retried.mapValues { $0 * 10 }), Received(retried.mapValues { $0 * 100 }))
    streams[0].publish(.data(1), .error(TestError(1)))
    streams[1].publish(.data(2))
    first.subscriber.cancel()
    streams[1].publish(.error(TestError(2)))
    let late = Received(retried)
    streams[2].publish(.data(3), .cancelled)
    #expect(made.value == 3)
    #expect(first.states == [.data(10), .data(20), .cancelled])
    #expect(second.states == [.data(100), .data(200), .data(300), .cancelled])
    #expect(late.states == [.data(2), .data(3), .cancelled], "the dropped error is no state")
    withExtendedLifetime(streams) {}
  }

  @Test("a retried stream that is cancelled makes no new attempt", arguments: [true, false])
  func retryCancelled(byRelease: Bool) {
    let made = Counter()
    let stream = Numbers()
    var received: Received<Int, TestError>? = Received(
      Subscriber.retry(5) {
        made.add()
        return stream.subscriber()
      })
    stream.publish(.data(1))
    if byRelease { received = nil } else { received?.subscriber.cancel() }
    stream.publish(.error(TestError(1)), .data(2))
    #expect(made.value == 1)
    #expect(received.map { $0.states } ?? [] == (byRelease ? [] : [.data(1), .cancelled]))
    withExtendedLifetime(stream) {}
  }

  @Test("the errors of an attempt after its first one are dropped, and make no further attempt")
  func retryOfManyErrors() {
    Numbers.with { numbers in
      let failing = numbers.subscriber().replay(2)
      numbers.publish(.error(TestError(1)), .error(TestError(2)))
      let made = Counter()
      let received = Received(
        Subscriber<Int, TestError>.retry(2) {
          made.add()
          return made.value == 1 ? failing : .of(made.value)
        })
      #expect(made.value == 2 && received.states == [.data(2)])
    }
  }

  @Test("a combination ends when a retry in it does")
  func retryCombined() {
    Numbers.with { numbers in
      Numbers.with { other in
        let retried = Subscriber<Int, TestError>.retry(1) { numbers.subscriber() }
        let sums: Subscriber<Int, TestError> = retried.combineWith(other.subscriber()).mapValues { (pair: (Int, Int)) in
          pair.0 + pair.1
        }
        let received = Received(sums)
        numbers.publish(.data(1))
        other.publish(.data(2))
        numbers.publish(.cancelled)
        #expect(received.states == [.data(3), .cancelled])
      }
    }
  }

  @Test("a flat map of the latest makes the next inner stream before it leaves the last one")
  func flatMapLatestKeepsInterest() {
    Numbers.with { source in
      let resolver = Resolver<Int, TestError>()
      let received = Received(source.subscriber().flatMapValues(.latest) { _ in .of(future: resolver.future) })
      source.publish(.data(1), .data(2))
      #expect(!resolver.isCancelRequested)
      resolver.fulfill(3)
      #expect(received.states == [.data(3)])
    }
  }

  @Test("a cancelled flat map leaves its inner streams", arguments: [false, true])
  func flatMapCancelled(byTransform: Bool) {
    for strategy in [FlatMapStrategy.merge, .concat, .latest] {
      Numbers.with { source in
        Numbers.with { other in
          let calls = Counter()
          var flat: Subscriber<Int, TestError>?
          flat = source.subscriber().flatMapValues(strategy) { _ in
            if byTransform { flat?.cancel() }
            return other.subscriber().mapValues { value in
              calls.add()
              return value
            }
          }
          let received = flat.map(Received.init)
          source.publish(.data(0))
          if !byTransform {
            other.publish(.data(1))
            flat?.cancel()
          }
          other.publish(.data(2))
          #expect(calls.value == (byTransform ? 0 : 1))
          #expect(received?.states == (byTransform ? [.cancelled] : [.data(1), .cancelled]))
          flat = nil
        }
      }
    }
  }

  @Test(
    "flatMapValues publishes at once the states that inner streams publish within the call, and waits for open ones")
  func synchronousInner() {
    func run(_ strategy: FlatMapStrategy, _ inner: @escaping (String) -> Subscriber<String, TestError>) -> String {
      Marbles.run("a-b---|") { sources, _ in sources[0].flatMapValues(strategy, inner) }
    }
    let ended = { (name: String) -> Subscriber<String, TestError> in
      Stream<String, TestError>.with { stream in
        let replayed = stream.subscriber().replay(3)
        stream.publish(.data(name), .data(name + "2"), .cancelled)
        return replayed
      }
    }
    for strategy in [FlatMapStrategy.merge, .concat, .latest] {
      #expect(run(strategy, ended) == "(aa2)-(bb2)---|")
    }
    // The inner streams of one value do not end, so the flat map does not either, and concat stays with the first of
    // them.
    #expect(run(.latest) { .of($0) } == "a-b")
    #expect(run(.merge) { .of($0) } == "a-b")
    #expect(run(.concat) { .of($0) } == "a")
  }

  @Test("a callback that publishes to the source of a flat map: latest leaves the inner stream at once, concat waits")
  func innerThatPublishes() {
    for (strategy, expected) in [(FlatMapStrategy.latest, [10, 20, 21]), (.concat, [10, 11, 20, 21])] {
      Numbers.with { source in
        let seen = Recorder<Int>()
        let flat = source.subscriber().flatMapValues(strategy) { value in
          Numbers.with { stream in
            let replayed = stream.subscriber().replay(2)
            stream.publish(.data(10 * value), .data(10 * value + 1), .cancelled)
            return replayed
          }
        }.onNewData { value in
          seen.record(value)
          if value == 10 { source.publish(.data(2)) }
        }
        source.publish(.data(1))
        #expect(seen.events == expected)
        withExtendedLifetime(flat) {}
      }
    }
  }

  @Test("zip with a side that has ended: its buffered values are paired, the last group may be short, then the end")
  func zipFinite() {
    #expect(
      Marbles.run("abc|", "---x-y--z-w") { sources, _ in sources[0].zipWith(sources[1]) } == "---[ax]-[by]--([cz]|)")
    #expect(
      Marbles.run("abc|", "---xy-z") { sources, _ in
        sources[0].buffer(2).mapValues { $0.joined() }.zipWith(sources[1])
      } == "---[abx]([cy]|)")
    // A side that was complete before the zip was made.
    #expect(
      Marbles.run("--x-y-z") { sources, _ in
        Stream<String, TestError>.with { stream in
          let replayed = stream.subscriber().replay(2)
          stream.publish(.data("a"), .data("b"), .data("c"), .cancelled)
          return replayed.zipWith(sources[0])
        }
      } == "--[bx]-([cy]|)")
    // Errors of the open side pass while values of the finite side wait.
    #expect(
      Marbles.run("ab|", "---#x-#-y") { sources, _ in sources[0].zipWith(sources[1]) } == "---#[ax]-#-([by]|)")
  }
}
