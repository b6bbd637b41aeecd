import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: errors, silence and groups on a clock, as diagrams")
struct TimedMarbles {
  private let interval = Marbles.tick

  @Test("an error does not wait in debounce and throttle: the value that waits is published first, and none is lost")
  func errors() {
    func debounced(_ diagram: String) -> String {
      Marbles.run(diagram) { $0[0].debounce(for: interval * 3, clock: $1) }
    }
    #expect(debounced("a#b-----|") == "-(a#)---b--|")
    #expect(debounced("##-a---|") == "##----a|")
    func throttled(_ diagram: String, latest: Bool = true) -> String {
      Marbles.run(diagram) { $0[0].throttle(for: interval * 4, latest: latest, clock: $1) }
    }
    #expect(throttled("ab#c----|") == "a-(b#)-c---|")
    #expect(throttled("#a-b") == "#a---b")
    #expect(throttled("ab#c----|", latest: false) == "a-#-----|")
  }

  @Test("timeout without an error ends a silent stream; an error counts as a state")
  func silence() {
    #expect(Marbles.run("a-#-----c") { $0[0].timeout(after: interval * 3, clock: $1) } == "a-#--|")
    #expect(Marbles.run("a-b|") { $0[0].timeout(after: interval * 3, clock: $1) } == "a-b|")
    // The end is not a failure, which would end the merged stream.
    let merged = Marbles.run("a", "b---c|") { $0[0].timeout(after: interval * 2, clock: $1).mergeWith($0[1]) }
    #expect(merged == "(ab)---c|")
    Stream<Int, Never>.with { numbers in
      let clock = VirtualClock()
      let received = Received(numbers.subscriber().timeout(after: interval, clock: clock))
      clock.advance(by: interval)
      #expect(received.states == [.cancelled])
    }
  }

  @Test("buffer within a time publishes an array at its time, when it is full, and at the end; errors pass at once")
  func buffer() {
    func run(_ diagram: String, _ count: Int = .max) -> String {
      Marbles.run(diagram) { $0[0].buffer(count, within: interval * 3, clock: $1) }
    }
    #expect(run("ab--c---|") == "---[ab]---[c]|")
    #expect(run("abc----|", 2) == "-[ab]---[c]-|")
    #expect(run("ab|") == "--([ab]|)")
    #expect(run("a#-|") == "-#-([a]|)")
    #expect(run("--|") == "--|")
    #expect(run("ab|", 0) == "[a][b]|")
  }

  /// A clock whose timers the test fires, in any order, and cannot cancel.
  private final class LateClock: StreamClock {
    private struct Timer: StreamTimer { func cancel() {} }
    let time = Monitor(Duration.zero)
    let works = Recorder<(delay: Duration, run: @Sendable () -> Void)>()

    var now: Duration { time.withLock { $0 } }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any StreamTimer {
      works.record((delay, work))
      return Timer()
    }
  }

  @Test("the timer of an array that was full in time does not complete the next array")
  func lateTimer() {
    Numbers.with { numbers in
      let clock = LateClock()
      let received = Received(numbers.subscriber().buffer(2, within: interval, clock: clock))
      numbers.publish(.data(1), .data(2), .data(3))
      #expect(clock.works.events.map(\.delay) == [interval, interval])
      clock.works.events[0].run()
      #expect(received.values == [[1, 2]])
      clock.works.events[1].run()
      clock.works.events[1].run()
      #expect(received.values == [[1, 2], [3]])
    }
  }

  /// A clock that calls the test while it starts a timer.
  private final class BusyClock: StreamClock {
    private struct Timer: StreamTimer { func cancel() {} }
    let meanwhile = Monitor<@Sendable () -> Void>({})

    var now: Duration { .zero }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any StreamTimer {
      meanwhile.withLock { $0 }()
      return Timer()
    }
  }

  @Test("states that a clock publishes while it starts a timer are delivered before it returns")
  func startedTimer() {
    typealias Source = Subscriber<Int, TestError>
    let operators: [(Source, BusyClock) -> Source] = [
      { $0.debounce(for: .seconds(1), clock: $1) },
      { $0.buffer(within: .seconds(1), clock: $1).mapValues(\.count) },
    ]
    for apply in operators {
      Numbers.with { numbers in
        let (clock, count) = (BusyClock(), Counter())
        let other = Publisher<Int, TestError>()
        let delivered = Received(other.subscriber())
        let received = apply(numbers.subscriber(), clock).onNewData { _ in }
        clock.meanwhile.withLock {
          $0 = {
            other.publish(7)
            #expect(delivered.values == [7])
            count.add()
          }
        }
        numbers.publish(.data(1))
        #expect(count.value == 1)
        withExtendedLifetime((other, received)) {}
      }
    }
  }

  @Test("an array takes one timer, which is cancelled when the array is full, and with the operator; values are freed")
  func timers() {
    let clock = VirtualClock()
    Stream<Tracked<Void>, Never>.with { stream in
      withLifetimeTracking { tracker in
        let groups = stream.subscriber().buffer(3, within: interval, clock: clock)
        let count = Counter()
        groups.onNewData { _ in count.add() }
        for waiting in [1, 1, 0, 1] {
          stream.publish(.data(tracker.track()))
          #expect(clock.waiting == waiting)
        }
        #expect(tracker.live == 1 && count.value == 1)
        withExtendedLifetime(groups) {}
      }
      #expect(clock.waiting == 0)
    }
  }

  @Test("ticks are the numbers of the intervals; missed ones are one; the timer stops when the stream is released")
  func ticks() {
    let clock = VirtualClock()
    var ticks: Received<Int, Never>? = Received(Subscriber.every(interval * 2, clock: clock))
    clock.advance(by: interval * 5)
    #expect(ticks?.values == [1, 2] && clock.waiting == 1)
    ticks = nil
    #expect(clock.waiting == 0)
    let diagram = Marbles.run("") {
      Subscriber.every(interval * 3, clock: $1).fullSubscriber().mapValues { "\($0)" }.prefix($0.count + 1)
    }
    #expect(diagram == "---1--(2|)")

    let late = LateClock()
    let missing = Received(Subscriber.every(interval * 2, clock: late))
    late.time.withLock { $0 = interval * 7 }
    late.works.events[0].run()
    #expect(missing.values == [3] && late.works.events.map(\.delay) == [interval * 2, interval])
  }

  @Test("a stream of ticks that is cancelled publishes none, and takes no further timer")
  func cancelledTicks() {
    let clock = VirtualClock()
    let ticks = Received(Subscriber.every(interval, clock: clock))
    clock.advance(by: interval)
    ticks.subscriber.cancel()
    clock.advance(by: interval * 3)
    #expect(ticks.states == [.data(1), .cancelled] && clock.waiting == 0)
  }
}
