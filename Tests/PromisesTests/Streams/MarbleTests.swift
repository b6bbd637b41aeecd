import Promises
import PromisesTestSupport
import Testing

@Suite("Streams: operators on times, groups and folds, as diagrams")
struct MarbleTests {
  private let interval = Marbles.tick

  @Test("debounce publishes a state when none followed for a time; the end publishes the pending one")
  func debounce() {
    #expect(Marbles.run("ab---c--|") { $0[0].debounce(for: interval * 2, clock: $1) } == "---b---c|")
    #expect(Marbles.run("ab---c|") { $0[0].debounce(for: interval * 2, clock: $1) } == "---b--(c|)")
    #expect(Marbles.run("a-#-----|") { $0[0].debounce(for: interval * 3, clock: $1) } == "--(a#)-----|")
    #expect(Marbles.run("abcdefgh") { $0[0].debounce(for: interval * 2, clock: $1) } == "---------h")
  }

  @Test("throttle publishes a state at once, then the latest one of each interval")
  func throttle() {
    #expect(Marbles.run("abcd---e|") { $0[0].throttle(for: interval * 3, clock: $1) } == "a--c--d-(e|)")
    #expect(Marbles.run("abcd---e|") { $0[0].throttle(for: interval * 3, latest: false, clock: $1) } == "a--d---e|")
    #expect(Marbles.run("a-----b---c") { $0[0].throttle(for: interval * 3, clock: $1) } == "a-----b---c")
  }

  @Test("timeout fails a stream that is silent for a time, and ends it")
  func timeout() {
    #expect(
      Marbles.run("a-b-----c") { $0[0].timeout(after: interval * 3, error: Marbles.error, clock: $1) } == "a-b--(#|)")
    #expect(Marbles.run("") { $0[0].timeout(after: interval * 3, error: Marbles.error, clock: $1) } == "---(#|)")
    #expect(Marbles.run("a-b|") { $0[0].timeout(after: interval * 3, error: Marbles.error, clock: $1) } == "a-b|")
  }

  @Test("buffer publishes arrays; the last may be short; errors pass")
  func buffer() {
    #expect(Marbles.run("a-b-c-#-d-e|") { sources, _ in sources[0].buffer(2) } == "--[ab]---#-[cd]--([e]|)")
    #expect(Marbles.run("ab|") { sources, _ in sources[0].buffer(2) } == "-[ab]|")
    #expect(Marbles.run("ab|") { sources, _ in sources[0].buffer(0) } == "[a][b]|")
  }

  @Test("scan publishes each accumulated value; errors pass and keep it")
  func scan() {
    func run(_ diagram: String) -> String {
      Marbles.run(diagram) { sources, _ in sources[0].scan(["z"]) { $0 + [$1] } }
    }
    #expect(run("a-b-#-c-|") == "[za]-[zab]-#-[zabc]-|")
    #expect(run("--|") == "--|")
  }

  @Test("reduce publishes the accumulated value at the end; errors pass at once and keep it")
  func reduce() {
    func run(_ diagram: String) -> String {
      Marbles.run(diagram) { sources, _ in sources[0].reduce(["z"]) { $0 + [$1] } }
    }
    #expect(run("a-b-#-c-|") == "----#---([zabc]|)")
    #expect(run("--|") == "--([z]|)")
    #expect(run("ab--") == "")
  }

  @Test("a fold is computed once for each value, for any number of callbacks; cancelling it publishes the end alone")
  func sharedFolds() {
    Numbers.with { numbers in
      let sums = numbers.subscriber().scan(0, +)
      let total = numbers.subscriber().reduce(0, +)
      let received = [Received(sums), Received(sums)]
      let totals = [Received(total), Received(total)]
      let cancelled = Received(numbers.subscriber().reduce(0, +))
      numbers.publish(.data(1), .data(2))
      let late = Received(sums)
      cancelled.subscriber.cancel()
      numbers.publish(.data(3), .cancelled)
      #expect(received.allSatisfy { $0.states == [.data(1), .data(3), .data(6), .cancelled] })
      #expect(late.states == [.data(6), .cancelled])
      #expect(totals.allSatisfy { $0.states == [.data(6), .cancelled] })
      #expect(cancelled.states == [.cancelled])
    }
  }

  @Test("window publishes streams of a number of values, each complete for late callbacks too")
  func window() {
    let diagram = Marbles.run("abc-d-|") { sources, _ in sources[0].window(2).flatMapValues { $0.buffer(2) } }
    #expect(diagram == "-[ab]--[cd]-|")
    let single = Marbles.run("ab-|") { sources, _ in sources[0].window(0).flatMapValues { $0.buffer(2) } }
    #expect(single == "[a][b]-|")
    Stream<Int, Never>.with { numbers in
      let received = Recorder<Subscriber<Int, Never>>()
      let windows = numbers.subscriber().window(3).onNewData { received.record($0) }
      numbers.publish(.data(1), .data(2), .data(3), .data(4), .cancelled)
      #expect(
        received.events.map { Received($0).states } == [
          [.data(1), .data(2), .data(3), .cancelled], [.data(4), .cancelled],
        ])
      withExtendedLifetime(windows) {}
    }
  }

  @Test("the open window ends before the stream of windows: with its source, by cancel(), or by release")
  func openWindow() {
    for form in 0..<3 {
      Numbers.with { numbers in
        let log = Recorder<String>()
        let received = Recorder<Subscriber<Int, TestError>>()
        var windows: Subscriber<Subscriber<Int, TestError>, TestError>? = numbers.subscriber().window(3)
        windows?.onNewData { window in
          window.onCancelled { log.record("window") }
          received.record(window)
        }.onCancelled { log.record("stream") }
        numbers.publish(.data(1))
        switch form {
        case 0: numbers.publish(.cancelled)
        case 1: windows?.cancel()
        default: windows = nil
        }
        #expect(log.events == (form == 2 ? ["window"] : ["window", "stream"]))
        #expect(received.events.map(\.isCancelled) == [true])
      }
    }
  }

  @Test("zip pairs the values by number, and ends when no pair can follow")
  func zip() {
    #expect(
      Marbles.run("ab---c-|", "--xy---z") { sources, _ in sources[0].zipWith(sources[1]) } == "--[ax][by]---([cz]|)")
    #expect(Marbles.run("a-b|", "-x--#-y") { sources, _ in sources[0].zipWith(sources[1]) } == "-[ax]--#-([by]|)")
    #expect(Marbles.run("|", "xyz") { sources, _ in sources[0].zipWith(sources[1]) } == "|")
  }

  @Test("flatMapValues publishes the inner streams: all at once, one after the other, or the latest")
  func flatMap() {
    func run(_ strategy: FlatMapStrategy) -> String {
      Marbles.run("-1---2--|", "-a-b-c-d-e|", "---v-w-x-y-z|") { sources, _ in
        sources[0].flatMapValues(strategy) { sources[Int($0)!] }
      }
    }
    #expect(run(.merge) == "-a-b-(cw)-(dx)-(ey)-z|")
    #expect(run(.concat) == "-a-b-c-d-e-z|")
    #expect(run(.latest) == "-a-b-w-x-y-z|")
  }

  @Test("errors of the source pass flatMapValues and window; errors of an inner stream pass, too")
  func errorsOfTheSource() {
    let flattened = Marbles.run("a-#-b-|", "--x-#-|") { sources, _ in
      sources[0].flatMapValues { [other = sources[1]] _ in other }
    }
    #expect(flattened == "--(#x)-(##)-|")
    #expect(Marbles.run("a-#-b|") { sources, _ in sources[0].window(3).flatMapValues { $0 } } == "a-#-b|")
  }

  @Test("replay of 0 states, or fewer, gives a late callback the latest state", arguments: [0, -1])
  func replayNone(count: Int) {
    Numbers.with { numbers in
      let replayed = numbers.subscriber().replay(count)
      let early = Received(replayed)
      numbers.publish(.data(1), .data(2))
      #expect(early.values == [1, 2] && Received(replayed).states == [.data(2)])
    }
  }

  @Test("replay gives a late callback the latest states, in order, once")
  func replay() {
    Stream<Int, TestError>.with { numbers in
      let replayed = numbers.subscriber().replay(3)
      let early = Received(replayed)
      for number in 1...5 { numbers.publish(.data(number)) }
      let late = Received(replayed)
      numbers.publish(.error(TestError(6)), .cancelled)
      #expect(early.values == [1, 2, 3, 4, 5])
      #expect(late.states == [.data(3), .data(4), .data(5), .error(TestError(6)), .cancelled])
      #expect(Received(replayed).states == [.data(4), .data(5), .error(TestError(6)), .cancelled])
    }
  }

  @Test("retry takes a new stream after an error, some times, then the error passes")
  func retry() {
    let made = Recorder<Void>()
    let streams = [Numbers(), Numbers(), Numbers()]
    let received = Received(
      Subscriber.retry(2) {
        made.record()
        return streams[made.count - 1].subscriber()
      })
    streams[0].publish(.data(1), .error(TestError(1)), .data(10))
    streams[1].publish(.data(2), .error(TestError(2)))
    streams[2].publish(.data(3), .error(TestError(3)), .data(4), .cancelled)
    #expect(made.count == 3)
    #expect(received.states == [.data(1), .data(2), .data(3), .error(TestError(3)), .data(4), .cancelled])
    withExtendedLifetime(streams) {}
  }

  @Test("retry of 0 or fewer makes one attempt; a late callback gets the latest state", arguments: [0, -1])
  func retryNone(count: Int) {
    let made = Counter()
    Numbers.with { numbers in
      let retried = Subscriber<Int, TestError>.retry(count) {
        made.add()
        return numbers.subscriber()
      }
      let received = Received(retried)
      numbers.publish(.data(1), .error(TestError(2)))
      #expect(received.states == [.data(1), .error(TestError(2))] && made.value == 1)
      numbers.publish(.data(3))
      #expect(Received(retried).states == [.data(3)])
    }
  }

  @Test("retry of streams that fail at once does not recurse")
  func retryAtOnce() {
    let count = Scale.million / 100
    let made = Counter()
    let states = onThread {
      Received(
        Subscriber<Int, TestError>.retry(count) {
          made.add()
          return .of(error: TestError(1))
        }
      ).states
    }
    #expect(made.value == count + 1 && states == [.error(TestError(1))])
  }

  @Test("a released flat map leaves the streams that it flattened")
  func flatMapLeaves() {
    Stream<Int, Never>.with { source in
      Stream<Int, Never>.with { other in
        withLifetimeTracking { tracker in
          let flat = source.subscriber().flatMapValues { _ in
            other.subscriber().mapValues { [held = tracker.track()] value in
              held.touch()
              return value
            }
          }
          let received = Received(flat)
          source.publish(.data(1))
          other.publish(.data(2))
          #expect(received.values == [2] && tracker.live == 1)
        }
      }
    }
  }

  /// A clock whose timers the test fires, and whose time it sets. Its functions ask the operator, which locks it.
  private final class LateClock: StreamClock {
    struct Timer: StreamTimer { func cancel() {} }
    let time = Monitor(Duration.zero)
    let works = Recorder<(delay: Duration, run: @Sendable () -> Void)>()
    let operation = Monitor<Subscriber<Int, TestError>?>(nil)

    var now: Duration {
      ask()
      return time.withLock { $0 }
    }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any StreamTimer {
      ask()
      works.record((delay, work))
      return Timer()
    }

    private func ask() { #expect(operation.withLock { $0 }?.isCancelled != true) }

    func fire(_ number: Int, at time: Duration) {
      self.time.withLock { $0 = time }
      works.events[number].run()
    }
  }

  @Test("a burst takes one timer; if it fires early, the next one waits for the rest of the time")
  func earlyTimer() {
    Numbers.with { numbers in
      let clock = LateClock()
      let received = Received(numbers.subscriber().debounce(for: interval * 3, clock: clock))
      clock.operation.withLock { $0 = received.subscriber }
      numbers.publish(.data(1))
      clock.time.withLock { $0 = interval }
      for number in 2...9 { numbers.publish(.data(number)) }
      #expect(clock.works.count == 1)
      clock.fire(0, at: interval * 3)
      #expect(received.values == [] && clock.works.events.map(\.delay) == [interval * 3, interval])
      clock.fire(1, at: interval * 4)
      #expect(received.values == [9] && clock.works.count == 2)
      clock.operation.withLock { $0 = nil }
    }
  }

  @Test("a timer that cannot be cancelled does nothing once its operator has ended or was released")
  func lateTimer() {
    Numbers.with { numbers in
      let clock = LateClock()
      let ended = Received(numbers.subscriber().prefix(1).debounce(for: interval, clock: clock))
      numbers.publish(.data(1))
      #expect(ended.states == [.data(1), .cancelled])
      var released: Received<Int, TestError>? = Received(
        numbers.subscriber().timeout(after: interval, error: TestError(3), clock: clock))
      let states = released?.states
      released = nil
      for number in 0..<clock.works.count { clock.fire(number, at: interval * 9) }
      #expect(clock.works.count == 2 && ended.states == [.data(1), .cancelled] && states == [])
    }
  }

  @Test("the error of a timeout is released when it is not needed any more", arguments: [false, true])
  func timeoutError(isSilent: Bool) {
    let clock = VirtualClock()
    withLifetimeTracking { tracker in
      Stream<Int, Tracked<Void>>.with { stream in
        let derived = stream.subscriber().timeout(after: interval, error: tracker.track(), clock: clock)
        let errors = Counter()
        derived.onError { _ in errors.add() }
        #expect(tracker.live == 1)
        if isSilent { clock.advance(by: interval) } else { stream.publish(.cancelled) }
        #expect(tracker.live == 0 && errors.value == (isSilent ? 1 : 0) && derived.isCancelled && clock.waiting == 0)
      }
    }
  }

  @Test("a state that is published while the error of a timeout is delivered is dropped: the end follows the error")
  func timeoutEnds() {
    let clock = VirtualClock()
    Numbers.with { numbers in
      let stream = numbers.subscriber().timeout(after: interval, error: TestError(1), clock: clock)
      stream.onError { _ in numbers.publish(.data(2)) }
      let received = Received(stream)
      numbers.publish(.data(1))
      clock.advance(by: interval)
      #expect(received.states == [.data(1), .error(TestError(1)), .cancelled])
    }
  }

  @Test("an operator releases its clock")
  func clockReleased() {
    weak var clock: VirtualClock?
    Numbers.with { numbers in
      let made = VirtualClock()
      clock = made
      let received = Received(numbers.subscriber().debounce(for: interval, clock: made))
      numbers.publish(.data(1))
      #expect(made.waiting == 1 && received.values == [])
    }
    #expect(clock == nil)
  }

  @Test("a released operator frees its timers, pending states and inner streams")
  func releases() {
    let clock = VirtualClock()
    Stream<Tracked<Void>, Never>.with { stream in
      withLifetimeTracking { tracker in
        let source = stream.subscriber()
        let other = Stream<Int, Never>()
        let kept: [Any] = [
          source.debounce(for: interval, clock: clock), source.throttle(for: interval, clock: clock),
          source.buffer(4), source.window(4), source.replay(3), source.zipWith(other.subscriber()),
          source.flatMapValues { .of($0) }, source.flatMapValues(.latest) { .of($0) },
          source.flatMapValues(.concat) { .of($0) }, source.scan([]) { $0 + [$1] }, source.reduce([]) { $0 + [$1] },
        ]
        for _ in 0..<3 { stream.publish(.data(tracker.track())) }
        #expect(tracker.live == 3 && clock.waiting > 0)
        withExtendedLifetime((kept, other)) {}
      }
      #expect(clock.waiting == 0)
    }
  }

  @Test("the system clock runs work after its delay, and cancels it")
  func systemClock() {
    let ran = Channel<Int>()
    let clock = SystemStreamClock()
    let cancelled = clock.schedule(after: .milliseconds(1)) { [gate = Gate()] in gate.wait() }
    cancelled.cancel()
    // Retry: if the thread loses the processor for 20 ms between the two calls, the work of the first call is due
    // first.
    var order: [Int] = []
    for _ in 0..<20 where order != [1, 2] {
      let timers = [2, 1].map { delay in clock.schedule(after: .milliseconds(20 * delay)) { ran.send(delay) } }
      order = [ran.receive(), ran.receive()]
      withExtendedLifetime(timers) {}
    }
    #expect(order == [1, 2])
    // A time so far in the past that an integer cannot count its nanoseconds.
    let past = Duration(secondsComponent: .min, attosecondsComponent: 0)
    let timer = clock.schedule(after: past) { ran.send(3) }
    #expect(ran.receive() == 3)
    // Far in the future: the seconds alone can be counted, but not with the rest.
    let future = Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 900_000_000_000_000_000)
    let late = clock.schedule(after: future) { ran.send(4) }
    let soon = clock.schedule(after: .zero) { ran.send(5) }
    #expect(ran.receive() == 5)
    late.cancel()
    withExtendedLifetime((timer, soon)) {}
  }
}
