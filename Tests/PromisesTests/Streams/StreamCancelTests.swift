import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: unsubscribing while states are on their way")
struct StreamCancelTests {
  /// The forms of a subscriber to a stream.
  private static func make(_ form: Int, _ numbers: Numbers, _ other: Numbers) -> Subscriber<Int, TestError> {
    switch form {
    case 0: numbers.subscriber()
    case 1: numbers.subscriber().mapValues { $0 }
    case 2: numbers.subscriber().mapValues { $0 }.filterValues { _ in true }
    case 3: .merge(numbers.subscriber(), other.subscriber())
    case 4: .merge(numbers.subscriber(), numbers.subscriber().filterValues { _ in false }).distinctValues()
    case 5: numbers.subscriber().replay(2)
    default: numbers.subscriber().stateful().mapValues { $0 }
    }
  }

  @Test(
    "PG50: cancel() in a callback of another subscriber: the states published before arrive, later ones do not",
    arguments: [false, true], 0..<7)
  func inCallback(isStateful: Bool, form: Int) {
    Numbers.with { other in
      Numbers.with(isStateful ? StatefulPublisher() : Publisher()) { numbers in
        var subscriber: Subscriber<Int, TestError>?
        let first = numbers.subscriber().onNewData {
          guard $0 == 1 else { return }
          numbers.publish(.data(2))
          subscriber?.cancel()
          numbers.publish(.data(3))
          other.publish(.data(4))
        }
        let received = Received(StreamCancelTests.make(form, numbers, other))
        subscriber = received.subscriber
        numbers.publish(.data(1))
        #expect(received.states == [.data(1), .data(2), .cancelled])
        #expect(subscriber?.isCancelled == true)
        subscriber = nil
        withExtendedLifetime(first) {}
      }
    }
  }

  @Test(
    "PG50: cancel() while another thread delivers: the states published before arrive, later ones do not",
    arguments: [false, true], 0..<7)
  func onThreads(isStateful: Bool, form: Int) {
    Numbers.with { other in
      Numbers.with(isStateful ? StatefulPublisher() : Publisher()) { numbers in
        let (entered, leave) = (Gate(), Gate())
        let slow = numbers.subscriber().onNewData {
          guard $0 == 1 else { return }
          entered.open()
          leave.wait()
        }
        let received = Received(StreamCancelTests.make(form, numbers, other))
        let thread = Thread { numbers.publish(.data(1)) }
        entered.wait()
        numbers.publish(.data(2))
        received.subscriber.cancel()
        numbers.publish(.data(3))
        other.publish(.data(4))
        leave.open()
        thread.join()
        #expect(received.states == [.data(1), .data(2), .cancelled])
        withExtendedLifetime(slow) {}
      }
    }
  }

  @Test("PG50: a subscriber that is released after cancel() is called no more")
  func released() {
    Numbers.with(StatefulPublisher()) { numbers in
      let log = Recorder<NumberState>()
      var subscriber: Subscriber<Int, TestError>?
      let first = numbers.subscriber().onNewData { _ in
        subscriber?.cancel()
        subscriber = nil
      }
      subscriber = numbers.subscriber().mapValues { $0 }.subscribe { log.record($0) }
      numbers.publish(.data(1))
      #expect(log.events == [])
      withExtendedLifetime(first) {}
    }
  }

  @Test("PG50: cancel() behind a diamond of merges waits for both sides")
  func diamond() {
    Numbers.with(StatefulPublisher()) { numbers in
      var subscriber: Subscriber<Int, TestError>?
      let first = numbers.subscriber().onNewData {
        guard $0 == 1 else { return }
        numbers.publish(.data(2))
        subscriber?.cancel()
      }
      let source = numbers.subscriber()
      var sides = source
      for _ in 0..<24 { sides = .merge(sides.filterValues { _ in true }, sides.filterValues { _ in false }) }
      let received = Received(sides)
      subscriber = sides
      numbers.publish(.data(1))
      #expect(received.states == [.data(1), .data(2), .cancelled])
      subscriber = nil
      withExtendedLifetime((first, source)) {}
    }
  }
}
