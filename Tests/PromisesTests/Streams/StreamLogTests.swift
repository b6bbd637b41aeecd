import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: logs and descriptions")
struct StreamLogTests {
  @Test("PG86: a publisher logs its calls and its release, with a message in front")
  func publisher() {
    let log = Recorder<String>()
    let numbers = Numbers()
    numbers.publisher.enableLogging(.all, "numbers") { log.record($0) }
    let received = Received(numbers.subscriber())
    numbers.publish(.data(1), .error(TestError(2)), .cancelled)
    numbers.release()
    #expect(
      log.events == [
        "numbers - new subscriber", "numbers - publish 1", "numbers - publish \(TestError(2))", "numbers - cancelAll()",
        "numbers - Publisher<Int, TestError> released",
      ])
    withExtendedLifetime(received) {}
  }

  @Test("PG86: a subscriber logs states, callbacks, operators and its release; derived ones log nothing")
  func subscriber() {
    let log = Recorder<String>()
    Numbers.with { numbers in
      var subscriber: Subscriber? = numbers.subscriber().enableLogging { log.record($0) }
      subscriber?.onNewData { _ in }
      var mapped = subscriber?.mapValues { "\($0)" }
      numbers.publish(.data(1), .cancelled)
      subscriber?.cancel()
      mapped = nil
      #expect(mapped == nil)
      subscriber = nil
    }
    #expect(
      log.events == [
        "new callback", "-> Subscriber<String, TestError>", "received 1", "received Cancelled.", "cancel()",
        "Subscriber<Int, TestError> released",
      ])
  }

  @Test("PG86: each operator logs its name with its argument, or the type of its stream; a callback with demand, too")
  func operators() {
    let log = Recorder<String>()
    let target = Publisher<Int, TestError>()
    Numbers.with { numbers in
      let source = numbers.subscriber().enableLogging([.publishing, .operators]) { log.record($0) }
      source.bindTo(target)
      let same = [
        source.stateful(), source.startWith(1), source.distinctStates(), source.debounce(for: .seconds(1)),
        source.replay(4), source.flatMapValues(.latest) { .of($0) },
      ]
      let groups = (source.buffer(2), source.window(3))
      let subscription = source.subscribe(demand: 1) { _ in }
      let derived = "-> Subscriber<Int, TestError>"
      #expect(
        log.events == [
          "bindTo \(target)", "stateful", "startWith 1", derived, derived, "replay 4", "flatMapValues latest",
          "buffer 2", "window 3", "new callback",
        ])
      withExtendedLifetime((source, same, groups, subscription)) {}
    }
  }

  @Test("PG86: a log that is enabled again writes each state once, by the last function")
  func again() {
    let (log, old) = (Recorder<String>(), Recorder<String>())
    Numbers.with { numbers in
      let subscriber = numbers.subscriber().enableLogging { old.record($0) }.enableLogging { log.record($0) }
      numbers.publish(.data(1))
      withExtendedLifetime(subscriber) {}
    }
    #expect(old.events == [] && log.events.filter { $0 == "received 1" }.count == 1)
  }

  @Test("PG86: a function that writes lines is released with no lock held when another replaces it")
  func replacing() {
    let log = Recorder<String>()
    Numbers.with { numbers in
      func write(_ last: LastWord) -> @Sendable (String) -> Void { { _ in last.touch() } }
      let publisher = numbers.publisher
      publisher.enableLogging(.publishing, "", write(LastWord { _ = publisher.subscriber() }))
      publisher.enableLogging(.publishing) { log.record($0) }
    }
    #expect(log.events == ["new subscriber"])
  }

  @Test(
    "PG86: a level selects the kinds of events",
    arguments: [(StreamLogLevel.lifecycle, 1), (.publishing, 4), (.operators, 1), (.all, 6), (StreamLogLevel(), 0)])
  func levels(level: StreamLogLevel, count: Int) {
    let log = Recorder<String>()
    Numbers.with { numbers in
      let subscriber = numbers.subscriber().enableLogging(level) { log.record($0) }
      let values = subscriber.valueOnly()
      subscriber.onCancelled {}
      numbers.publish(.data(1), .data(2), .cancelled)
      withExtendedLifetime((subscriber, values)) {}
    }
    #expect(log.count == count)
  }

  @Test("PG87: publishers and subscribers are described by type and identity")
  func descriptions() {
    let publisher = StatefulPublisher<Int, TestError>()
    let subscriber = publisher.subscriber()
    #expect("\(publisher)".hasPrefix("StatefulPublisher<Int, TestError>(0x"))
    #expect("\(subscriber)".hasPrefix("Subscriber<Int, TestError>(0x"))
    #expect("\(subscriber)" != "\(publisher.subscriber())")
    #expect("\(subscriber)" == subscriber.description)
    #expect("\(Publisher<Int, TestError>())".hasPrefix("Publisher<Int, TestError>(0x"))
    #expect("\(subscriber.valueOnly())".hasPrefix("Subscriber<Int, Never>(0x"))
    let other = StatefulPublisher<Int, TestError>()
    withExtendedLifetime(publisher) { #expect("\(publisher)" != "\(other)") }
    let address = "\(publisher)".split(separator: "(").last?.dropFirst(2).prefix { $0.isHexDigit }
    #expect(address?.count == 16, "as wide as any other")
  }
}
